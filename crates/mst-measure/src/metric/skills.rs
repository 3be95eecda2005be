//! What is measured of the skills that a trial's servers offer.
//!
//! Each is a share of the trials whose client offered skills to the model, as its `skillLoads` say; in any other trial
//! there is nothing to measure.

use mst_model::{SkillLoad, SkillLoadKind, SkillLoadVia, TrialRecord};

/// Returns whether the model loaded a skill that was not kept back; `None` where a client put the skills in the prompt.
pub(super) fn loaded(trial: &TrialRecord) -> Option<bool> {
    Some(chosen(trial)?.into_iter().any(SkillLoad::is_loaded))
}

/// Returns whether the model loaded a skill before any tool call; `None` where [`loaded`] has no value.
pub(super) fn before_tool(trial: &TrialRecord) -> Option<bool> {
    Some(chosen(trial)?.into_iter().any(|load| load.is_loaded() && load.after_tool_calls == 0))
}

/// Returns whether a skill, or a file of one, failed the check against what its server had declared. Preloads count.
pub(super) fn verification_failed(trial: &TrialRecord) -> Option<bool> {
    Some(trial.skill_loads.as_ref()?.iter().any(|load| load.verified == Some(false)))
}

/// Returns the skills that the model chose to load; `None` where all that were loaded were preloaded.
fn chosen(trial: &TrialRecord) -> Option<Vec<&SkillLoad>> {
    let skills: Vec<&SkillLoad> =
        trial.skill_loads.as_ref()?.iter().filter(|load| load.kind == SkillLoadKind::Skill).collect();
    let preloaded = !skills.is_empty() && skills.iter().all(|load| load.via == SkillLoadVia::Preload);
    (!preloaded).then(|| skills.into_iter().filter(|load| load.via != SkillLoadVia::Preload).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::metric::Measure;
    use crate::row::tests::trial;

    fn load(kind: &str, via: &str, verified: Option<bool>, after: u64) -> Value {
        let mut load = json!({ "name": "weather", "uri": "skill://weather/SKILL.md", "server": "docs", "kind": kind,
            "via": via, "afterToolCalls": after });
        if let Some(verified) = verified {
            load["verified"] = json!(verified);
        }
        load
    }

    #[test]
    fn skills_are_measured_where_they_are_offered() {
        let skill = |verified, after| load("skill", "read_skill", verified, after);
        let preload = |verified| load("skill", "preload", Some(verified), 0);
        let file = |verified| load("file", "read_resource", Some(verified), 0);
        let mut unreadable = load("skill", "read_skill", None, 0);
        unreadable["problems"] = json!(["docs closed its stdout"]);
        let (yes, no, unmeasured) = (Some(1.0), Some(0.0), None);
        for (loads, loaded, before_tool, failed) in [
            // Skills are off, or no server has any.
            (Value::Null, unmeasured, unmeasured, unmeasured),
            (json!([]), no, no, no),
            (json!([skill(Some(true), 0)]), yes, yes, no),
            (json!([skill(Some(true), 2)]), yes, no, no),
            (json!([skill(Some(true), 2), skill(Some(true), 0)]), yes, yes, no),
            (json!([skill(Some(false), 0)]), no, no, yes),
            (json!([skill(Some(false), 0), skill(Some(true), 1)]), yes, no, yes),
            // Its server declares it to change with every read.
            (json!([skill(None, 0)]), yes, yes, no),
            (json!([unreadable]), no, no, no),
            (json!([file(true)]), no, no, no),
            (json!([skill(Some(true), 0), file(false)]), yes, yes, yes),
            (json!([load("resource", "read_resource", None, 0)]), no, no, no),
            // Preloaded skills were not chosen by the model.
            (json!([preload(true)]), unmeasured, unmeasured, no),
            (json!([preload(true), file(true)]), unmeasured, unmeasured, no),
            (json!([preload(true), preload(false)]), unmeasured, unmeasured, yes),
        ] {
            let mut trial = trial();
            trial.skill_loads = serde_json::from_value(loads.clone()).unwrap();
            let got = [Measure::SkillLoaded, Measure::SkillBeforeTool, Measure::SkillVerificationFailed]
                .map(|measure| measure.of(&trial));
            assert_eq!(got, [loaded, before_tool, failed], "{loads}");
        }
    }
}
