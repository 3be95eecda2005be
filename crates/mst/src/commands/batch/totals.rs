//! A batch in numbers.

use mst_cli::{ExitClass, plural};
use serde_json::{Value, json};

use super::item::Item;

/// How many evals came to what. Each counts once.
pub(super) struct Totals {
    evals: usize,
    passed: usize,
    failed: usize,
    incomplete: usize,
    errors: usize,
    skipped: usize,
    not_run: usize,
    /// What the whole batch came to.
    pub(super) class: ExitClass,
}

impl Totals {
    /// Counts.
    pub(super) fn of(items: &[Item<'_>]) -> Self {
        let count = |is: fn(&Item<'_>) -> bool| items.iter().filter(|item| is(item)).count();
        Self {
            evals: items.len(),
            passed: count(|item| matches!(item, Item::Ran(..)) && item.class() == ExitClass::Success),
            failed: count(|item| matches!(item, Item::Ran(..)) && item.class() == ExitClass::Failed),
            incomplete: count(|item| {
                matches!(item, Item::Ran(..)) && !matches!(item.class(), ExitClass::Success | ExitClass::Failed)
            }),
            errors: count(|item| matches!(item, Item::Failed(_))),
            skipped: count(|item| matches!(item, Item::Skipped(_))),
            not_run: count(|item| matches!(item, Item::NotRun)),
            class: ExitClass::first(items.iter().map(Item::class)),
        }
    }

    /// Returns the counts as `--json` prints them.
    pub(super) fn to_json(&self) -> Value {
        json!({ "evals": self.evals, "passed": self.passed, "failed": self.failed, "incomplete": self.incomplete,
            "errors": self.errors, "skipped": self.skipped, "notRun": self.not_run })
    }

    /// Returns the counts in a line, without those that are nought and tell nothing.
    pub(super) fn words(&self) -> String {
        let always = [(self.passed, "passed"), (self.failed, "failed")];
        let told = [
            (self.incomplete, "incomplete"),
            (self.errors, "with an error"),
            (self.skipped, "skipped"),
            (self.not_run, "not run"),
        ];
        let told = told.into_iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> =
            always.into_iter().chain(told).map(|(count, what)| format!("{count} {what}")).collect();
        format!("{}: {}", plural(self.evals, "eval"), parts.join(", "))
    }
}
