//! Copying a run into the result store after it was made.

use std::path::Path;
use std::sync::Arc;

use mst_cli::{CliError, ExitClass, SystemClock, Ui, plural, printable, usage, wait_for};
use mst_config::{LoadRequest, SelectionFlags, load};
use mst_model::Clock;
use mst_store::{EvalLayout, RunReader, StoreError, UploadAs, find_run, read_latest};

use crate::args::RunsUploadArgs;
use crate::{builtins, error, result_store};

/// Copies the run. One that is the eval's latest becomes the store's.
pub(super) fn run(args: &RunsUploadArgs, ui: &Ui) -> Result<(), CliError> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let request = LoadRequest {
        config_path: args.config.clone(),
        root_dir: Path::new(".").to_owned(),
        output_dir: args.output_dir.clone(),
        selection: SelectionFlags::default(),
        // Nothing is run here.
        allow_live_writes: true,
        catalog: builtins::catalog(clock),
    };
    let loaded = load(&request).map_err(error::diagnostics)?;
    let stored = result_store::of_eval(args.results.results.as_deref(), &loaded)?.ok_or_else(|| {
        usage("the eval config names no result store")
            .with_hint("name one: --results file:DIR, or \"results\" in the config")
    })?;
    let local = |error: StoreError| {
        let class = if error.is_machine_fault() { ExitClass::Machine } else { ExitClass::Usage };
        CliError::new(class, error.to_string())
    };
    let failed = |error| result_store::failed(&error);
    let eval = EvalLayout::new(&loaded.output_dir);
    let run = find_run(&eval, &args.run).map_err(local)?;
    let reader = RunReader::open(run.clone()).map_err(local)?;
    let record = reader.record().view();
    if record.eval_name != loaded.plan.name {
        let (of, not) = (&record.eval_name, &loaded.plan.name);
        return Err(usage(format!("run {} is of the eval {of:?}, not of {not:?}", record.run_id)));
    }
    // What a copy left that failed is no run, and may be replaced.
    let is_whole = stored.manifest(&record.run_id).map_err(failed)?.is_some();
    let upload = if is_whole { UploadAs::New } else { UploadAs::Again };
    let work = |cancel: tokio_util::sync::CancellationToken| {
        let (stored, run) = (&stored, &run);
        async move { stored.upload(run, &record.run_id, upload, &|| cancel.is_cancelled()) }
    };
    let uploaded = wait_for(work)?.map_err(failed)?;
    let latest = run.eval().map(|eval| read_latest(&eval)).transpose().map_err(local)?.flatten();
    if latest.is_some_and(|latest| latest.run_id == record.run_id) {
        stored.become_latest(record).map_err(failed)?;
    }
    result_store::update_history(&stored, ui);
    ui.status(&printable(&format!("Kept in {}: {}", stored.location(), plural(uploaded.files, "file"))));
    Ok(())
}
