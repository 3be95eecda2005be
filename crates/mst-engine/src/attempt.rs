//! An attempt on its way from the client to the dispatcher: a trial record without secrets, and what grading needs.

use mst_config::{Plan, PlannedCase};
use mst_model::{
    CaseId, ClientDiagnostics, ClientRun, Ending, EvalCase, Evidence, RUN_FORMAT, RunId, Scrubbed, Scrubber,
    ServerLabel, Transcript, TrialRecord, VariantName,
};
use mst_store::TrialKey;

/// Where a trial stands in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub(crate) variant: usize,
    pub(crate) batch: usize,
    pub(crate) case: usize,
    pub(crate) trial: u32,
}

impl Place {
    /// Returns the planned case.
    pub(crate) fn planned(self, plan: &Plan) -> &PlannedCase {
        &plan.variants[self.variant].batches[self.batch].cases[self.case]
    }

    /// Returns the case as the dataset has it.
    pub(crate) fn case(self, plan: &Plan) -> EvalCase {
        let batch = &plan.variants[self.variant].batches[self.batch];
        plan.datasets[batch.dataset].cases.get(self.planned(plan).case)
    }

    /// Returns the prompt that the case's client gets.
    pub(crate) fn prompt(self, plan: &Plan) -> String {
        plan.variants[self.variant].prompt(&self.case(plan).input)
    }

    /// Returns the dataset's name.
    pub(crate) fn dataset_name(self, plan: &Plan) -> &str {
        &plan.datasets[plan.variants[self.variant].batches[self.batch].dataset].record.name
    }

    /// Returns the trial's name.
    pub(crate) fn key(self, plan: &Plan) -> TrialKey {
        let variant = plan.variants[self.variant].name.clone();
        TrialKey { variant, case_id: self.planned(plan).id.clone(), trial: self.trial }
    }
}

/// Names the trial that a record is made for.
pub(crate) struct RecordHead<'a> {
    pub(crate) run_id: &'a RunId,
    pub(crate) variant: &'a VariantName,
    pub(crate) case_id: &'a CaseId,
    pub(crate) dataset_name: &'a str,
    pub(crate) trial: u32,
    /// The only server of the variant: MCP events without a server get its label.
    pub(crate) only_server: Option<&'a ServerLabel>,
    pub(crate) evidence: Evidence,
}

/// Makes the record of an attempt and takes every known secret out of it.
pub(crate) fn record(head: &RecordHead<'_>, run: ClientRun, scrubber: &Scrubber) -> Scrubbed<TrialRecord> {
    let ending = run.resolved_ending();
    let mut events = run.events;
    if let Some(label) = head.only_server {
        for event in
            events.iter_mut().filter(|event| event.server.is_none() && event.source == mst_model::EventSource::Mcp)
        {
            event.server = Some(label.clone());
        }
    }
    for event in events.iter_mut().filter(|event| event.name.is_empty()) {
        "(no name)".clone_into(&mut event.name);
    }
    let never_ran = run.started_at.is_none() && events.is_empty() && ending.is_infrastructure();
    let transcript = (!never_ran).then(|| Transcript {
        events,
        final_text: Some(run.final_text),
        error: run.error.clone().filter(|_| !ending.is_infrastructure()),
        evidence: Some(head.evidence),
        usage: run.usage.clone(),
        model_calls: run.model_calls,
        messages: run.messages,
        started_at: run.started_at,
        completed_at: run.completed_at,
    });
    let reason = match &ending {
        Ending::Infrastructure { reason, .. } => Some(reason.clone()),
        Ending::Trial => None,
    };
    scrubber.scrub(TrialRecord {
        format: RUN_FORMAT.to_owned(),
        kind: "trial".to_owned(),
        run_id: head.run_id.clone(),
        variant: head.variant.clone(),
        case_id: head.case_id.clone(),
        dataset_name: head.dataset_name.to_owned(),
        trial: head.trial,
        duration_ms: run.duration_ms.unwrap_or(0.0),
        infrastructure_error: ending.is_infrastructure(),
        ending,
        error: run.error.or(reason),
        grading_error: None,
        transcript,
        artifacts: None,
        write_record: None,
        client_usage: run.usage,
        client_telemetry: match run.host_telemetry {
            Some(reported) => Some(reported.beside(run.telemetry)),
            None => run.telemetry,
        },
        client_metadata: None,
        skill_loads: run.skill_loads,
        client_diagnostics: Some(run.diagnostics).filter(|diagnostics: &ClientDiagnostics| !diagnostics.is_empty()),
    })
}
