//! `mst export`: a stored run in forms that other programs read. It streams: a run of any size needs memory for one trial.

mod csv;
mod jsonl;
mod otlp;
mod sink;

use std::path::Path;
use std::sync::Arc;

use mst_cli::{CliError, Env, ExitClass, SystemClock, Ui, usage};
use mst_model::Clock;
use mst_store::RunReader;

use self::sink::Sink;
use super::stored_run::{find_stored, store_error};
use super::target::load_eval;
use crate::args::{ExportArgs, ExportFormat};

/// Exports a run.
pub(crate) fn run(args: &ExportArgs, ui: &Ui, env: &Env) -> ExitClass {
    match stages(args, ui, env) {
        Ok(class) => class,
        Err(error) => {
            ui.error(&error);
            error.class
        }
    }
}

fn stages(args: &ExportArgs, ui: &Ui, env: &Env) -> Result<ExitClass, CliError> {
    if args.endpoint.is_some() && args.format != ExportFormat::Otlp {
        return Err(usage("--endpoint sends a trace: it goes with otlp alone"));
    }
    let eval_dir = match (&args.output_dir, &args.config) {
        (Some(dir), _) => Some(dir.clone()),
        (None, Some(config)) => {
            let clock: Arc<dyn Clock> = Arc::new(SystemClock);
            Some(load_eval(config, Path::new("."), &clock)?.output_dir)
        }
        (None, None) => None,
    };
    let layout = find_stored(&args.run, eval_dir.as_deref())?;
    let reader = RunReader::open(layout).map_err(|error| store_error(&error))?;
    if let Some(endpoint) = &args.endpoint {
        return otlp::send(&reader, endpoint, ui, env);
    }
    sink::write(args.out.as_deref(), ui, |sink| match args.format {
        ExportFormat::Otlp => otlp::write(&reader, sink),
        ExportFormat::Csv => csv::write(&reader, sink),
        ExportFormat::Jsonl => jsonl::write(&reader, sink),
    })?;
    Ok(ExitClass::Success)
}

/// Writes each trial until nobody reads any more.
fn each(
    reader: &RunReader,
    sink: &mut Sink<'_>,
    mut line: impl FnMut(&mut Sink<'_>, &mst_otlp::GradedTrial) -> Result<(), mst_store::StoreError>,
) -> Result<(), mst_store::StoreError> {
    for graded in crate::telemetry::StoredTrials::of(reader)? {
        line(sink, &graded?)?;
        if sink.is_closed() {
            break;
        }
    }
    Ok(())
}
