//! The comparison as `--json` prints it. A variant's keys are those of the summary's `previousRun`, and more.

use mst_measure::compare::Flip;
use mst_measure::stats::{Assessment, Remedy};
use mst_model::CaseId;
use serde_json::{Map, Value, json};

use super::{Compared, Comparisons, words};

/// Returns the whole.
pub(super) fn of(all: &Comparisons, margin: f64) -> Value {
    let run = |run: &super::StoredRun| json!({ "runId": run.id(), "timestamp": run.record().created_at });
    let variants: Map<String, Value> =
        all.compared.iter().map(|compared| (compared.candidate.to_string(), variant(compared))).collect();
    json!({
        "baseline": run(&all.baseline),
        "candidate": run(&all.candidate),
        "sameConfig": all.same_config,
        "margin": margin,
        "warnings": all.warnings,
        "variants": variants,
    })
}

fn variant(compared: &Compared) -> Value {
    let (cases, headline) = (&compared.cases, &compared.cases.headline);
    let change = &headline.change;
    let ids = |flips: &[Flip]| flips.iter().map(|flip| flip.id.clone()).collect::<Vec<CaseId>>();
    let tested = |flips: &[Flip]| -> Value {
        flips.iter().map(|flip| json!({ "id": flip.id, "p": flip.p, "adjusted": flip.adjusted })).collect()
    };
    let broken: Value =
        cases.broken.iter().map(|(id, case)| json!({ "id": id, "p": case.p, "adjusted": case.adjusted })).collect();
    json!({
        "baseline": compared.baseline,
        "answer": words(compared.answer),
        "assessment": assessment(cases.whole.assessment),
        "judgesDiffer": compared.is_rejudged,
        "passRate": compared.pass_rate,
        "passRateDelta": compared.pass_rate_delta,
        "trialPassRateDelta": compared.trial_pass_rate_delta,
        "change": {
            "mean": change.mean,
            "lower": change.interval.lower,
            "upper": change.interval.upper,
            "cases": change.cases,
            "pBetter": change.p_better,
            "pWorse": change.p_worse,
            "assessment": assessment(change.assessment),
        },
        "headline": if cases.guards_only { "regression" } else { "capability" },
        "differingCases": change.differing,
        "missingDiffering": change.missing_differing,
        "unevenCases": change.uneven,
        "smallestDrop": headline.smallest_drop,
        "regressed": ids(&cases.regressed),
        "improved": ids(&cases.improved),
        "added": cases.added,
        "removed": cases.removed,
        "edited": cases.edited,
        "incomplete": cases.incomplete,
        "rejudged": cases.rejudged,
        "brokenRegressionCases": broken,
        "tests": { "regressed": tested(&cases.regressed), "improved": tested(&cases.improved) },
        "noise": cases.noise.map(|noise| json!({
            "case": noise.case, "trial": noise.trial, "judge": noise.judge, "suggests": remedy(noise.remedy),
        })),
        "warnings": compared.warnings,
    })
}

fn assessment(assessment: Assessment) -> &'static str {
    match assessment {
        Assessment::Better => "better",
        Assessment::Worse => "worse",
        Assessment::Unclear => "unclear",
    }
}

/// Returns what lowers the noise the most, in words.
pub(super) fn remedy(remedy: Remedy) -> &'static str {
    match remedy {
        Remedy::MoreCases => "more cases",
        Remedy::MoreTrials => "more trials of each case",
        Remedy::SteadierJudge => "more judge reps, or a steadier judge",
    }
}
