//! Reads a finished run's files and writes them once more, and does nothing else, to tell what the store alone costs.

use std::error::Error;
use std::io::Write as _;
use std::path::PathBuf;

use clap::Parser;
use mst_model::Scrubber;
use mst_store::{Eligible, EvalLayout, RunLayout, RunReader, RunWriter, TrialKey};
use serde_json::json;

/// Writes a finished run's directory once more and prints the CPU time it took.
#[derive(Parser)]
struct Arguments {
    /// The run's directory.
    run: PathBuf,
    /// An empty directory to write to.
    out: PathBuf,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let reader = RunReader::open(RunLayout::new(arguments.run))?;
    let results = reader.results()?.into_view();
    let summary = reader.summary()?.into_view();
    let scrubber = Scrubber::default();
    // A run knows its trials from the plan.
    let mut keys = Vec::new();
    for path in reader.trial_paths()? {
        keys.push(TrialKey::of_trial(reader.trial_at(&path)?.view()));
    }
    // It reads its files back to join them, so reading counts.
    let begun = cpu_ns()?;
    let graders = reader.graders()?;
    let mut trials = Vec::new();
    for key in &keys {
        let trial = reader.trial_view(key)?;
        trials.push((scrubber.scrub(trial), reader.score_views(key, &graders)?));
    }
    let record = reader.record().view().clone();
    let mut writer = RunWriter::create(&EvalLayout::new(arguments.out), record.clone())?;
    for (trial, scores) in &trials {
        writer.save_trial(trial)?;
        for score in scores.values() {
            writer.save_score(score)?;
        }
    }
    writer.save_results(&results)?;
    writer.save_summary(&summary)?;
    writer.save_run_record(record)?;
    writer.finish(Eligible::Yes)?;
    let cpu = cpu_ns()? - begun;
    writeln!(std::io::stdout(), "{}", json!({"trials": trials.len(), "cpu_ms": cpu as f64 / 1e6}))?;
    Ok(())
}

/// Returns the nanoseconds that this thread has been on a processor, from /proc/thread-self/schedstat.
fn cpu_ns() -> Result<u64, Box<dyn Error>> {
    let text = fs_err::read_to_string("/proc/thread-self/schedstat")?;
    Ok(text.split(' ').next().ok_or("schedstat is empty")?.parse()?)
}
