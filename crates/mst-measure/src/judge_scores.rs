//! The scores of judges among those of a trial: found, counted and joined.

use indexmap::IndexMap;
use mst_model::{GraderName, GraderScore};

/// What graders of judges are called before their judge's name.
const PREFIX: &str = "judge.";

/// What they are called together where they are joined.
const JOINED: &str = "judge";

/// What counts of one judge on one trial: it came to a verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgeReading {
    /// The judge's name in results.
    pub judge: String,
    /// Whether the trial passed it.
    pub pass: bool,
    /// Its score, 0 to 1.
    pub score: Option<f64>,
}

/// Returns the score of each judge of a trial with the judge's name in results, whether they stand one by one
/// (`judge.<name>`, as stored) or joined under `judge` (as in `results.json`).
pub fn judge_scores(scores: &IndexMap<GraderName, GraderScore>) -> impl Iterator<Item = (&str, &GraderScore)> {
    scores.iter().flat_map(|(grader, score)| {
        if let Some(name) = grader.as_str().strip_prefix(PREFIX) {
            return vec![(name, score)];
        }
        match &score.judge_results {
            _ if grader != JOINED => Vec::new(),
            Some(entries) => entries.iter().map(|entry| (name_of(entry), entry)).collect(),
            None => vec![(name_of(score), score)],
        }
    })
}

fn name_of(score: &GraderScore) -> &str {
    score.judge_name.as_deref().unwrap_or(JOINED)
}

/// Returns what counts of a trial's judges: one that skipped, could not tell, or gave no verdict is left out.
pub fn judge_readings(scores: &IndexMap<GraderName, GraderScore>) -> Vec<JudgeReading> {
    let counts =
        |score: &GraderScore| score.skipped != Some(true) && score.unknown != Some(true) && score.error.is_none();
    judge_scores(scores)
        .filter(|(_, score)| counts(score))
        .map(|(judge, score)| JudgeReading { judge: judge.to_owned(), pass: score.pass, score: score.score })
        .collect()
}

/// Returns a trial's scores with those of its judges joined under `judge`, where the first of them stood.
///
/// A judge alone is there as it is; several have an entry each in `judgeResults`. Together they pass when each of them does
/// that did not skip, they skip when all do, and they have no verdict when one of them has none and every other passes, as
/// the trial has then. Usage is that of the entries, and is not repeated.
pub(crate) fn joined_judges(scores: &IndexMap<GraderName, GraderScore>) -> IndexMap<GraderName, GraderScore> {
    let entries: Vec<GraderScore> = judge_scores(scores)
        .map(|(name, score)| GraderScore { judge_name: Some(name.to_owned()), ..score.clone() })
        .collect();
    let is_judge = |grader: &GraderName| grader.as_str().starts_with(PREFIX) || grader == JOINED;
    let mut entries = Some(entries);
    let mut joined = IndexMap::with_capacity(scores.len());
    for (grader, score) in scores {
        if !is_judge(grader) {
            joined.insert(grader.clone(), score.clone());
        } else if let Some(entries) = entries.take() {
            joined.insert(JOINED.into(), together(entries));
        }
    }
    joined
}

fn together(mut entries: Vec<GraderScore>) -> GraderScore {
    if entries.len() == 1 {
        return entries.remove(0);
    }
    let live = || entries.iter().filter(|entry| entry.skipped != Some(true));
    let failed = live().any(|entry| !entry.pass && entry.error.is_none() && entry.unknown != Some(true));
    let unknown = !failed && live().any(|entry| entry.unknown == Some(true));
    let faulty = live().find(|entry| entry.error.is_some()).filter(|_| !failed && !unknown);
    let error = faulty.map(|entry| format!("{}: {}", name_of(entry), entry.error.as_deref().unwrap_or_default()));
    GraderScore {
        pass: !failed && !unknown && error.is_none(),
        skipped: (live().count() == 0).then_some(true),
        unknown: unknown.then_some(true),
        error,
        judge_results: Some(entries),
        ..GraderScore::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(short: char) -> GraderScore {
        match short {
            'P' => GraderScore { score: Some(1.0), ..GraderScore::passed() },
            'F' => GraderScore { score: Some(0.0), ..GraderScore::failed("no") },
            '?' => GraderScore { unknown: Some(true), ..GraderScore::default() },
            '-' => GraderScore { skipped: Some(true), ..GraderScore::passed() },
            _ => GraderScore::no_verdict("500"),
        }
    }

    fn scores(short: &str) -> IndexMap<GraderName, GraderScore> {
        let judges = short.chars().enumerate().map(|(n, c)| (GraderName::new(format!("judge.j{n}")), one(c)));
        let first = (GraderName::from("regex"), one('P'));
        let last = (GraderName::from("writes"), one('P'));
        [first].into_iter().chain(judges).chain([last]).collect()
    }

    #[test]
    fn several_judges_are_one_score_with_an_entry_each() {
        for (short, pass, skipped, unknown, error) in [
            ("PP", true, false, false, None),
            ("PF", false, false, false, None),
            ("P-", true, false, false, None),
            ("--", true, true, false, None),
            ("P?", false, false, true, None),
            ("?F", false, false, false, None),
            ("PE", false, false, false, Some("j1: 500")),
            ("E?", false, false, true, None),
            ("EF", false, false, false, None),
        ] {
            let joined = joined_judges(&scores(short));
            assert_eq!(joined.keys().map(GraderName::as_str).collect::<Vec<_>>(), ["regex", "judge", "writes"]);
            let judge = &joined["judge"];
            assert_eq!((judge.pass, judge.skipped == Some(true)), (pass, skipped), "{short}");
            assert_eq!((judge.unknown == Some(true), judge.error.as_deref()), (unknown, error), "{short}");
            let entries = judge.judge_results.as_ref().unwrap();
            assert_eq!(entries.len(), 2);
            assert_eq!(entries[1].judge_name.as_deref(), Some("j1"));
            assert_eq!(judge_readings(&joined), judge_readings(&scores(short)), "{short}: joined or not");
        }
    }

    #[test]
    fn one_judge_stands_under_judge_as_it_is_and_none_leaves_no_trace() {
        let joined = joined_judges(&scores("F"));
        assert_eq!(joined["judge"], GraderScore { judge_name: Some("j0".to_owned()), ..one('F') });
        assert_eq!(judge_readings(&joined), [JudgeReading { judge: "j0".to_owned(), pass: false, score: Some(0.0) }]);
        assert_eq!(joined_judges(&scores("")), scores(""));
    }

    #[test]
    fn skips_unknowns_and_missing_verdicts_are_no_readings() {
        let read = judge_readings(&scores("P?-EF"));
        assert_eq!(read.iter().map(|reading| reading.judge.as_str()).collect::<Vec<_>>(), ["j0", "j4"]);
    }
}
