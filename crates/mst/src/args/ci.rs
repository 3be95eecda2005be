//! Flags for those who run evals in continuous integration.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};

/// What a run leaves for the machines around it.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Continuous integration")]
pub(crate) struct CiFlags {
    /// Write a JUnit report: a suite a variant, a test a case
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Write what a pull request's readers need in Markdown; appended to $GITHUB_STEP_SUMMARY when that is the file
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,
    /// Write failed cases as SARIF 2.1.0, each at its line in its dataset
    #[arg(long, value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,
    /// Write a badge in SVG
    #[arg(long, value_name = "FILE")]
    pub(crate) badge: Option<PathBuf>,
    /// Print GitHub's annotations of failed cases on stderr
    #[arg(long)]
    pub(crate) github: bool,
    /// What the run fails on: `cases` (a case failed), `worse` (the tested change says so), `regressed` (a case passed in
    /// the previous run); several with commas between them [default: cases]
    #[arg(long, value_name = "GATE", value_delimiter = ',', value_parser = gate())]
    pub(crate) fail_on: Vec<FailOn>,
    /// Cases that may fail, each with a reason, as a JSON list; one that passes fails the run until it is removed
    #[arg(long, value_name = "FILE")]
    pub(crate) known_failures: Option<PathBuf>,
    /// Rewrite that list so that it holds what fails now; reasons stay
    #[arg(long, requires = "known_failures")]
    pub(crate) update_known_failures: bool,
}

/// What a run can fail on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailOn {
    /// The tested change says worse: of a variant against the baseline variant, or of a lone variant since the previous run
    Worse,
    /// A case that passed in the previous run failed
    Regressed,
    /// A case failed
    Cases,
}

impl FailOn {
    /// Every gate, in the order in which they are told.
    pub(crate) const ALL: [Self; 3] = [Self::Worse, Self::Regressed, Self::Cases];

    /// Returns the gate's name, as typed.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Worse => "worse",
            Self::Regressed => "regressed",
            Self::Cases => "cases",
        }
    }
}

impl CiFlags {
    /// Returns the files that are written, each with its flag.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&'static str, &PathBuf)> {
        let files = [
            ("--junit", &self.junit),
            ("--markdown", &self.markdown),
            ("--sarif", &self.sarif),
            ("--badge", &self.badge),
        ];
        files.into_iter().filter_map(|(flag, file)| Some((flag, file.as_ref()?)))
    }

    /// Returns the first flag that was typed.
    pub(crate) fn typed(&self) -> Option<&'static str> {
        let others = [
            ("--github", self.github),
            ("--fail-on", !self.fail_on.is_empty()),
            ("--known-failures", self.known_failures.is_some()),
        ];
        let others = others.into_iter().filter(|(_, typed)| *typed).map(|(flag, _)| flag);
        self.files().map(|(flag, _)| flag).chain(others).next()
    }
}

/// Reads a gate's name.
fn gate() -> impl clap::builder::TypedValueParser<Value = FailOn> {
    let named =
        |name: String| FailOn::ALL.into_iter().find(|gate| gate.name() == name).expect("it is a possible value");
    PossibleValuesParser::new(FailOn::ALL.map(FailOn::name)).map(named)
}
