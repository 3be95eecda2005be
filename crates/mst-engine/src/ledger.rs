//! Who may run: the counters that a trial must fit into, and who waits for them. Pure: the time comes in as a value.
//!
//! A trial asks for everything it uses at once and is granted it at once, so that nobody holds one thing while waiting for
//! another: there is no order of locks to keep and nothing to deadlock on. Askers are served in the order they came, but
//! one that fits need not wait behind one that does not.

use std::collections::{HashMap, VecDeque};

use tokio::time::Instant;

/// Who asks: a worker, which runs one trial at a time.
pub(crate) type SeatId = u64;

/// What a trial uses beside a place in the run's concurrency.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Uses {
    /// The limits that it counts towards, as indices of [`Ledger::caps`].
    pub(crate) caps: Vec<usize>,
    /// The way to its model's provider.
    pub(crate) door: usize,
}

/// A limit and how much of it is taken.
#[derive(Clone, Copy, Debug)]
struct Cap {
    most: u32,
    taken: u32,
}

impl Cap {
    fn has_room(self) -> bool {
        self.taken < self.most
    }
}

/// A way to a provider. It narrows while the provider throttles.
#[derive(Clone, Copy, Debug, Default)]
struct Door {
    /// How many trials may go through it at once; no limit of its own when absent.
    most: Option<u32>,
    inside: u32,
    /// No trial starts before this.
    closed_until: Option<Instant>,
}

impl Door {
    fn has_room(&self, now: Instant) -> bool {
        self.closed_until.is_none_or(|until| until <= now) && self.most.is_none_or(|most| self.inside < most)
    }
}

/// A trial that was granted room.
#[derive(Debug)]
struct Held {
    uses: Uses,
    /// Whether it has its place in the run's concurrency: it lends it while it waits for a provider.
    is_placed: bool,
}

/// The counters of a run, who holds room and who waits for it.
#[derive(Debug)]
pub(crate) struct Ledger {
    places: Cap,
    caps: Vec<Cap>,
    doors: Vec<Door>,
    held: HashMap<SeatId, Held>,
    /// Trials that lent their place and want it back. They come before those that have not begun.
    returning: VecDeque<SeatId>,
    waiting: VecDeque<(SeatId, Uses)>,
}

impl Ledger {
    /// Makes a ledger with so many places, a cap for each limit, and so many ways to providers.
    pub(crate) fn new(places: u32, caps: impl IntoIterator<Item = u32>, doors: usize) -> Self {
        Self {
            places: Cap { most: places.max(1), taken: 0 },
            caps: caps.into_iter().map(|most| Cap { most, taken: 0 }).collect(),
            doors: vec![Door::default(); doors],
            held: HashMap::new(),
            returning: VecDeque::new(),
            waiting: VecDeque::new(),
        }
    }

    /// Asks for room for a trial.
    pub(crate) fn ask(&mut self, seat: SeatId, uses: Uses) {
        self.waiting.push_back((seat, uses));
    }

    /// Gives back all that a trial holds.
    pub(crate) fn leave(&mut self, seat: SeatId) {
        let Some(held) = self.held.remove(&seat) else { return };
        self.returning.retain(|waiting| *waiting != seat);
        self.places.taken -= u32::from(held.is_placed);
        self.doors[held.uses.door].inside -= 1;
        for cap in held.uses.caps {
            self.caps[cap].taken -= 1;
        }
    }

    /// Lends a trial's place to others. What else it uses it keeps.
    pub(crate) fn lend(&mut self, seat: SeatId) {
        if let Some(held) = self.held.get_mut(&seat)
            && held.is_placed
        {
            held.is_placed = false;
            self.places.taken -= 1;
        }
    }

    /// Asks for the place back that a trial lent. Returns whether it has it already.
    pub(crate) fn want_back(&mut self, seat: SeatId) -> bool {
        let lent = self.held.get(&seat).is_some_and(|held| !held.is_placed);
        if lent && !self.returning.contains(&seat) {
            self.returning.push_back(seat);
        }
        !lent
    }

    /// Narrows a door: none goes in before a time, and then so many at once.
    pub(crate) fn narrow(&mut self, door: usize, until: Instant, most: Option<u32>) {
        let door = &mut self.doors[door];
        door.closed_until = Some(door.closed_until.map_or(until, |closed| closed.max(until)));
        door.most = most.or(door.most);
    }

    /// Says how many may go through a door at once from now on.
    pub(crate) fn widen(&mut self, door: usize, most: Option<u32>) {
        self.doors[door].most = most;
    }

    /// Returns how many trials are beyond a door.
    pub(crate) fn inside(&self, door: usize) -> u32 {
        self.doors[door].inside
    }

    /// Turns away everyone who waits to begin.
    pub(crate) fn turn_away(&mut self) {
        self.waiting.clear();
    }

    /// Grants what there is room for, and returns to whom. `may` is asked last, of each trial that fits.
    pub(crate) fn grant_if(&mut self, now: Instant, mut may: impl FnMut(SeatId) -> bool) -> Vec<SeatId> {
        let mut granted = Vec::new();
        while self.places.has_room()
            && let Some(seat) = self.returning.pop_front()
        {
            if let Some(held) = self.held.get_mut(&seat) {
                held.is_placed = true;
                self.places.taken += 1;
                granted.push(seat);
            }
        }
        let mut at = 0;
        while self.places.has_room() && at < self.waiting.len() {
            let (seat, uses) = &self.waiting[at];
            if !self.fits(uses, now) || !may(*seat) {
                at += 1;
                continue;
            }
            let Some((seat, uses)) = self.waiting.remove(at) else { break };
            self.places.taken += 1;
            self.doors[uses.door].inside += 1;
            for cap in &uses.caps {
                self.caps[*cap].taken += 1;
            }
            self.held.insert(seat, Held { uses, is_placed: true });
            granted.push(seat);
        }
        granted
    }

    /// Returns when a closed door that somebody waits at opens next.
    pub(crate) fn next_opening(&self, now: Instant) -> Option<Instant> {
        let doors = self.waiting.iter().filter_map(|(_, uses)| self.doors[uses.door].closed_until);
        doors.filter(|until| *until > now).min()
    }

    fn fits(&self, uses: &Uses, now: Instant) -> bool {
        self.doors[uses.door].has_room(now) && uses.caps.iter().all(|cap| self.caps[*cap].has_room())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    impl Ledger {
        fn grant(&mut self, now: Instant) -> Vec<SeatId> {
            self.grant_if(now, |_| true)
        }
    }

    fn uses(caps: &[usize], door: usize) -> Uses {
        Uses { caps: caps.to_vec(), door }
    }

    #[test]
    fn what_fits_need_not_wait_behind_what_does_not() {
        let now = Instant::now();
        let mut ledger = Ledger::new(3, [1, 1], 1);
        for (seat, caps) in [(1, &[0][..]), (2, &[0]), (3, &[1]), (4, &[]), (5, &[])] {
            ledger.ask(seat, uses(caps, 0));
        }
        assert_eq!(ledger.grant(now), [1, 3, 4], "2 lacks its limit, 5 a place");
        ledger.leave(4);
        assert_eq!(ledger.grant(now), [5]);
        ledger.leave(1);
        assert_eq!(ledger.grant(now), [2], "it came before any that asks now");
    }

    #[test]
    fn everything_is_granted_at_once_or_nothing_is_taken() {
        let now = Instant::now();
        let mut ledger = Ledger::new(8, [1, 1], 1);
        ledger.ask(1, uses(&[0], 0));
        ledger.ask(2, uses(&[0, 1], 0));
        ledger.ask(3, uses(&[1], 0));
        assert_eq!(ledger.grant(now), [1, 3], "2 holds nothing while it waits, so 3 is not kept from its own");
        ledger.leave(3);
        assert!(ledger.grant(now).is_empty());
        ledger.leave(1);
        assert_eq!(ledger.grant(now), [2]);
    }

    #[test]
    fn a_narrowed_door_keeps_its_own_trials_and_no_others() {
        let now = Instant::now();
        let later = now + Duration::from_secs(3);
        let mut ledger = Ledger::new(4, [], 2);
        ledger.narrow(0, later, Some(1));
        for (seat, door) in [(1, 0), (2, 0), (3, 1), (4, 1)] {
            ledger.ask(seat, uses(&[], door));
        }
        assert_eq!(ledger.grant(now), [3, 4]);
        assert_eq!(ledger.next_opening(now), Some(later));
        assert_eq!(ledger.grant(later), [1], "one at a time");
        assert_eq!(ledger.next_opening(later), None);
        ledger.narrow(0, now, None);
        assert!(ledger.grant(now).is_empty(), "an earlier end shortens nothing, and a limit stays");
        ledger.widen(0, None);
        assert_eq!(ledger.grant(later), [2]);
    }

    #[test]
    fn a_lent_place_comes_back_before_new_trials_begin() {
        let now = Instant::now();
        let mut ledger = Ledger::new(1, [1], 1);
        ledger.ask(1, uses(&[0], 0));
        assert_eq!(ledger.grant(now), [1]);
        assert!(ledger.want_back(1), "it was not lent");
        ledger.ask(2, uses(&[], 0));
        ledger.ask(3, uses(&[0], 0));
        ledger.lend(1);
        ledger.lend(1);
        assert_eq!(ledger.grant(now), [2], "3 still finds the limit taken");
        assert!(!ledger.want_back(1));
        ledger.ask(4, uses(&[], 0));
        assert!(ledger.grant(now).is_empty());
        ledger.leave(2);
        assert_eq!(ledger.grant(now), [1]);
        ledger.leave(1);
        assert_eq!(ledger.grant(now), [3]);
    }

    #[test]
    fn who_may_not_begin_yet_holds_nothing_and_is_asked_again() {
        let now = Instant::now();
        let mut ledger = Ledger::new(2, [1], 1);
        for (seat, caps) in [(1, &[0][..]), (2, &[0]), (3, &[])] {
            ledger.ask(seat, uses(caps, 0));
        }
        assert_eq!(ledger.grant_if(now, |seat| seat != 1), [2, 3]);
        ledger.leave(2);
        assert_eq!(ledger.grant(now), [1]);
        ledger.ask(4, uses(&[], 0));
        ledger.turn_away();
        ledger.leave(1);
        assert!(ledger.grant(now).is_empty());
    }

    #[test]
    fn one_that_ends_while_its_place_is_lent_gives_back_what_it_had() {
        let now = Instant::now();
        let mut ledger = Ledger::new(1, [1], 1);
        ledger.ask(1, uses(&[0], 0));
        ledger.grant(now);
        ledger.lend(1);
        ledger.want_back(1);
        ledger.leave(1);
        ledger.leave(1);
        assert_eq!(ledger.inside(0), 0);
        for seat in [2, 3] {
            ledger.ask(seat, uses(&[0], 0));
        }
        assert_eq!(ledger.grant(now), [2]);
    }
}
