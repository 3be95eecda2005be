//! Budgets: what a run may use, what it has used, and whether one more trial still fits. Pure: the time comes in as a value.
//!
//! A trial is let in only when what was used, what the trials under way will have used by the mean of those that ended, and
//! one more mean stay within each limit. Until one of a variant is known only one of its trials is under way, so that a first
//! wave cannot pass a limit together.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::Duration;

use tokio::time::Instant;

use crate::budget_limit::{Budget, BudgetLimit, BudgetReached};
use crate::spent::Spent;

/// How far a sum of doubles may pass a limit by rounding alone.
const ROUNDING: f64 = 1e-9;

/// What a piece of work is: work of the same kind uses about as much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// A trial is collected and graded.
    Trial,
    /// The judges of a stored trial are asked.
    Verdicts,
    /// A pairwise judge is asked about a case.
    Comparison,
}

/// A variant's work of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Work {
    pub(crate) variant: usize,
    pub(crate) kind: Kind,
}

/// What is said to one who asks to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Begin,
    /// Not before something under way has ended.
    Wait,
    /// Not in this run: the budget is reached.
    Never,
}

/// Amounts in the units of the limits: USD, tokens, minutes.
type Amounts = [f64; 3];

/// The sum of what ended.
#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    count: u32,
    sum: Amounts,
}

impl Sample {
    fn add(&mut self, amounts: Amounts) {
        self.count += 1;
        for (sum, amount) in self.sum.iter_mut().zip(amounts) {
            *sum += amount;
        }
    }

    fn mean(self) -> Option<Amounts> {
        (self.count > 0).then(|| self.sum.map(|sum| sum / f64::from(self.count)))
    }
}

/// What a run has used of its budget, and what is under way. `Id` names one piece of work.
#[derive(Debug)]
pub(crate) struct BudgetLedger<Id> {
    budget: Budget,
    started: Instant,
    cost_usd: f64,
    tokens: u64,
    under_way: HashMap<Id, (Work, Instant)>,
    /// What ended, by variant and kind.
    ended: HashMap<Work, Sample>,
    unmeasured: Option<(BudgetLimit, String)>,
    reached: Option<BudgetReached>,
}

impl<Id: Copy + Eq + Hash> BudgetLedger<Id> {
    /// Starts with nothing used.
    pub(crate) fn new(budget: Budget, started: Instant) -> Self {
        Self {
            budget,
            started,
            cost_usd: 0.0,
            tokens: 0,
            under_way: HashMap::new(),
            ended: HashMap::new(),
            unmeasured: None,
            reached: None,
        }
    }

    /// Returns why nothing more may begin, once that is so.
    pub(crate) fn reached(&self) -> Option<&BudgetReached> {
        self.reached.as_ref()
    }

    /// Lets a piece of work begin, unless it could pass a limit.
    pub(crate) fn ask(&mut self, id: Id, work: Work, now: Instant) -> Answer {
        if self.reached.is_some() {
            return Answer::Never;
        }
        if let Some((limit, why)) = self.unmeasured.clone() {
            return self.never(limit, now, None, Some(why));
        }
        let next = self.mean(work);
        for (unit, limit) in self.limits() {
            let is_time = matches!(limit, BudgetLimit::Minutes(_));
            let used = self.used(now)[unit];
            let mean = next.map(|amounts| amounts[unit]).or_else(|| if is_time { self.longest(now) } else { None });
            let most = match limit {
                BudgetLimit::CostUsd(most) | BudgetLimit::Minutes(most) => most,
                BudgetLimit::TokensTotal(most) => most as f64,
            };
            let fits = |amount: f64| amount <= most * (1.0 + ROUNDING);
            // Time passes for all at once, so that those under way take nothing from it.
            let waits = !self.under_way.is_empty() && !is_time;
            // A variant may cost many times what another does: its first trial shows it, and no second runs beside that.
            let is_first = !self.ended.contains_key(&work) && self.under_way.values().any(|(known, _)| *known == work);
            let may = match mean {
                _ if used >= most => return self.never(limit, now, mean, None),
                Some(mean) if is_time => fits(used + mean),
                Some(_) if is_first => false,
                Some(mean) => fits(used + self.reserved(unit, mean) + mean),
                None => is_time || self.under_way.is_empty(),
            };
            if !may {
                return if waits { Answer::Wait } else { self.never(limit, now, mean, None) };
            }
        }
        self.under_way.insert(id, (work, now));
        Answer::Begin
    }

    /// Takes in what a piece of work used that ended. What was not let in counts all the same.
    pub(crate) fn settle(&mut self, id: Id, spent: &Spent, now: Instant) {
        self.cost_usd += spent.cost_usd;
        self.tokens = self.tokens.saturating_add(spent.tokens);
        if self.unmeasured.is_none() {
            let lacks = |limit: Option<BudgetLimit>, why: &Option<String>| limit.zip(why.clone());
            self.unmeasured = lacks(self.budget.cost_usd.map(BudgetLimit::CostUsd), &spent.lacks_cost)
                .or_else(|| lacks(self.budget.tokens.map(BudgetLimit::TokensTotal), &spent.lacks_tokens));
        }
        if let Some((work, began)) = self.under_way.remove(&id)
            && spent.is_sample
        {
            let took = now.duration_since(began);
            self.ended.entry(work).or_default().add([spent.cost_usd, spent.tokens as f64, minutes(took)]);
        }
    }

    fn never(&mut self, limit: BudgetLimit, now: Instant, next: Option<f64>, unmeasured: Option<String>) -> Answer {
        let unit = self.limits().find(|(_, known)| *known == limit).map_or(0, |(unit, _)| unit);
        self.reached = Some(BudgetReached { limit, used: self.used(now)[unit], next, unmeasured });
        Answer::Never
    }

    fn limits(&self) -> impl Iterator<Item = (usize, BudgetLimit)> + use<Id> {
        let Budget { cost_usd, tokens, minutes } = self.budget;
        let limits = [
            cost_usd.map(BudgetLimit::CostUsd),
            tokens.map(BudgetLimit::TokensTotal),
            minutes.map(BudgetLimit::Minutes),
        ];
        limits.into_iter().enumerate().filter_map(|(unit, limit)| Some((unit, limit?)))
    }

    fn used(&self, now: Instant) -> Amounts {
        [self.cost_usd, self.tokens as f64, minutes(now.duration_since(self.started))]
    }

    /// Returns what those under way will have used, each by its own mean, else by the one of who asks.
    fn reserved(&self, unit: usize, otherwise: f64) -> f64 {
        let of = |work: &Work| self.mean(*work).map_or(otherwise, |amounts| amounts[unit]);
        self.under_way.values().map(|(work, _)| of(work)).sum()
    }

    /// Returns how long the oldest that is under way has taken, in minutes: one more takes at least as long.
    fn longest(&self, now: Instant) -> Option<f64> {
        let oldest = self.under_way.values().map(|(_, began)| *began).min()?;
        Some(minutes(now.duration_since(oldest)))
    }

    /// Returns the mean of what ended: of the same variant when it is known, else of all work of the kind.
    fn mean(&self, work: Work) -> Option<Amounts> {
        let own = self.ended.get(&work).and_then(|sample| sample.mean());
        own.or_else(|| {
            let mut all = Sample::default();
            for (_, sample) in self.ended.iter().filter(|(known, _)| known.kind == work.kind) {
                all.count += sample.count;
                for (sum, part) in all.sum.iter_mut().zip(sample.sum) {
                    *sum += part;
                }
            }
            all.mean()
        })
    }
}

fn minutes(duration: Duration) -> f64 {
    duration.as_secs_f64() / 60.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIAL: Work = Work { variant: 0, kind: Kind::Trial };

    fn spent(cost_usd: f64, tokens: u64) -> Spent {
        Spent { cost_usd, tokens, is_sample: true, ..Spent::default() }
    }

    fn usd(most: f64) -> Budget {
        Budget { cost_usd: Some(most), ..Budget::default() }
    }

    /// Runs trials of one cost, so many at once, and returns how many began.
    fn trials(budget: Budget, at_once: usize, each: &Spent) -> usize {
        let now = Instant::now();
        let mut ledger = BudgetLedger::new(budget, now);
        let (mut next, mut under_way) = (0, Vec::new());
        loop {
            while under_way.len() < at_once {
                match ledger.ask(next, TRIAL, now) {
                    Answer::Begin => under_way.push(next),
                    Answer::Never if under_way.is_empty() => return next,
                    Answer::Wait | Answer::Never => break,
                }
                next += 1;
            }
            assert!(!under_way.is_empty(), "it waits for nothing");
            ledger.settle(under_way.remove(0), each, now);
        }
    }

    #[test]
    fn as_many_trials_begin_as_fit_whatever_the_concurrency() {
        for at_once in [1, 2, 8, 100] {
            for (what, budget, each, want) in [
                ("0.01 ten times is 0.1 for a person", usd(0.1), spent(0.01, 9), 10),
                ("a part of a trial does not fit", usd(0.109), spent(0.01, 9), 10),
                ("the first one shows what one costs", usd(0.001), spent(0.01, 9), 1),
                ("tokens", Budget { tokens: Some(99), ..Budget::default() }, spent(0.01, 9), 11),
                ("the first limit that is met", Budget { tokens: Some(20), ..usd(1.0) }, spent(0.01, 9), 2),
            ] {
                assert_eq!(trials(budget, at_once, &each), want, "{what}, {at_once} at once");
            }
        }
    }

    #[test]
    fn until_a_cost_is_known_one_trial_is_under_way_and_then_as_many_as_fit() {
        let now = Instant::now();
        let mut ledger = BudgetLedger::new(usd(1.0), now);
        assert_eq!([1, 2].map(|id| ledger.ask(id, TRIAL, now)), [Answer::Begin, Answer::Wait]);
        // One that broke before it was billed says nothing of what a trial costs.
        ledger.settle(1, &Spent::default(), now);
        assert_eq!([2, 3].map(|id| ledger.ask(id, TRIAL, now)), [Answer::Begin, Answer::Wait]);
        ledger.settle(2, &spent(0.3, 0), now);
        assert_eq!([3, 4, 5].map(|id| ledger.ask(id, TRIAL, now)), [Answer::Begin, Answer::Begin, Answer::Wait]);
        // One that costs less than was put by for it makes room.
        ledger.settle(3, &spent(0.0, 0), now);
        assert_eq!([5, 6].map(|id| ledger.ask(id, TRIAL, now)), [Answer::Begin, Answer::Begin]);
    }

    #[test]
    fn a_variant_is_estimated_by_its_own_trials_and_judging_by_judging() {
        let now = Instant::now();
        let mut ledger = BudgetLedger::new(usd(1.0), now);
        let other = Work { variant: 1, kind: Kind::Trial };
        let verdicts = Work { variant: 0, kind: Kind::Verdicts };
        ledger.ask(1, TRIAL, now);
        ledger.settle(1, &spent(0.1, 0), now);
        assert_eq!(ledger.mean(other).map(|mean| mean[0]), Some(0.1), "until one of its own has ended");
        assert_eq!(ledger.mean(verdicts), None);
        assert_eq!([2, 3].map(|id| ledger.ask(id, other, now)), [Answer::Begin, Answer::Wait], "its first runs alone");
        ledger.settle(2, &spent(0.5, 0), now);
        assert_eq!([TRIAL, other].map(|work| ledger.mean(work).map(|mean| mean[0])), [Some(0.1), Some(0.5)]);
        assert_eq!(ledger.ask(3, other, now), Answer::Never);
        let reached = ledger.reached().expect("it was said").to_string();
        assert_eq!(reached, "the budget --max-cost-usd 1 was reached: $0.6 used, and one more uses about $0.5");
        assert_eq!(ledger.ask(4, TRIAL, now), Answer::Never, "a run that stops starts nothing more");
    }

    #[test]
    fn minutes_pass_for_all_trials_at_once() {
        let started = Instant::now();
        let at = |seconds: u64| started + Duration::from_secs(seconds);
        let budget = Budget { minutes: Some(1.0), ..Budget::default() };
        let mut ledger = BudgetLedger::new(budget, started);
        assert_eq!([1, 2].map(|id| ledger.ask(id, TRIAL, at(0))), [Answer::Begin; 2], "no first wave can pass it");
        ledger.settle(1, &spent(0.0, 0), at(20));
        assert_eq!(ledger.ask(3, TRIAL, at(40)), Answer::Begin, "it ends at 60 seconds");
        assert_eq!(ledger.ask(4, TRIAL, at(41)), Answer::Never, "it would end a second too late");
        let reached = ledger.reached().expect("it was said").to_string();
        assert!(reached.starts_with("the budget --max-minutes 1 was reached: 0.6833 minutes used"), "{reached}");
        // One that has ended and is not graded yet shows already how long one takes.
        let mut early = BudgetLedger::new(budget, started);
        assert_eq!(early.ask(1, TRIAL, at(0)), Answer::Begin);
        assert_eq!(early.ask(2, TRIAL, at(35)), Answer::Never);
        let mut late = BudgetLedger::new(budget, started);
        assert_eq!(late.ask(1, TRIAL, at(60)), Answer::Never);
    }

    #[test]
    fn what_cannot_be_measured_lets_nothing_more_begin() {
        let now = Instant::now();
        let lacking = Spent { lacks_cost: Some("no usage".to_owned()), ..spent(0.25, 7) };
        let mut ledger = BudgetLedger::new(usd(1.0), now);
        ledger.ask(1, TRIAL, now);
        ledger.settle(1, &lacking, now);
        assert_eq!(ledger.ask(2, TRIAL, now), Answer::Never);
        let reached = ledger.reached().expect("it was said");
        assert_eq!((reached.used, reached.unmeasured.as_deref()), (0.25, Some("no usage")));
        let mut tokens = BudgetLedger::new(Budget { tokens: Some(100), ..Budget::default() }, now);
        tokens.ask(1, TRIAL, now);
        tokens.settle(1, &lacking, now);
        assert_eq!(tokens.ask(2, TRIAL, now), Answer::Begin, "the limit that is set can be measured");
    }
}
