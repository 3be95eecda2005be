//! Progress: a display that redraws itself on a terminal, a plain line now and then elsewhere.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::numbers::{duration, money};
use crate::printable::printable_line;
use crate::ui::Ui;

/// How often a plain line is printed at most.
const PLAIN_EVERY: Duration = Duration::from_secs(10);

/// A trial that is over.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialDone {
    /// What it is called.
    pub name: String,
    /// Whether it failed.
    pub failed: bool,
    /// Whether something around it broke.
    pub broken: bool,
    /// Its cost in USD, when known.
    pub cost_usd: Option<f64>,
}

/// What has been counted so far.
#[derive(Clone, Debug, Default, PartialEq)]
struct Tally {
    total: usize,
    done: usize,
    failed: usize,
    broken: usize,
    cost_usd: Option<f64>,
    last_failure: Option<String>,
}

impl Tally {
    fn add(&mut self, trial: &TrialDone) {
        self.done += 1;
        self.failed += usize::from(trial.failed);
        self.broken += usize::from(trial.broken);
        if let Some(cost) = trial.cost_usd {
            *self.cost_usd.get_or_insert(0.0) += cost;
        }
        if trial.failed {
            self.last_failure = Some(printable_line(&trial.name));
        }
    }

    fn is_over(&self) -> bool {
        self.done >= self.total
    }

    /// Returns the counts in words: failing now, cost so far, time left at the pace so far.
    fn words(&self, elapsed: Duration) -> String {
        let mut parts = Vec::new();
        if self.failed > 0 {
            let last = self.last_failure.as_ref().map(|name| format!(" (last: {name})")).unwrap_or_default();
            parts.push(format!("{} failed{last}", self.failed));
        }
        if self.broken > 0 {
            parts.push(format!("{} broken", self.broken));
        }
        parts.extend(self.cost_usd.map(money));
        if self.done > 0 && !self.is_over() {
            let each = elapsed.as_secs_f64() / self.done as f64;
            parts.push(format!("{} left", duration(each * (self.total - self.done) as f64)));
        }
        parts.join(", ")
    }
}

/// Trials done, failing now, cost so far, time left.
#[derive(Debug)]
pub struct Progress {
    ui: Ui,
    bar: ProgressBar,
    started: Instant,
    said: Instant,
    tally: Tally,
}

impl Progress {
    /// Makes a display that shows nothing yet.
    pub fn new(ui: &Ui) -> Self {
        let now = Instant::now();
        Self { ui: ui.clone(), bar: ProgressBar::hidden(), started: now, said: now, tally: Tally::default() }
    }

    /// Begins, with a number of trials.
    pub fn start(&mut self, total: usize) {
        self.tally = Tally { total, ..Tally::default() };
        self.started = Instant::now();
        self.said = self.started;
        if self.ui.is_interactive() {
            self.bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{bar:24} {pos}/{len} trials  {wide_msg}");
            self.bar.set_style(style.expect("a template of known keys").progress_chars("=> "));
            self.bar.enable_steady_tick(Duration::from_millis(250));
        }
    }

    /// Names what is going on.
    pub fn message(&mut self, text: &str) {
        self.bar.set_message(printable_line(text));
    }

    /// Counts a trial that is over.
    pub fn trial_done(&mut self, trial: &TrialDone) {
        self.tally.add(trial);
        let words = self.tally.words(self.started.elapsed());
        self.bar.set_position(self.tally.done as u64);
        self.bar.set_message(words.clone());
        if self.tally.is_over() {
            self.bar.finish_and_clear();
        } else if !self.ui.is_interactive() && self.said.elapsed() >= PLAIN_EVERY {
            self.said = Instant::now();
            self.ui.status(&format!("{}/{} trials  {words}", self.tally.done, self.tally.total));
        }
    }

    /// Prints something else without tearing the display.
    pub fn aside(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_told_in_words() {
        let mut tally = Tally { total: 4, ..Tally::default() };
        let trial = |failed, broken, cost_usd| TrialDone { name: "v/a\u{1b}\nb".to_owned(), failed, broken, cost_usd };
        let mut told = vec![tally.words(Duration::ZERO)];
        for done in [trial(false, false, None), trial(true, false, Some(0.5)), trial(false, true, Some(0.25))] {
            tally.add(&done);
            told.push(tally.words(Duration::from_mins(1)));
        }
        tally.add(&trial(false, false, None));
        told.push(tally.words(Duration::from_secs(80)));
        insta::assert_snapshot!(told.join("\n"), @r"

        3 min 0 s left
        1 failed (last: v/a\u{1b}\nb), $0.5000, 1 min 0 s left
        1 failed (last: v/a\u{1b}\nb), 1 broken, $0.7500, 20.0 s left
        1 failed (last: v/a\u{1b}\nb), 1 broken, $0.7500
        ");
    }
}
