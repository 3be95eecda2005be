//! Reading the entries of `judges` lists, and which judges a case runs.

use serde_json::{Map, Value};

use super::entry::{DEFAULT_THRESHOLD, JudgeEntry, JudgeSetting};
use crate::case::EvalCase;
use crate::identity::content_hash;

/// The keys of an entry that are MST's own: a judge's schema never sees them.
pub const JUDGE_ENTRY_KEYS: [&str; 7] = ["type", "name", "threshold", "reference", "reps", "jury", "options"];

/// How many hex digits tell rubrics of own text apart.
const DIGITS: usize = 12;

impl JudgeEntry {
    /// Reads an entry that was checked: a reference alone, or an object with a `type`. `None` of anything else.
    ///
    /// The result's name is the entry's `name`, else the judge's reference; of `rubric` its built-in rubric, or
    /// `rubric-` and the beginning of the hash of its own text, so that two rubrics stay apart.
    pub fn read(value: &Value) -> Option<Self> {
        let fields = match value {
            Value::String(judge) => Map::from_iter([("type".to_owned(), judge.clone().into())]),
            Value::Object(fields) => fields.clone(),
            _ => return None,
        };
        let judge = fields.get("type")?.as_str()?;
        let judge = judge.strip_prefix("mst/judge/").unwrap_or(judge).to_owned();
        let mut options = fields.get("options").and_then(Value::as_object).cloned().unwrap_or_default();
        let own = fields.iter().filter(|(key, _)| !JUDGE_ENTRY_KEYS.contains(&key.as_str()));
        options.extend(own.map(|(key, value)| (key.clone(), value.clone())));
        let name = fields.get("name").and_then(Value::as_str).map_or_else(|| own_name(&judge, &options), str::to_owned);
        let members = fields.get("jury").and_then(Value::as_array).into_iter().flatten();
        Some(Self {
            name,
            threshold: fields.get("threshold").and_then(Value::as_f64),
            reps: fields.get("reps").and_then(Value::as_u64).and_then(|reps| u32::try_from(reps).ok()),
            reference: fields.get("reference").cloned(),
            jury: members.filter_map(|member| member.as_object().cloned()).collect(),
            judge,
            options,
        })
    }

    /// Returns the entry with what another of the same name sets in its place: what that one leaves out stays.
    #[must_use]
    fn overridden_by(mut self, other: Self) -> Self {
        self.threshold = other.threshold.or(self.threshold);
        self.reps = other.reps.or(self.reps);
        self.reference = other.reference.or(self.reference);
        self.options.extend(other.options);
        if !other.jury.is_empty() {
            self.jury = other.jury;
        }
        self
    }

    fn setting(mut self, case: &EvalCase) -> JudgeSetting {
        let answer = || case.expected.as_ref()?.get("answer").cloned();
        self.reps = self.reps.or(case.judge_reps);
        self.reference = self.reference.or_else(answer);
        self.alone()
    }

    /// Returns the setting of a case that says nothing of its judges.
    pub fn alone(self) -> JudgeSetting {
        JudgeSetting {
            threshold: self.threshold.unwrap_or(DEFAULT_THRESHOLD),
            reps: self.reps.unwrap_or(1),
            reference: self.reference,
            judge: self.judge,
            name: self.name,
            options: self.options,
            jury: self.jury,
        }
    }
}

fn own_name(judge: &str, options: &Map<String, Value>) -> String {
    match (judge, options.get("rubric")) {
        ("rubric", Some(Value::String(rubric))) => rubric.clone(),
        ("rubric", Some(rubric)) => format!("rubric-{}", &content_hash(rubric)[..DIGITS]),
        _ => judge.to_owned(),
    }
}

/// Returns the judges that a case runs, given those of the eval config or, in their place, of the variant: the case's own
/// that the list lacks, then the list's, with the case's settings where both have one of the same name.
pub fn judges_of(case: &EvalCase, list: &[JudgeEntry]) -> Vec<JudgeSetting> {
    let mut own: Vec<JudgeEntry> = case.judges.iter().filter_map(JudgeEntry::read).collect();
    let mut shared = Vec::with_capacity(list.len());
    for entry in list {
        let place = own.iter().position(|one| one.name == entry.name);
        shared.push(match place {
            Some(at) => entry.clone().overridden_by(own.remove(at)),
            None => entry.clone(),
        });
    }
    own.into_iter().chain(shared).map(|entry| entry.setting(case)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn case(judges: &Value, more: &Value) -> EvalCase {
        let mut case = json!({ "id": "c", "input": "?", "judges": judges });
        let fields = case.as_object_mut().expect("an object");
        fields.extend(more.as_object().expect("an object").clone());
        serde_json::from_value(case).expect("a case")
    }

    fn list(entries: &Value) -> Vec<JudgeEntry> {
        entries.as_array().expect("a list").iter().filter_map(JudgeEntry::read).collect()
    }

    #[test]
    fn entries_have_the_names_that_results_give() {
        for (entry, want) in [
            (json!("task-completion"), "task-completion"),
            (json!("mst/judge/criteria"), "criteria"),
            (json!("acme/judge/completeness"), "acme/judge/completeness"),
            (json!({ "type": "rubric", "rubric": "correctness" }), "correctness"),
            (json!({ "type": "rubric", "options": { "rubric": "conciseness" } }), "conciseness"),
            (json!({ "type": "rubric", "rubric": "correctness", "name": "mine" }), "mine"),
        ] {
            assert_eq!(JudgeEntry::read(&entry).expect("an entry").name, want, "{entry}");
        }
        let texts = list(
            &json!([{ "type": "rubric", "rubric": { "text": "a" } }, { "type": "rubric", "rubric": { "text": "b" } }]),
        );
        assert!(texts.iter().all(|entry| entry.name.starts_with("rubric-")));
        assert_ne!(texts[0].name, texts[1].name);
    }

    #[test]
    fn the_cases_settings_win_and_what_it_leaves_out_stays() {
        let config = list(&json!([
            { "type": "rubric", "rubric": "correctness", "threshold": 0.5, "model": "m", "provider": "openai" },
            "tool-use",
        ]));
        let judges = json!([
            { "type": "rubric", "rubric": "correctness", "threshold": 0.9, "model": "n", "reference": "42" },
            { "type": "rubric", "rubric": "conciseness" },
        ]);
        let found = judges_of(&case(&judges, &json!({ "judgeReps": 3, "expected": { "answer": "41" } })), &config);
        let names: Vec<&str> = found.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["conciseness", "correctness", "tool-use"]);
        assert_eq!((found[1].threshold, found[1].reps), (0.9, 3));
        assert_eq!(found[1].reference, Some(json!("42")));
        assert_eq!(
            Value::Object(found[1].options.clone()),
            json!({ "rubric": "correctness", "model": "n", "provider": "openai" })
        );
        assert_eq!((found[0].threshold, found[0].reference.clone()), (DEFAULT_THRESHOLD, Some(json!("41"))));
    }
}
