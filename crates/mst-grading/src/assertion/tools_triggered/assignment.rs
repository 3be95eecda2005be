//! Which event serves which expected call. No event serves two.
//!
//! `fits[call][event]` says that an event satisfies a call; the answers give each call its event.

use std::collections::VecDeque;

/// Assigns events in any order: as many required calls as possible, and then as many others as possible.
///
/// A maximum bipartite matching by augmenting paths. A path never frees a call that has an event, so required calls come
/// first and stay.
pub(super) fn in_any_order(fits: &[Vec<bool>], required: &[bool]) -> Vec<Option<usize>> {
    let events = fits.first().map_or(0, Vec::len);
    let mut event_of = vec![None; fits.len()];
    let mut call_of = vec![None; events];
    for wanted in [true, false] {
        for call in (0..fits.len()).filter(|&call| required[call] == wanted) {
            augment(fits, call, &mut event_of, &mut call_of);
        }
    }
    event_of
}

/// Gives one more call an event, moving others to other events where that helps. Breadth first, so that no input makes it
/// recurse deeply.
fn augment(fits: &[Vec<bool>], call: usize, event_of: &mut [Option<usize>], call_of: &mut [Option<usize>]) {
    let mut reached_from: Vec<Option<usize>> = vec![None; call_of.len()];
    let mut queue = VecDeque::from([call]);
    while let Some(at) = queue.pop_front() {
        for event in 0..call_of.len() {
            if !fits[at][event] || reached_from[event].is_some() {
                continue;
            }
            reached_from[event] = Some(at);
            if let Some(taken_by) = call_of[event] {
                queue.push_back(taken_by);
                continue;
            }
            let mut free = Some(event);
            while let Some(event) = free {
                let taker = reached_from[event].expect("every event on the path was reached from a call");
                free = event_of[taker].replace(event);
                call_of[event] = Some(taker);
            }
            return;
        }
    }
}

/// Assigns events in the order of the calls: as many required calls as possible, and then as many others as possible.
///
/// Taking the earliest event for each call in turn would not do: an event taken for an optional call can be the only one
/// for a required call after it. So this is the longest common subsequence, with required calls weighing more than all
/// optional ones together. Of several best assignments it gives the one with the earliest events.
pub(super) fn in_order(fits: &[Vec<bool>], required: &[bool]) -> Vec<Option<usize>> {
    let calls = fits.len();
    let events = fits.first().map_or(0, Vec::len);
    let weight = |call: usize| if required[call] { calls as u64 + 1 } else { 1 };
    // best[call][event]: the most that calls from `call` on can get from events from `event` on.
    let mut best = vec![vec![0_u64; events + 1]; calls + 1];
    for call in (0..calls).rev() {
        for event in (0..events).rev() {
            let mut most = best[call + 1][event].max(best[call][event + 1]);
            if fits[call][event] {
                most = most.max(weight(call) + best[call + 1][event + 1]);
            }
            best[call][event] = most;
        }
    }
    let mut assigned = vec![None; calls];
    let (mut call, mut event) = (0, 0);
    while call < calls && event < events {
        let most = best[call][event];
        if fits[call][event] && weight(call) + best[call + 1][event + 1] == most {
            assigned[call] = Some(event);
            call += 1;
            event += 1;
        } else if best[call][event + 1] == most {
            event += 1;
        } else {
            call += 1;
        }
    }
    assigned
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Tries everything: the most (required, optional) calls that can have an event of their own.
    fn brute_force(fits: &[Vec<bool>], required: &[bool], call: usize, used: u32, ordered: bool) -> (usize, usize) {
        if call == fits.len() {
            return (0, 0);
        }
        let mut best = brute_force(fits, required, call + 1, used, ordered);
        for event in 0..fits[call].len() {
            let blocked = if ordered { used >> event != 0 } else { used >> event & 1 == 1 };
            if !fits[call][event] || blocked {
                continue;
            }
            let (mut must, mut may) = brute_force(fits, required, call + 1, used | 1 << event, ordered);
            if required[call] {
                must += 1;
            } else {
                may += 1;
            }
            best = best.max((must, may));
        }
        best
    }

    fn counted(assigned: &[Option<usize>], required: &[bool]) -> (usize, usize) {
        let of = |wanted| assigned.iter().zip(required).filter(|(a, r)| a.is_some() && **r == wanted).count();
        (of(true), of(false))
    }

    fn small() -> impl Strategy<Value = (Vec<Vec<bool>>, Vec<bool>)> {
        (1_usize..5, 0_usize..6).prop_flat_map(|(calls, events)| {
            (
                prop::collection::vec(prop::collection::vec(any::<bool>(), events), calls),
                prop::collection::vec(any::<bool>(), calls),
            )
        })
    }

    proptest! {
        #[test]
        fn any_order_is_as_good_as_trying_everything((fits, required) in small()) {
            let assigned = in_any_order(&fits, &required);
            prop_assert_eq!(counted(&assigned, &required), brute_force(&fits, &required, 0, 0, false));
            let mut events: Vec<usize> = assigned.iter().flatten().copied().collect();
            events.sort_unstable();
            events.dedup();
            prop_assert_eq!(events.len(), assigned.iter().flatten().count());
            for (call, event) in assigned.iter().enumerate() {
                prop_assert!(event.is_none_or(|event| fits[call][event]));
            }
        }

        #[test]
        fn order_is_as_good_as_trying_everything((fits, required) in small()) {
            let assigned = in_order(&fits, &required);
            prop_assert_eq!(counted(&assigned, &required), brute_force(&fits, &required, 0, 0, true));
            let events: Vec<usize> = assigned.iter().flatten().copied().collect();
            prop_assert!(events.windows(2).all(|pair| pair[0] < pair[1]));
            for (call, event) in assigned.iter().enumerate() {
                prop_assert!(event.is_none_or(|event| fits[call][event]));
            }
        }
    }

    #[test]
    fn an_optional_call_never_takes_what_a_required_one_needs() {
        let fits = vec![vec![true], vec![true]];
        assert_eq!(in_order(&fits, &[false, true]), [None, Some(0)]);
        assert_eq!(in_any_order(&fits, &[false, true]), [None, Some(0)]);
    }
}
