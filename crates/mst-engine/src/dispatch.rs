//! The dispatcher: the one task that owns the run's directory and all its state.
//!
//! It takes each trial, scrubbed, saves it before anything else can fail, has it graded beside, saves the scores as they
//! come, and tells the observer. It runs on a thread of its own, so that waiting for the disk never holds up a trial.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use mst_grading::{Graded, KnownTools, PatternThreads};
use mst_measure::{AnswerSize, TrialRow, TrialVerdict};
use mst_model::{
    GraderScore, Phase, RUN_FORMAT, RunId, RunRecord, ScoreRecord, Scrubbed, Scrubber, Seed, ServerReadiness,
    Timestamp, TrialRecord, Usage, VariantName,
};
use mst_store::{EvalLayout, Graders, OptionKey, RunReader, RunWriter, StoreError};
use tokio::sync::mpsc;
use tokio::task::{JoinError, JoinSet};
use tokio::time::MissedTickBehavior;

use crate::attempt::Place;
use crate::collection::Collection;
use crate::event::{Observer, RunEvent, TrialState};
use crate::from_disk::{FromDisk, Saved};
use crate::grading::{Done, Grading, Ungraded};
use crate::joining::Joining;
use crate::message::Message;
use crate::pairwise::HeldTrials;
use crate::ready::ReadyBatch;
use crate::record::{is_offline_client, replay_note, run_record, stored_variant, variant_record};
use crate::rooms::Piece;
use crate::spent::Spent;
use crate::verdict_cache::VerdictCache;
use crate::watching::Watching;

/// How often what was written is synced to the disk: a power cut loses at most about this much.
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// How many ids of its second a run tries.
const MOST_IDS: u32 = 100;

/// The most new trials that wait to be graded: when grading is that far behind, collecting waits for it.
const MOST_UNGRADED: usize = 2000;

/// How many different warnings a run tells of: a server that says something new in every trial must not fill the screen.
const MOST_WARNINGS: usize = 50;

/// The dispatcher's state.
pub(crate) struct Dispatcher {
    pub(crate) collection: Arc<Collection>,
    pub(crate) eval: EvalLayout,
    pub(crate) created_at: Timestamp,
    pub(crate) writer: Option<RunWriter>,
    pub(crate) key: Option<OptionKey>,
    /// How many trials were saved, kept ones left out.
    pub(crate) saved: usize,
    /// How far the results are joined.
    pub(crate) joining: Joining,
    /// Trials of a redacted run that are kept until they are compared.
    pub(crate) held: HeldTrials,
    pub(crate) readiness: BTreeMap<VariantName, Vec<ServerReadiness>>,
    /// The variants that finished, as indices of the plan.
    pub(crate) finished: Vec<usize>,
    pub(crate) observer: Box<dyn Observer>,
    pub(crate) warnings: Vec<String>,
    pub(crate) patterns: PatternThreads,
    pub(crate) grading: Grading,
    /// Trials that are saved and will be read again to be graded: those that came while enough others were being graded,
    /// and those that a resumed run kept.
    pub(crate) from_disk: FromDisk,
    /// Whether it was told that the budget cannot be held.
    pub(crate) told_unmeasured: bool,
    /// Reads them; opened with the first.
    pub(crate) reader: Option<RunReader>,
    /// Who graded in an earlier part of the run, when judges did.
    pub(crate) earlier_graders: Option<Graders>,
    /// The comparison that decides when the run may stop.
    pub(crate) watching: Option<Watching>,
    /// How far each variant is.
    pub(crate) variants: Vec<VariantState>,
}

/// How far a variant is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct VariantState {
    /// How many of its saved trials are not graded yet.
    ungraded: usize,
    /// Whether all of its trials were sent.
    is_sent: bool,
}

impl Dispatcher {
    /// Takes messages until every sender is gone.
    ///
    /// # Errors
    /// The first failure to write; everything saved before it stays.
    pub(crate) async fn run(&mut self, mut messages: mpsc::Receiver<Message>) -> Result<(), StoreError> {
        let mut second = tokio::time::interval(SYNC_EVERY);
        second.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut syncing = JoinSet::new();
        let mut is_open = true;
        while is_open || !self.grading.is_idle() || !self.from_disk.is_empty() {
            self.grade_from_disk()?;
            tokio::select! {
                message = messages.recv(), if is_open && self.can_take() => match message {
                    Some(message) => self.take(message)?,
                    None => is_open = false,
                },
                Some(done) = self.grading.next() => self.graded(done.map_err(ended_badly)?)?,
                _ = second.tick(), if syncing.is_empty() => {
                    let now = self.collection.deps.clock.now();
                    if let Some(due) = self.writer.as_mut().and_then(|writer| writer.due_sync(now)) {
                        syncing.spawn_blocking(move || due.sync());
                    }
                }
                Some(synced) = syncing.join_next() => synced_or_error(synced)?,
            }
        }
        while let Some(synced) = syncing.join_next().await {
            synced_or_error(synced)?;
        }
        Ok(())
    }

    /// Returns whether a message can be taken. A redacted run's trials cannot be read again to be graded, so that it takes
    /// no more of them than are graded at once; another takes more, but not for ever.
    fn can_take(&self) -> bool {
        let is_far_behind = self.from_disk.new.len() >= MOST_UNGRADED;
        self.grading.has_room() || !(self.collection.bound.plan.redact_stored_responses || is_far_behind)
    }

    fn take(&mut self, message: Message) -> Result<(), StoreError> {
        match message {
            Message::Trial { place, record, ready } => self.trial(place, *record, ready),
            Message::VariantDone(variant) => {
                self.await_kept(variant);
                self.variants[variant].is_sent = true;
                if self.variants[variant].ungraded > 0 && self.writer.is_some() {
                    self.write_record(Phase::Partial, self.phase_of_grading(), None)?;
                }
                self.finish_variants()
            }
            Message::Event(event) => {
                self.tell(&event);
                Ok(())
            }
        }
    }

    pub(crate) fn tell(&mut self, event: &RunEvent) {
        if let RunEvent::Warning { message } = event {
            if self.warnings.len() > MOST_WARNINGS || self.warnings.contains(message) {
                return;
            }
            self.warnings.push(message.clone());
            if self.warnings.len() > MOST_WARNINGS {
                let message = "further warnings stand in the trials' own files".to_owned();
                return self.observer.event(&RunEvent::Warning { message });
            }
        }
        self.observer.event(event);
    }

    /// Saves a trial, and has it graded.
    fn trial(&mut self, place: Place, record: Scrubbed<TrialRecord>, ready: Arc<ReadyBatch>) -> Result<(), StoreError> {
        let collection = Arc::clone(&self.collection);
        let plan = &collection.bound.plan;
        let is_first = self.writer.is_none();
        self.open_writer()?;
        // Another run may have taken the id that this one meant to have.
        let run_id = self.writer().record().run_id.clone();
        let record =
            if record.get().run_id == run_id { record } else { record.map(|trial| TrialRecord { run_id, ..trial }) };
        self.note_readiness(&plan.variants[place.variant].name, &ready);
        self.warn_of(record.get());
        self.writer().save_trial(&record)?;
        self.saved += 1;
        if plan.redact_stored_responses {
            self.held.note(&collection, place, &record);
            self.joining.answers.note(place, place.planned(plan).trials, AnswerSize::of(record.get()));
        }
        if is_first {
            self.checkpoint()?;
        }
        self.variants[place.variant].ungraded += 1;
        if !collection.options.grade || record.get().ending.is_infrastructure() {
            let done = Done::without_grades(
                Ungraded { place, record, ready, earlier: IndexMap::new(), is_new: true },
                &collection,
            );
            return self.graded(done);
        }
        if self.grading.has_room() {
            self.grading.start(Ungraded { place, record, ready, earlier: IndexMap::new(), is_new: true });
        } else {
            self.from_disk.new.push_back(Saved { place, ready, is_new: true });
        }
        Ok(())
    }

    /// Reads saved trials to be graded, as many as may be graded now.
    fn grade_from_disk(&mut self) -> Result<(), StoreError> {
        let collection = Arc::clone(&self.collection);
        while let Some(Saved { place, ready, is_new }) = self.from_disk.next(&self.grading) {
            if self.reader.is_none() {
                let reader = self.writer().reader()?;
                if collection.bound.plan.has_judges || collection.regraded.is_some() {
                    self.earlier_graders = Some(reader.graders()?);
                }
                self.reader = Some(reader);
            }
            let reader = self.reader.as_ref().expect("it was opened above");
            let key = place.key(&collection.bound.plan);
            let record = collection.scrubber.scrub(reader.trial_view(&key)?);
            // What judges said in an earlier part of the run was paid for, and is not asked again.
            let earlier = match &self.earlier_graders {
                Some(graders) if !is_new => reader.score_views(&key, graders)?,
                _ => IndexMap::new(),
            };
            let earlier = earlier.into_iter().map(|(grader, score)| (grader, score.score)).collect();
            self.grading.start(Ungraded { place, record, ready, earlier, is_new });
        }
        Ok(())
    }

    /// Saves what the graders said of a trial.
    fn graded(&mut self, done: Done) -> Result<(), StoreError> {
        let Done { place, record, graded, is_noted, row, earlier, is_new, spent } = done;
        let collection = Arc::clone(&self.collection);
        self.settle(place, record.get(), is_new, spent);
        if is_noted {
            self.writer().replace_trial(&record)?;
        }
        for (grader, score) in graded.iter().flat_map(|graded| &graded.scores) {
            let score = score_record(
                (self.writer().record().run_id.clone(), record.get()),
                grader,
                score,
                &collection.scrubber,
            );
            if earlier.get(grader) != Some(&score.score) {
                self.writer().save_score(&score)?;
            }
        }
        if let Some(graded) = &graded {
            let key = place.key(&collection.bound.plan);
            for grader in earlier.keys().filter(|grader| !graded.scores.contains_key(*grader)) {
                self.writer().remove_score(grader, &key)?;
            }
        }
        self.tell_of_cache();
        for message in graded.iter().flat_map(|graded| varying_judges(record.get(), graded)) {
            self.tell(&RunEvent::Warning { message });
        }
        if is_new {
            let key = place.key(&collection.bound.plan);
            self.tell(&RunEvent::TrialSaved {
                variant: key.variant,
                case_id: key.case_id,
                trial: key.trial,
                state: state_of(&row),
                cost_usd: row.usage.as_ref().and_then(Usage::cost_usd),
            });
        }
        self.watch(place, row.verdict);
        self.variants[place.variant].ungraded -= 1;
        self.joining.note_graded(place);
        self.join_ahead()?;
        self.finish_variants()
    }

    /// Tells once what is wrong with the cache of verdicts.
    pub(crate) fn tell_of_cache(&mut self) {
        let collection = Arc::clone(&self.collection);
        if let Some(message) = collection.judges.cache().and_then(VerdictCache::take_warning) {
            self.tell(&RunEvent::Warning { message });
        }
    }

    /// Tells the budget what a trial used, and the user once that it cannot be held.
    fn settle(&mut self, place: Place, trial: &TrialRecord, is_new: bool, judges: Spent) {
        let collection = Arc::clone(&self.collection);
        let budget = &collection.options.budget;
        if budget.is_none() {
            return;
        }
        let client = &collection.bound.plan.variants[place.variant].batches[place.batch].client;
        let used = if is_new { Spent::of_client(trial, is_offline_client(client)) } else { Spent::default() };
        let spent = used.join(judges);
        if let Some(why) = budget.lacks(&spent).filter(|_| !self.told_unmeasured) {
            self.told_unmeasured = true;
            let message = format!("the budget cannot be held any more, so no further trial starts: {why}");
            self.tell(&RunEvent::Warning { message });
        }
        let piece = if is_new { Piece::trial(place) } else { Piece::verdicts(place) };
        collection.rooms.settle(piece, spent);
    }

    /// Writes the run with each variant that is over and graded, in the plan's order.
    fn finish_variants(&mut self) -> Result<(), StoreError> {
        while let Some(next) = self.variants.get(self.finished.len())
            && next.is_sent
            && next.ungraded == 0
        {
            self.finished.push(self.finished.len());
            if self.writer.is_some() && self.finished.len() < self.variants.len() {
                self.checkpoint()?;
            }
        }
        Ok(())
    }

    /// Notes the trials that a resumed run keeps, to be graded again from their stored transcripts.
    fn await_kept(&mut self, variant: usize) {
        let collection = Arc::clone(&self.collection);
        let plan = &collection.bound.plan;
        if collection.kept.is_empty() {
            return;
        }
        let ready = Arc::new(ReadyBatch { tools: self.known_tools(variant), servers: Vec::new() });
        for (batch, planned) in plan.variants[variant].batches.iter().enumerate() {
            for (case, planned) in planned.cases.iter().enumerate() {
                for trial in 0..planned.trials {
                    let place = Place { variant, batch, case, trial };
                    if collection.kept.contains(place) {
                        self.from_disk.kept.push_back(Saved { place, ready: Arc::clone(&ready), is_new: false });
                        self.variants[variant].ungraded += 1;
                    }
                }
            }
        }
    }

    /// Returns the tools that a variant's servers listed when they were first checked.
    pub(crate) fn known_tools(&self, variant: usize) -> KnownTools {
        let servers = self.readiness.get(&self.collection.bound.plan.variants[variant].name);
        servers
            .into_iter()
            .flatten()
            .map(|server| (server.observation.label.as_str().into(), server.tools.iter().cloned().collect()))
            .collect()
    }

    fn note_readiness(&mut self, variant: &VariantName, ready: &ReadyBatch) {
        let scrubber = self.collection.scrubber.clone();
        let mut warnings = Vec::new();
        let known = self.readiness.entry(variant.clone()).or_default();
        for observation in &ready.servers {
            if known.iter().any(|server| server.observation.label == observation.label) {
                continue;
            }
            let tools = ready.tools.get(observation.label.as_str()).into_iter().flatten().cloned().collect();
            let found = scrubber.scrub(ServerReadiness { tools, observation: observation.clone() }).into_inner();
            warnings.extend(observation_warnings(&found.observation));
            known.push(found);
        }
        for message in warnings {
            self.tell(&RunEvent::Warning { message });
        }
    }

    /// Tells of what a trial showed that the user should know, once each.
    fn warn_of(&mut self, trial: &TrialRecord) {
        let Some(diagnostics) = &trial.client_diagnostics else { return };
        let messages: Vec<String> = diagnostics
            .servers
            .iter()
            .flat_map(observation_warnings)
            .chain(diagnostics.notes.iter().cloned())
            .collect();
        for message in messages {
            self.tell(&RunEvent::Warning { message });
        }
    }

    /// Makes the run's directory with the first saved trial, so that a refused run leaves nothing.
    pub(crate) fn open_writer(&mut self) -> Result<(), StoreError> {
        if self.writer.is_none() {
            let collection = &self.collection;
            let key = OptionKey::open(&self.eval, collection.options.option_key.as_deref())?;
            let mut record: RunRecord = run_record(
                &collection.bound.plan,
                collection.run_id.clone(),
                self.created_at,
                &collection.deps.version,
                collection.options.grade,
            );
            record.option_key = Some(key.fingerprint());
            record.judges = collection.judges.recorded(&collection.bound.plan);
            if let Some(replay) = &collection.options.replay {
                record.notes.push(replay_note(replay));
                record.replayed = Some(replay.clone());
            }
            let record = collection.scrubber.scrub(record).into_inner();
            self.writer = Some(create_writer(&self.eval, record, collection.deps.seed)?);
            self.key = Some(key);
        }
        Ok(())
    }

    pub(crate) fn writer(&mut self) -> &mut RunWriter {
        self.writer.as_mut().expect("the writer is opened before anything is saved")
    }

    /// Returns how far the grading is while the run goes on.
    pub(crate) fn phase_of_grading(&self) -> Phase {
        if self.collection.options.grade { Phase::Partial } else { Phase::Skipped }
    }

    /// Writes `run.json` with the variants that were collected to their end.
    pub(crate) fn write_record(
        &mut self,
        collect: Phase,
        grade: Phase,
        at: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        let record = self.make_record(collect, grade, at);
        self.writer().save_run_record(record)
    }

    /// Makes `run.json` of the variants that were collected to their end.
    pub(crate) fn make_record(&self, collect: Phase, grade: Phase, finished_at: Option<Timestamp>) -> RunRecord {
        let collection = Arc::clone(&self.collection);
        let key = self.key.as_ref().expect("the key is opened with the writer");
        // A variant whose trials are there is recorded before they are graded: whoever grades the rest of a killed run needs
        // to know what collected them.
        let sent = self.variants.iter().take_while(|variant| variant.is_sent).count();
        let variants = collection.bound.plan.variants[..sent].iter().map(|planned| {
            let readiness = self.readiness.get(&planned.name).cloned().unwrap_or_default();
            let (bound, deps) = (&collection.bound, &collection.deps);
            let made = match &collection.regraded {
                Some(stored) => stored_variant(Some(&stored.record), bound, planned, key, deps),
                None => variant_record(bound, planned, key, readiness, deps),
            };
            collection.scrubber.scrub(made).into_inner()
        });
        let mut record = self.writer.as_ref().expect("opened").record().clone();
        record.variants = variants.collect();
        record.phases.collect = collect;
        record.phases.grade = grade;
        record.throttling = collection.throttling.seen();
        (record.sequential, record.selection) = self.watched(record.selection);
        record.partial |= collection.decided.is_cancelled();
        let note = collection.rooms.reached().map(|reached| collection.scrubber.text(&reached.to_string()));
        record.notes.extend(note.filter(|note| !record.notes.contains(note)));
        // A clock that was set back must not make a run end before it began.
        record.finished_at = finished_at.map(|at| at.max(record.created_at));
        record
    }
}

/// Makes the run's directory; where another run of the same second has taken its id, under the next one.
fn create_writer(eval: &EvalLayout, mut record: RunRecord, seed: Seed) -> Result<RunWriter, StoreError> {
    /// Any odd number goes through all ids of a second; this one goes far apart (the golden ratio's part of 2^24).
    const STEP: u32 = 0x9e_3779;
    let Seed([high, middle, low, ..]) = seed;
    for attempt in 0..MOST_IDS {
        let number = u32::from_be_bytes([0, high, middle, low]).wrapping_add(attempt * STEP);
        let [_, high, middle, low] = number.to_be_bytes();
        record.run_id = RunId::new(record.created_at, [high, middle, low]);
        match RunWriter::create(eval, record.clone()) {
            Err(StoreError::Exists(_)) => {}
            done => return done,
        }
    }
    Err(StoreError::Exists(eval.run(&record.run_id).root().to_owned()))
}

/// Unwraps a sync's outcome; a sync that panicked is the disk's error as far as the run can tell.
pub(crate) fn synced_or_error(synced: Result<Result<(), StoreError>, JoinError>) -> Result<(), StoreError> {
    synced.unwrap_or_else(|error| Err(ended_badly(error)))
}

fn ended_badly(error: JoinError) -> StoreError {
    StoreError::Io(std::io::Error::other(error))
}

/// Returns what the user should know of a server: stray output and other faults, each naming the server.
fn observation_warnings(observation: &mst_model::ServerObservation) -> Vec<String> {
    let label = &observation.label;
    let named =
        |text: &String| if text.contains(label.as_str()) { text.clone() } else { format!("server {label}: {text}") };
    observation.warnings.iter().map(named).collect()
}

/// Says which judges of a trial disagree with themselves.
fn varying_judges<'a>(trial: &'a TrialRecord, graded: &'a Graded) -> impl Iterator<Item = String> + 'a {
    let varying = graded.scores.values().filter(|score| score.high_variance == Some(true));
    varying.map(move |score| {
        format!(
            "case {:?}, trial {}: the scores of the judge {:?} vary much over its reps (standard deviation {:.2})",
            trial.case_id.as_str(),
            trial.trial,
            score.judge_name.as_deref().unwrap_or_default(),
            score.score_std_dev.unwrap_or_default()
        )
    })
}

fn score_record(
    (run_id, trial): (RunId, &TrialRecord),
    grader: &mst_model::GraderName,
    score: &GraderScore,
    scrubber: &Scrubber,
) -> ScoreRecord {
    scrubber
        .scrub(ScoreRecord {
            format: RUN_FORMAT.to_owned(),
            kind: "score".to_owned(),
            run_id,
            grader: grader.clone(),
            variant: trial.variant.clone(),
            case_id: trial.case_id.clone(),
            trial: trial.trial,
            score: score.clone(),
        })
        .into_inner()
}

fn state_of(row: &TrialRow) -> TrialState {
    match row.verdict {
        TrialVerdict::Passed => TrialState::Passed,
        TrialVerdict::Failed => TrialState::Failed,
        TrialVerdict::Ungraded => TrialState::Ungraded,
        TrialVerdict::Infrastructure => TrialState::Infrastructure,
    }
}
