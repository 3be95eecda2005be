//! Long lists: a page shows how they begin, and the rest when it is opened.

/// A list in two parts.
#[derive(Clone, Debug)]
pub(crate) struct Split<T> {
    /// What is shown at once.
    pub(crate) first: Vec<T>,
    /// What is shown when opened.
    pub(crate) rest: Vec<T>,
}

impl<T> Split<T> {
    /// Splits a list after `shown`; a rest of a few is shown too, since opening it would cost more than it saves.
    pub(crate) fn after(shown: usize, mut list: Vec<T>) -> Self {
        let at = if list.len() <= shown + shown / 4 { list.len() } else { shown };
        let rest = list.split_off(at);
        Self { first: list, rest }
    }

    /// Returns whether there is nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::Split;

    #[test]
    fn a_short_rest_is_not_hidden() {
        for (len, shown, hidden) in [(0, 0, 0), (20, 20, 0), (25, 25, 0), (26, 20, 6)] {
            let split = Split::after(20, vec![(); len]);
            assert_eq!((split.first.len(), split.rest.len()), (shown, hidden), "{len}");
        }
    }
}
