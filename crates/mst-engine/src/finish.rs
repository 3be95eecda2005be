//! Writing the run as it stands: results joined from the run's own files, the summary, `run.json`, and at the end, last,
//! `latest.json`.

use std::sync::Arc;

use mst_measure::{SummaryInput, VariantInput, VariantTally, summarise};
use mst_model::{Phase, RunRecord, Summary, Timestamp};
use mst_store::{Eligible, StoreError};

use crate::collection::Collection;
use crate::dispatch::Dispatcher;
use crate::event::RunEvent;
use crate::outcome::RunOutcome;
use crate::pairwise::Compared;
use crate::previous::CaseEnds;
use crate::work::planned_trials;

/// How a run ended.
#[derive(Clone, Copy)]
pub(crate) struct End {
    pub(crate) collect: Phase,
    pub(crate) grade: Phase,
    pub(crate) at: Option<Timestamp>,
}

/// Writes a run's end and says what it came to.
pub(crate) async fn finish(mut dispatcher: Dispatcher) -> Result<RunOutcome, StoreError> {
    let collection = Arc::clone(&dispatcher.collection);
    let graded = collection.options.grade;
    dispatcher.open_writer()?;
    let whole = dispatcher.finished.len() == collection.bound.plan.variants.len();
    let (tallies, mut tally) = dispatcher.save_results()?;
    let complete = whole && !tally.missing;
    let compared = if complete { dispatcher.compare().await? } else { Compared::default() };
    tally.compared(&compared);
    let interrupted = collection.stop.starting.is_cancelled();
    let end = End {
        collect: if complete { Phase::Complete } else { Phase::Partial },
        grade: match (graded, tally.ungraded, complete) {
            (false, ..) => Phase::Skipped,
            (true, false, true) => Phase::Complete,
            _ => Phase::Partial,
        },
        at: Some(dispatcher.ended_at(collection.deps.clock.now())),
    };
    let ends = (graded && complete).then(|| std::mem::take(&mut tally.ends));
    let (record, summary) = dispatcher.write_end(end, &tallies, &compared, ends)?;
    let eligible = complete && end.grade == Phase::Complete && !record.partial;
    let trials = (dispatcher.saved + collection.kept.len(), planned_trials(&collection.bound.plan));
    let writer = dispatcher.writer.take().expect("opened above");
    let done = writer.finish(if eligible { Eligible::Yes } else { Eligible::No })?;
    Ok(RunOutcome {
        directory: done.run.root().to_owned(),
        record,
        summary,
        failed_cases: tally.failed_cases,
        failures: tally.failures,
        incomplete: tally.incomplete,
        shortfalls: tally.shortfalls,
        trials,
        budget: collection.rooms.reached().cloned(),
        interrupted,
        is_latest: done.is_latest,
        judges: judge_models(&collection),
    })
}

impl Dispatcher {
    /// Returns when the run ended: one that is only graded to its end has ended when it was collected.
    fn ended_at(&mut self, now: Timestamp) -> Timestamp {
        let collection = Arc::clone(&self.collection);
        let is_regrade = self.writer().record().graded_from.is_some();
        let stored = collection.regraded.as_ref().filter(|_| !is_regrade);
        stored.and_then(|stored| stored.record.finished_at).unwrap_or(now)
    }

    /// Writes the run as it stands while it goes on.
    pub(crate) fn checkpoint(&mut self) -> Result<(), StoreError> {
        let grade = self.phase_of_grading();
        let results = self.save_results_so_far()?;
        self.write_end(
            End { collect: Phase::Partial, grade, at: None },
            &results.variants,
            &Compared::default(),
            None,
        )?;
        self.keep(results);
        Ok(())
    }

    /// Writes `summary.json` and then `run.json`. With how its cases ended, the run is compared with the previous one.
    fn write_end(
        &mut self,
        end: End,
        tallies: &[VariantTally],
        compared: &Compared,
        ends: Option<CaseEnds>,
    ) -> Result<(RunRecord, Summary), StoreError> {
        let collection = Arc::clone(&self.collection);
        let record = self.make_record(end.collect, end.grade, end.at);
        // How long a run took is how long it collected.
        let collected = collection.regraded.as_ref().and_then(|stored| stored.collected_at);
        let until = collected.or(end.at).unwrap_or_else(|| collection.deps.clock.now());
        let variants: Vec<VariantInput<'_>> = record
            .variants
            .iter()
            .zip(tallies)
            .zip(&self.finished)
            .map(|((record, tally), variant)| VariantInput { record, tally, pairwise: compared.of(*variant) })
            .collect();
        let mut summary = summarise(&SummaryInput {
            run: &record,
            duration_ms: (until.as_millis() - record.created_at.as_millis()).max(0) as f64,
            graded: collection.options.grade,
            variants: &variants,
        });
        if let Some(ends) = ends {
            let eval = self.eval.clone();
            let warn = |message| self.tell(&RunEvent::Warning { message });
            summary.previous_run = ends.since_previous((&record, &summary), (&collection.deps, &eval), warn);
        }
        self.writer().save_summary(&summary)?;
        self.writer().save_run_record(record.clone())?;
        Ok((record, summary))
    }
}

/// Returns the judges that variants list, each once, and those that compare variants, with the models that they ask.
fn judge_models(collection: &Collection) -> Vec<(String, Vec<String>)> {
    let mut judges = Vec::new();
    for judge in collection.bound.plan.variants.iter().flat_map(|variant| collection.judges.named(variant)) {
        if !judges.contains(&judge) {
            judges.push(judge);
        }
    }
    judges.extend(collection.pairwise.named(&collection.bound.plan));
    judges
}
