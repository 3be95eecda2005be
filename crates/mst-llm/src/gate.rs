//! The gate before a provider: every call to one endpoint with one key passes it, whichever trial it is of.
//!
//! It is wide open until the provider throttles. Then nothing passes before the time that the provider asks for, and
//! afterwards only so many calls at a time: half as many as were under way, at least one. Refusals of calls that were
//! under way when it narrowed belong to the same burst and narrow it no further. Every call that is answered widens it by
//! its share of one, so that a round of answers adds one, until it is as wide as it was and is open again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, oneshot};
use tokio::time::{Instant, sleep_until};

/// The gate of one endpoint and key.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    state: Mutex<State>,
    /// Told when the gate closes, so that those who wait know for how long.
    closed: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// How many calls may be under way; no limit when absent.
    width: Option<f64>,
    /// How many were under way when it was narrowed first.
    peak: u32,
    under_way: u32,
    /// How often it was narrowed: a call that passed before that belongs to an earlier burst.
    burst: u64,
    closed_until: Option<Instant>,
    /// How many calls were answered.
    answered: u64,
    /// Those who were refused before, and come first.
    again: VecDeque<oneshot::Sender<Pass>>,
    new: VecDeque<oneshot::Sender<Pass>>,
}

/// The right to have one call under way; it ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Pass {
    gate: Arc<Gate>,
    burst: u64,
}

/// How many calls may be under way from now on; as many as come when absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Width(pub(crate) Option<u32>);

/// How a call comes to the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coming {
    /// For the first time.
    New,
    /// After it was refused.
    Again,
}

impl State {
    fn has_room(&self, now: Instant) -> bool {
        self.closed_until.is_none_or(|until| until <= now)
            && self.width.is_none_or(|width| f64::from(self.under_way) + 1.0 <= width)
    }

    fn closed_for(&self, now: Instant) -> Option<Duration> {
        self.closed_until.map(|until| until.saturating_duration_since(now)).filter(|left| !left.is_zero())
    }
}

impl Gate {
    /// Passes at once, or not at all.
    pub(crate) fn try_pass(self: &Arc<Self>) -> Option<Pass> {
        let mut state = self.state();
        let is_free = state.again.is_empty() && state.new.is_empty() && state.has_room(Instant::now());
        is_free.then(|| self.admit(&mut state))
    }

    /// Waits until a call may pass; an error when the gate stays closed for longer than `most`, with how long.
    pub(crate) async fn pass(self: &Arc<Self>, coming: Coming, most: Duration) -> Result<Pass, Duration> {
        let (sender, mut granted) = oneshot::channel();
        {
            let mut state = self.state();
            match coming {
                Coming::New => state.new.push_back(sender),
                Coming::Again => state.again.push_back(sender),
            }
        }
        loop {
            let closed = self.closed.notified();
            tokio::pin!(closed);
            closed.as_mut().enable();
            self.admit_waiting();
            let left = self.state().closed_for(Instant::now());
            if let Some(left) = left.filter(|left| *left > most) {
                return Err(left);
            }
            let opens = Instant::now() + left.unwrap_or_default();
            tokio::select! {
                biased;
                pass = &mut granted => return pass.map_err(|_| Duration::ZERO),
                () = closed => {}
                () = sleep_until(opens), if left.is_some() => {}
            }
        }
    }

    /// Returns how many calls were answered so far.
    pub(crate) fn answered(&self) -> u64 {
        self.state().answered
    }

    fn admit(self: &Arc<Self>, state: &mut State) -> Pass {
        state.under_way += 1;
        Pass { gate: Arc::clone(self), burst: state.burst }
    }

    /// Lets through those who wait, as far as there is room.
    fn admit_waiting(self: &Arc<Self>) {
        loop {
            let mut state = self.state();
            if !state.has_room(Instant::now()) {
                return;
            }
            let Some(next) = state.again.pop_front().or_else(|| state.new.pop_front()) else { return };
            if next.is_closed() {
                continue;
            }
            let pass = self.admit(&mut state);
            drop(state);
            // A pass that nobody takes any more is given up here, outside the lock.
            drop(next.send(pass));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pass {
    /// Ends a call that was answered. Returns the new width when it grew by at least one.
    pub(crate) fn answered(self) -> Option<Width> {
        let mut state = self.gate.state();
        state.answered += 1;
        let before = state.width.filter(|_| self.burst == state.burst)?;
        let after = before + 1.0 / before;
        if after >= f64::from(state.peak) {
            state.width = None;
            return Some(Width(None));
        }
        state.width = Some(after);
        (after.floor() > before.floor()).then_some(Width(Some(after as u32)))
    }

    /// Ends a call that the provider refused for now, and returns how many calls may be under way from now on.
    pub(crate) fn refused(self, closed_for: Duration) -> u32 {
        let until = Instant::now() + closed_for;
        let mut state = self.gate.state();
        state.closed_until = Some(state.closed_until.map_or(until, |closed| closed.max(until)));
        let under_way = f64::from(state.under_way);
        if state.width.is_none() {
            state.peak = state.under_way.max(2);
        }
        if self.burst == state.burst {
            state.burst += 1;
            state.width = Some((state.width.map_or(under_way, |width| width.min(under_way)) / 2.0).floor().max(1.0));
        }
        let width = state.width.unwrap_or(under_way) as u32;
        drop(state);
        self.gate.closed.notify_waiters();
        width
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        self.gate.state().under_way -= 1;
        self.gate.admit_waiting();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);
    const SHORT: Duration = Duration::from_millis(50);

    fn passes(gate: &Arc<Gate>, count: usize) -> Vec<Pass> {
        (0..count).map(|_| gate.try_pass().expect("it is open")).collect()
    }

    #[tokio::test]
    async fn one_burst_of_refusals_halves_it_once() {
        let gate = Arc::new(Gate::default());
        let widths: Vec<u32> = passes(&gate, 8).into_iter().map(|pass| pass.refused(SHORT)).collect();
        assert_eq!(widths, [4; 8]);
        assert!(gate.try_pass().is_none(), "closed for a second");
        tokio::time::sleep(SHORT).await;
        let again = passes(&gate, 4);
        assert!(gate.try_pass().is_none(), "four at a time");
        let widths: Vec<u32> = again.into_iter().map(|pass| pass.refused(SHORT)).collect();
        assert_eq!(widths, [2; 4]);
    }

    #[tokio::test]
    async fn answers_widen_it_until_it_is_as_wide_as_it_was() {
        let gate = Arc::new(Gate::default());
        for pass in passes(&gate, 4) {
            pass.refused(Duration::ZERO);
        }
        let widened: Vec<_> = (0..8).filter_map(|_| gate.try_pass().expect("room").answered()).collect();
        assert_eq!(widened, [Width(Some(3)), Width(None)], "2 → 3 → open, which 4 was");
        assert_eq!(passes(&gate, 9).len(), 9);
    }

    #[tokio::test]
    async fn nothing_passes_before_its_time_and_those_refused_come_first() {
        let gate = Arc::new(Gate::default());
        gate.try_pass().expect("open").refused(SHORT);
        let begun = Instant::now();
        let order = Mutex::new(Vec::new());
        let come = |name: &'static str, coming| {
            let (gate, order) = (&gate, &order);
            async move {
                let pass = gate.pass(coming, MINUTE).await.expect("it opens");
                order.lock().expect("no panic").push((name, begun.elapsed()));
                tokio::time::sleep(SHORT).await;
                pass.answered();
            }
        };
        tokio::join!(come("new", Coming::New), come("again", Coming::Again));
        let order = order.lock().expect("no panic");
        let (names, times): (Vec<_>, Vec<_>) = order.iter().copied().unzip();
        assert_eq!(names, ["again", "new"]);
        assert!(times[0] >= SHORT && times[1] >= 2 * SHORT, "{times:?}");
    }

    #[tokio::test]
    async fn one_that_waits_behind_others_learns_that_it_closed_again() {
        let gate = Arc::new(Gate::default());
        for pass in passes(&gate, 2) {
            pass.refused(Duration::ZERO);
        }
        let under_way = gate.try_pass().expect("one at a time");
        let begun = Instant::now();
        let waiting = gate.pass(Coming::New, MINUTE);
        let refusing = async {
            tokio::time::sleep(SHORT).await;
            under_way.refused(3 * SHORT);
        };
        let (pass, ()) = tokio::join!(waiting, refusing);
        assert!(pass.is_ok());
        assert!(begun.elapsed() >= 4 * SHORT);
    }

    #[tokio::test]
    async fn a_wait_that_is_too_long_is_not_begun() {
        let gate = Arc::new(Gate::default());
        gate.try_pass().expect("open").refused(2 * MINUTE);
        let left = gate.pass(Coming::New, MINUTE).await.expect_err("too long");
        assert!(left > MINUTE && left <= 2 * MINUTE, "{left:?}");
    }

    #[tokio::test]
    async fn one_that_gives_up_takes_nothing_with_it() {
        let gate = Arc::new(Gate::default());
        for pass in passes(&gate, 2) {
            pass.refused(Duration::ZERO);
        }
        let held = gate.try_pass().expect("one at a time");
        let given_up = tokio::time::timeout(SHORT, gate.pass(Coming::New, MINUTE)).await;
        assert!(given_up.is_err());
        drop(held);
        assert!(gate.try_pass().is_some());
    }
}
