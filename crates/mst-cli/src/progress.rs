//! Progress: a display that redraws itself on a terminal, a plain line now and then elsewhere.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::numbers::{duration, money};
use crate::printable::printable;
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

/// Trials done, failing now, cost so far, time left.
#[derive(Debug)]
pub struct Progress {
    ui: Ui,
    bar: ProgressBar,
    started: Instant,
    said: Instant,
    total: usize,
    done: usize,
    failed: usize,
    broken: usize,
    cost_usd: Option<f64>,
    last_failure: Option<String>,
}

impl Progress {
    /// Makes a display that shows nothing yet.
    pub fn new(ui: &Ui) -> Self {
        let now = Instant::now();
        Self {
            ui: ui.clone(),
            bar: ProgressBar::hidden(),
            started: now,
            said: now,
            total: 0,
            done: 0,
            failed: 0,
            broken: 0,
            cost_usd: None,
            last_failure: None,
        }
    }

    /// Begins, with a number of trials.
    pub fn start(&mut self, total: usize) {
        self.total = total;
        self.started = Instant::now();
        self.said = self.started;
        if self.ui.is_interactive() {
            self.bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{bar:24} {pos}/{len} trials  {msg}");
            self.bar.set_style(style.expect("a template of known keys").progress_chars("=> "));
            self.bar.enable_steady_tick(Duration::from_millis(250));
        }
    }

    /// Names what is going on.
    pub fn message(&mut self, text: &str) {
        self.bar.set_message(text.to_owned());
    }

    /// Counts a trial that is over.
    pub fn trial_done(&mut self, trial: &TrialDone) {
        self.done += 1;
        self.failed += usize::from(trial.failed);
        self.broken += usize::from(trial.broken);
        if let Some(cost) = trial.cost_usd {
            *self.cost_usd.get_or_insert(0.0) += cost;
        }
        if trial.failed {
            self.last_failure = Some(printable(&trial.name));
        }
        self.bar.set_position(self.done as u64);
        self.bar.set_message(self.numbers());
        let over = self.done >= self.total;
        if over {
            self.bar.finish_and_clear();
        }
        if !self.ui.is_interactive() && !over && self.said.elapsed() >= PLAIN_EVERY {
            self.said = Instant::now();
            self.ui.status(&format!("{}/{} trials  {}", self.done, self.total, self.numbers()));
        }
    }

    /// Prints something else without tearing the display.
    pub fn aside(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }

    fn numbers(&self) -> String {
        let mut parts = Vec::new();
        if self.failed > 0 {
            let last = self.last_failure.as_ref().map(|name| format!(" (last: {name})")).unwrap_or_default();
            parts.push(format!("{} failed{last}", self.failed));
        }
        if self.broken > 0 {
            parts.push(format!("{} broken", self.broken));
        }
        parts.extend(self.cost_usd.map(money));
        if self.done > 0 && self.done < self.total {
            let each = self.started.elapsed().as_secs_f64() / self.done as f64;
            parts.push(format!("{} left", duration(each * (self.total - self.done) as f64)));
        }
        parts.join(", ")
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
