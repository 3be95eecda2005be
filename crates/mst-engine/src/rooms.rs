//! The task that grants room. It owns the [`Ledger`] and the [`BudgetLedger`] and does nothing else, so that a grant never
//! waits for the disk, for grading or for a server.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use mst_ext::{ClientSignal, Listener};
use mst_model::Provider;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};

use crate::attempt::Place;
use crate::budget::{Answer, BudgetLedger, Kind, Work};
use crate::budget_limit::BudgetReached;
use crate::event::RunEvent;
use crate::ledger::{Ledger, SeatId, Uses};
use crate::message::Message;
use crate::spent::Spent;
use crate::throttling::Throttling;

/// How often a provider's throttling is told at most.
const TOLD_EVERY: Duration = Duration::from_secs(5);

/// How long a provider is waited for before a trial begins, at most.
const LONGEST_CLOSED: Duration = Duration::from_mins(1);

/// A piece of work that a budget lets in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Piece {
    place: Place,
    kind: Kind,
    /// Which of the run's pairwise judges, from 0; of other work 0.
    judge: usize,
}

impl Piece {
    /// A trial that is collected and graded.
    pub(crate) fn trial(place: Place) -> Self {
        Self { place, kind: Kind::Trial, judge: 0 }
    }

    /// The verdicts on a stored trial.
    pub(crate) fn verdicts(place: Place) -> Self {
        Self { place, kind: Kind::Verdicts, judge: 0 }
    }

    /// A pairwise judge's preference, by the candidate's place.
    pub(crate) fn comparison(place: Place, judge: usize) -> Self {
        Self { place, kind: Kind::Comparison, judge }
    }
}

/// What is asked of the task.
#[derive(Debug)]
enum Request {
    /// Room for a trial.
    Room { seat: SeatId, place: Place, uses: Uses, answer: oneshot::Sender<Room>, desk: RoomDesk },
    /// Leave to have judges asked about stored trials.
    Leave { piece: Piece, answer: oneshot::Sender<()> },
    /// A piece of work is done: what it used is known.
    Settled { piece: Piece, spent: Spent },
    /// A trial ended.
    Left(SeatId),
    /// A trial waits for a provider.
    Waits { seat: SeatId, provider: Provider },
    /// A trial that waited goes on once it has its place.
    Resume { seat: SeatId, answer: oneshot::Sender<()> },
    /// A provider refused a call for now.
    Refused { door: usize, provider: Provider, retry_after: Duration, concurrency: Option<u32> },
    /// A provider keeps up again.
    Eased { door: usize, concurrency: Option<u32> },
}

/// The way to the task. Clones lead to the same one; it ends when the last is gone.
#[derive(Clone, Debug)]
pub(crate) struct RoomDesk {
    requests: mpsc::UnboundedSender<Request>,
    /// How many seats there are.
    seats: Arc<AtomicU64>,
    /// Whether the run has a budget.
    has_budget: bool,
    /// Why nothing more begins, once the budget is reached.
    reached: Arc<OnceLock<BudgetReached>>,
}

/// The place of one worker: it runs one trial at a time.
#[derive(Clone, Debug)]
pub(crate) struct Seat {
    id: SeatId,
    uses: Uses,
    desk: RoomDesk,
}

/// Room for one trial, given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Room {
    seat: SeatId,
    desk: RoomDesk,
}

impl Drop for Room {
    fn drop(&mut self) {
        self.desk.send(Request::Left(self.seat));
    }
}

impl RoomDesk {
    /// Makes a way and the task at its end, which is to be run.
    pub(crate) fn new(
        ledger: Ledger,
        budget: Option<BudgetLedger<Piece>>,
        throttling: Arc<Throttling>,
        observer: mpsc::WeakSender<Message>,
    ) -> (Self, Rooms) {
        let (sender, requests) = mpsc::unbounded_channel();
        let has_budget = budget.is_some();
        let reached: Arc<OnceLock<BudgetReached>> = Arc::default();
        let rooms = Rooms {
            requests,
            ledger,
            budget,
            reached: Arc::clone(&reached),
            leaves: Vec::new(),
            throttling,
            observer,
            asking: HashMap::new(),
            returning: HashMap::new(),
            waits: HashMap::new(),
            told: HashMap::new(),
        };
        (Self { requests: sender, seats: Arc::default(), has_budget, reached }, rooms)
    }

    /// Waits until judges may be asked about stored trials; `false` when the budget is reached or the run ends.
    pub(crate) async fn leave(&self, piece: Piece) -> bool {
        if !self.has_budget {
            return true;
        }
        let (answer, granted) = oneshot::channel();
        self.send(Request::Leave { piece, answer });
        granted.await.is_ok()
    }

    /// Says what a piece of work used that is done.
    pub(crate) fn settle(&self, piece: Piece, spent: Spent) {
        if self.has_budget {
            self.send(Request::Settled { piece, spent });
        }
    }

    /// Returns why nothing more began, when the budget was reached.
    pub(crate) fn reached(&self) -> Option<&BudgetReached> {
        self.reached.get()
    }

    /// Makes the place of a worker whose trials all use the same.
    pub(crate) fn seat(&self, uses: Uses) -> Seat {
        Seat { id: self.seats.fetch_add(1, Ordering::Relaxed), uses, desk: self.clone() }
    }

    fn send(&self, request: Request) {
        // It ends before its clients only when the whole run ends.
        let _gone = self.requests.send(request);
    }
}

impl Seat {
    /// Waits for room for a trial; `None` when the budget is reached or the run ends.
    pub(crate) async fn room(&self, place: Place) -> Option<Room> {
        let (answer, granted) = oneshot::channel();
        let desk = self.desk.clone();
        self.desk.send(Request::Room { seat: self.id, place, uses: self.uses.clone(), answer, desk });
        granted.await.ok()
    }
}

#[async_trait]
impl Listener for Seat {
    fn tell(&self, signal: ClientSignal) {
        let door = self.uses.door;
        self.desk.send(match signal {
            ClientSignal::RateLimited { provider, retry_after, concurrency } => {
                Request::Refused { door, provider, retry_after, concurrency }
            }
            ClientSignal::Eased { concurrency, .. } => Request::Eased { door, concurrency },
            ClientSignal::Waits { provider } => Request::Waits { seat: self.id, provider },
        });
    }

    async fn resume(&self) {
        let (answer, granted) = oneshot::channel();
        self.desk.send(Request::Resume { seat: self.id, answer });
        // Nobody is left to answer only when the run ends.
        let _gone = granted.await;
    }
}

/// Who waits for room, and for what trial.
struct Asker {
    place: Place,
    answer: oneshot::Sender<Room>,
    desk: RoomDesk,
}

/// The task's state.
pub(crate) struct Rooms {
    requests: mpsc::UnboundedReceiver<Request>,
    ledger: Ledger,
    budget: Option<BudgetLedger<Piece>>,
    reached: Arc<OnceLock<BudgetReached>>,
    throttling: Arc<Throttling>,
    observer: mpsc::WeakSender<Message>,
    asking: HashMap<SeatId, Asker>,
    /// Who waits for leave to ask judges.
    leaves: Vec<(Piece, oneshot::Sender<()>)>,
    returning: HashMap<SeatId, oneshot::Sender<()>>,
    /// Whom trials wait for, and since when.
    waits: HashMap<SeatId, (Provider, Instant)>,
    /// When each provider's throttling was told of last.
    told: HashMap<Provider, Instant>,
}

impl Rooms {
    /// Grants room until nobody can ask for any.
    pub(crate) async fn run(mut self) {
        loop {
            let opening = self.ledger.next_opening(Instant::now());
            tokio::select! {
                request = self.requests.recv() => match request {
                    Some(request) => self.take(request),
                    None => return,
                },
                () = sleep_until(opening.unwrap_or_else(Instant::now)), if opening.is_some() => {}
            }
            while let Ok(request) = self.requests.try_recv() {
                self.take(request);
            }
            self.grant();
        }
    }

    fn grant(&mut self) {
        let now = Instant::now();
        let Self { ledger, budget, asking, .. } = self;
        let granted = ledger.grant_if(now, |seat| {
            let asked = budget.as_mut().zip(asking.get(&seat));
            asked.is_none_or(|(budget, asker)| begins(budget, Piece::trial(asker.place), now))
        });
        for seat in granted {
            if let Some(Asker { answer, desk, .. }) = self.asking.remove(&seat) {
                // One that no longer asks drops the room, and that gives it back.
                let _gone = answer.send(Room { seat, desk });
            } else if let Some(answer) = self.returning.remove(&seat) {
                let _gone = answer.send(());
            }
        }
        if let Some(budget) = &mut self.budget {
            for (piece, answer) in std::mem::take(&mut self.leaves) {
                if begins(budget, piece, now) {
                    let _gone = answer.send(());
                } else {
                    self.leaves.push((piece, answer));
                }
            }
            if let Some(reached) = budget.reached() {
                self.reached.get_or_init(|| reached.clone());
                // Whoever waits learns from the closed channel that it will not begin.
                self.leaves.clear();
                self.asking.clear();
                self.ledger.turn_away();
            }
        }
    }

    fn take(&mut self, request: Request) {
        match request {
            Request::Room { seat, place, uses, answer, desk } => {
                self.asking.insert(seat, Asker { place, answer, desk });
                self.ledger.ask(seat, uses);
            }
            Request::Leave { piece, answer } => self.leaves.push((piece, answer)),
            Request::Settled { piece, spent } => {
                if let Some(budget) = &mut self.budget {
                    budget.settle(piece, &spent, Instant::now());
                }
            }
            Request::Left(seat) => {
                self.waited(seat);
                self.returning.remove(&seat);
                self.ledger.leave(seat);
            }
            Request::Waits { seat, provider } => {
                self.waits.insert(seat, (provider, Instant::now()));
                self.ledger.lend(seat);
            }
            Request::Resume { seat, answer } => {
                self.waited(seat);
                if self.ledger.want_back(seat) {
                    let _gone = answer.send(());
                } else {
                    self.returning.insert(seat, answer);
                }
            }
            Request::Refused { door, provider, retry_after, concurrency } => {
                // A client does not wait for longer than that either: its trials begin, and end as what they are.
                let closed_for = if retry_after > LONGEST_CLOSED { Duration::ZERO } else { retry_after };
                self.ledger.narrow(door, Instant::now() + closed_for, concurrency);
                let concurrency = concurrency.unwrap_or_else(|| self.ledger.inside(door));
                let refused = self.throttling.refused(provider, concurrency);
                self.say(RunEvent::Throttled { provider, refused, concurrency, seconds: retry_after.as_secs_f64() });
            }
            Request::Eased { door, concurrency } => self.ledger.widen(door, concurrency),
        }
    }

    /// Counts the time that a trial waited for a provider.
    fn waited(&mut self, seat: SeatId) {
        if let Some((provider, since)) = self.waits.remove(&seat) {
            self.throttling.waited(provider, since.elapsed());
        }
    }

    /// Tells of a provider's throttling, now and then.
    fn say(&mut self, event: RunEvent) {
        let RunEvent::Throttled { provider, .. } = event else { return };
        let now = Instant::now();
        if self.told.get(&provider).is_some_and(|told| now.duration_since(*told) < TOLD_EVERY) {
            return;
        }
        self.told.insert(provider, now);
        if let Some(observer) = self.observer.upgrade() {
            // A full queue drops a notice, never a trial.
            let _full = observer.try_send(Message::Event(event));
        }
    }
}

/// Asks the budget whether a piece of work may begin.
fn begins(budget: &mut BudgetLedger<Piece>, piece: Piece, now: Instant) -> bool {
    budget.ask(piece, Work { variant: piece.place.variant, kind: piece.kind }, now) == Answer::Begin
}
