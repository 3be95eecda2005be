//! The latest items of a list that may grow for ever, each with its place in the whole.

use std::collections::VecDeque;

/// How many items are kept.
const KEPT: usize = 1_000;

/// The latest items.
#[derive(Clone, Debug)]
pub(crate) struct Window<T> {
    /// How many items came before those that are kept.
    before: usize,
    items: VecDeque<T>,
}

impl<T> Default for Window<T> {
    fn default() -> Self {
        Self { before: 0, items: VecDeque::new() }
    }
}

impl<T: Clone> Window<T> {
    pub(crate) fn push(&mut self, item: T) {
        if self.items.len() == KEPT {
            self.items.pop_front();
            self.before += 1;
        }
        self.items.push_back(item);
    }

    /// Returns the place that the next item will have.
    pub(crate) fn end(&self) -> usize {
        self.before + self.items.len()
    }

    /// Returns up to `most` items from a place on, as far as they are kept.
    pub(crate) fn since(&self, place: usize, most: usize) -> Vec<T> {
        self.items.iter().skip(place.saturating_sub(self.before)).take(most).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_outlive_what_was_dropped() {
        let mut window = Window::default();
        for number in 0..1_500 {
            window.push(number);
        }
        assert_eq!(window.end(), 1_500);
        assert_eq!(window.since(1_498, 9), [1_498, 1_499]);
        assert_eq!(window.since(0, 2), [500, 501]);
        assert_eq!(window.since(1_500, 2), Vec::<i32>::new());
    }
}
