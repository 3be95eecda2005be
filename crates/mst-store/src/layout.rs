//! Every path of `mst.run/v1`, by name and from typed names, so that no caller joins strings.

use std::path::{Path, PathBuf};

use mst_model::{CaseId, GraderName, RunId, ScoreRecord, TrialRecord, VariantName, path_segment};

/// One trial of a run: a variant, a case and which time it ran, from 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TrialKey {
    /// The variant.
    pub variant: VariantName,
    /// The case.
    pub case_id: CaseId,
    /// The trial, from 0.
    pub trial: u32,
}

impl TrialKey {
    /// Names a trial.
    pub fn new(variant: impl Into<VariantName>, case_id: impl Into<CaseId>, trial: u32) -> Self {
        Self { variant: variant.into(), case_id: case_id.into(), trial }
    }

    /// Returns the key of a stored trial.
    pub fn of_trial(trial: &TrialRecord) -> Self {
        Self { variant: trial.variant.clone(), case_id: trial.case_id.clone(), trial: trial.trial }
    }

    /// Returns the key of the trial that a score is about.
    pub fn of_score(score: &ScoreRecord) -> Self {
        Self { variant: score.variant.clone(), case_id: score.case_id.clone(), trial: score.trial }
    }

    fn under(&self, folder: &Path) -> PathBuf {
        folder.join(self.variant.segment()).join(self.case_id.segment())
    }
}

/// An eval's directory: its runs, and what is kept beside them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalLayout {
    root: PathBuf,
}

impl EvalLayout {
    /// Names the directory; nothing is read or made.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Returns the directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns `latest.json`.
    pub fn latest(&self) -> PathBuf {
        self.root.join("latest.json")
    }

    /// Returns `history.json`.
    pub fn history(&self) -> PathBuf {
        self.root.join("history.json")
    }

    /// Returns `history/index.html`.
    pub fn history_page(&self) -> PathBuf {
        self.root.join("history").join("index.html")
    }

    /// Returns `option-key`.
    pub fn option_key(&self) -> PathBuf {
        self.root.join("option-key")
    }

    /// Returns `calibrations/<judge>/<identity>.json`.
    pub fn calibration(&self, judge: &str, identity: &str) -> PathBuf {
        self.root.join("calibrations").join(path_segment(judge)).join(format!("{}.json", path_segment(identity)))
    }

    /// Returns `runs`.
    pub fn runs(&self) -> PathBuf {
        self.root.join("runs")
    }

    /// Returns a run's directory.
    pub fn run(&self, id: &RunId) -> RunLayout {
        RunLayout { root: self.runs().join(id.as_str()) }
    }
}

/// A run's directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunLayout {
    root: PathBuf,
}

impl RunLayout {
    /// Names the directory; nothing is read or made.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Returns the directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the run's id, when the directory is named after one.
    pub fn id(&self) -> Option<RunId> {
        self.root.file_name()?.to_str()?.parse().ok()
    }

    /// Returns the eval's directory, when the run lies in its `runs`.
    pub fn eval(&self) -> Option<EvalLayout> {
        let runs = self.root.parent()?;
        (runs.file_name()? == "runs").then(|| runs.parent().map(EvalLayout::new)).flatten()
    }

    /// Returns `run.json`.
    pub fn run_record(&self) -> PathBuf {
        self.root.join("run.json")
    }

    /// Returns `results.json`.
    pub fn results(&self) -> PathBuf {
        self.root.join("results.json")
    }

    /// Returns `summary.json`.
    pub fn summary(&self) -> PathBuf {
        self.root.join("summary.json")
    }

    /// Returns `journal.jsonl`.
    pub fn journal(&self) -> PathBuf {
        self.root.join("journal.jsonl")
    }

    /// Returns `manifest.json`, which only a run in a result store has.
    pub fn manifest(&self) -> PathBuf {
        self.root.join("manifest.json")
    }

    /// Returns `transcripts`.
    pub fn transcripts(&self) -> PathBuf {
        self.root.join("transcripts")
    }

    /// Returns `transcripts/<variant>/<case-id>/<trial>.json`.
    pub fn trial(&self, key: &TrialKey) -> PathBuf {
        key.under(&self.transcripts()).join(format!("{}.json", key.trial))
    }

    /// Returns `scores`.
    pub fn scores(&self) -> PathBuf {
        self.root.join("scores")
    }

    /// Returns `scores/<grader>/<variant>/<case-id>/<trial>.json`.
    pub fn score(&self, grader: &GraderName, key: &TrialKey) -> PathBuf {
        key.under(&self.scores().join(grader.segment())).join(format!("{}.json", key.trial))
    }

    /// Returns `scores/<pairwise judge>/<variant>/<case-id>.json`.
    pub fn preference(&self, judge: &GraderName, variant: &VariantName, case_id: &CaseId) -> PathBuf {
        self.scores().join(judge.segment()).join(variant.segment()).join(format!("{}.json", case_id.segment()))
    }

    /// Returns `labels/<judge>/<variant>/<case-id>/<trial>.json`.
    pub fn label(&self, judge: &str, key: &TrialKey) -> PathBuf {
        key.under(&self.root.join("labels").join(path_segment(judge))).join(format!("{}.json", key.trial))
    }

    /// Returns `labels/<pairwise judge>/<variant>/<case-id>/vs/<baseline>.json`.
    pub fn preference_label(&self, judge: &str, key: &TrialKey, baseline: &VariantName) -> PathBuf {
        let folder = key.under(&self.root.join("labels").join(path_segment(judge)));
        folder.join("vs").join(format!("{}.json", baseline.segment()))
    }

    /// Returns `artifacts/<variant>/<case-id>/<trial>`.
    pub fn artifacts(&self, key: &TrialKey) -> PathBuf {
        self.root.join(Self::artifacts_path(key))
    }

    /// Returns a trial's artifacts relative to the run, with `/` between segments, as its record names them.
    pub fn artifacts_path(key: &TrialKey) -> String {
        format!("artifacts/{}/{}/{}", key.variant.segment(), key.case_id.segment(), key.trial)
    }

    /// Returns `report/cases`, the scripts that hold what the report shows of cases.
    pub fn report_cases(&self) -> PathBuf {
        self.root.join("report").join("cases")
    }

    /// Returns `report/index.html`.
    pub fn report(&self) -> PathBuf {
        self.root.join("report").join("index.html")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fc25_every_case_id_is_one_segment_of_its_own() {
        let run = RunLayout::new("r");
        let long = "検".repeat(100);
        let ids = ["docs/10.1038/x", "PMID:4030", "a b%2Fc", "a b/c", &long, "Search", "search", "é", "e\u{301}", ".."];
        let mut seen = std::collections::BTreeSet::new();
        for id in ids {
            let path = run.trial(&TrialKey::new("v", id, 0));
            let parts: Vec<_> = path.components().collect();
            assert_eq!(parts.len(), 5, "{id}: {}", path.display());
            assert!(parts.iter().all(|part| part.as_os_str().len() <= 255), "{}", path.display());
            assert!(seen.insert(path), "{id} shares its place");
            // A preference's file is named after the case, so its longest name must fit too.
            let name = run.preference(&"p".into(), &"v".into(), &id.into());
            assert!(name.file_name().expect("a file").len() <= 255);
        }
    }

    #[test]
    fn paths_follow_the_format() {
        let eval = EvalLayout::new("out");
        let run = eval.run(&"20261007T182504Z-7f3c2a".parse().expect("an id"));
        let key = TrialKey::new("a&b", "c/1", 2);
        let shown = [
            eval.latest(),
            eval.calibration("rubric", "ab"),
            run.trial(&key),
            run.score(&"judge.x".into(), &key),
            run.preference_label("p", &key, &"base".into()),
            run.artifacts(&key),
        ]
        .map(|path| path.to_string_lossy().into_owned())
        .join("\n");
        insta::assert_snapshot!(shown, @r"
        out/latest.json
        out/calibrations/rubric/ab.json
        out/runs/20261007T182504Z-7f3c2a/transcripts/a%26b/c%2F1/2.json
        out/runs/20261007T182504Z-7f3c2a/scores/judge.x/a%26b/c%2F1/2.json
        out/runs/20261007T182504Z-7f3c2a/labels/p/a%26b/c%2F1/vs/base.json
        out/runs/20261007T182504Z-7f3c2a/artifacts/a%26b/c%2F1/2
        ");
        assert_eq!(run.eval(), Some(eval));
    }
}
