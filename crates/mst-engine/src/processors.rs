//! Work on files that every processor takes part in: reading a small one waits for the processor more than for the disk.

use std::num::NonZero;
use std::sync::mpsc::{Receiver, sync_channel};

/// How many results may wait at each processor, so that what is worked on stays small.
const AHEAD: usize = 8;

/// Does something with each item, and returns what it came to in the items' order.
pub(crate) fn on_all_processors<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let mut done = Vec::with_capacity(items.len());
    let all: Result<(), std::convert::Infallible> = in_order(items, work, |one| {
        done.push(one);
        Ok(())
    });
    let Ok(()) = all;
    done
}

/// Does something with each item, and takes what it came to in the items' order as it comes; the first failure of `take`
/// ends it.
pub(crate) fn in_order<T: Sync, R: Send, E>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    mut take: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get).min(items.len());
    let work = &work;
    std::thread::scope(|scope| {
        let start = |first: usize| -> Receiver<R> {
            let (sender, receiver) = sync_channel(AHEAD);
            scope.spawn(move || {
                // When nobody waits for the next one any more, the rest is not needed.
                items.iter().skip(first).step_by(threads).map(work).try_for_each(|done| sender.send(done))
            });
            receiver
        };
        let started: Vec<Receiver<R>> = (0..threads).map(start).collect();
        (0..items.len()).try_for_each(|index| {
            take(started[index % threads].recv().expect("a thread that panicked ends this one with the scope"))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_of_items_is_in_their_order() {
        for count in [0, 1, 2, 7, 1000] {
            let items: Vec<usize> = (0..count).collect();
            assert_eq!(
                on_all_processors(&items, |item| item * 2),
                items.iter().map(|item| item * 2).collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn the_first_failure_ends_it() {
        let items: Vec<usize> = (0..10_000).collect();
        let mut taken = 0;
        let ended = in_order(
            &items,
            |item| *item,
            |item| {
                taken += 1;
                if item == 5 { Err(item) } else { Ok(()) }
            },
        );
        assert_eq!((ended, taken), (Err(5), 6));
    }
}
