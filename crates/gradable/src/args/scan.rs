//! Flags of `gradable scan`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use mst_model::{Grade, RubricScore};

use super::TargetArgs;
use crate::judge::JudgeArgs;

/// Flags of `gradable scan`.
#[derive(Args, Debug)]
pub(crate) struct ScanArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// The server's name in the report; by default the one in its list, or made from its command, URL or file
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Where the report goes
    // Rustdoc would take the name in angle brackets for a tag.
    #[arg(long, value_name = "DIR", help = "Where the report goes [default: gradable-reports/<name>]")]
    pub(crate) out: Option<PathBuf>,
    /// Replace a report of another server that stands there
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten, next_help_heading = "Judge")]
    pub(crate) judge: JudgeArgs,
    /// Write what the server and the judge answer to a tape
    #[arg(long, value_name = "FILE", conflicts_with = "replay", help_heading = "Tape")]
    pub(crate) record: Option<PathBuf>,
    /// Take what the server and the judge answer from a tape: no process, no network, no key
    #[arg(long, value_name = "FILE", help_heading = "Tape")]
    pub(crate) replay: Option<PathBuf>,
    /// The directory of a run of mst, to take the sizes of the server's answers from
    #[arg(long, value_name = "RUN")]
    pub(crate) responses: Option<PathBuf>,
    /// The server's label in that run; not needed when it has one server
    #[arg(long, value_name = "LABEL", requires = "responses")]
    pub(crate) responses_server: Option<String>,
    /// Write description defects and lint findings as SARIF 2.1.0 too
    #[arg(long, value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,
    /// Exit with 1 when the score is lower: 0 to 100, or a grade from A to D
    #[arg(long, value_name = "SCORE")]
    pub(crate) fail_under: Option<FailUnder>,
    /// Print the report, or the failure, as one JSON value on stdout
    #[arg(long)]
    pub(crate) json: bool,
}

/// The least that a score must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum FailUnder {
    /// A total.
    Points(f64),
    /// A grade.
    Grade(Grade),
}

impl FailUnder {
    /// Returns whether a score is lower.
    pub(crate) fn refuses(self, score: &RubricScore) -> bool {
        match self {
            Self::Points(least) => score.total < least,
            // Grades are ordered from the best.
            Self::Grade(least) => score.grade > least,
        }
    }
}

impl std::fmt::Display for FailUnder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Points(least) => write!(f, "{least}"),
            Self::Grade(least) => f.write_str(least.as_str()),
        }
    }
}

impl FromStr for FailUnder {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.to_ascii_uppercase().as_str() {
            "A" => Ok(Self::Grade(Grade::A)),
            "B" => Ok(Self::Grade(Grade::B)),
            "C" => Ok(Self::Grade(Grade::C)),
            "D" => Ok(Self::Grade(Grade::D)),
            _ => match text.parse::<f64>() {
                Ok(points) if (0.0..=100.0).contains(&points) => Ok(Self::Points(points)),
                _ => Err("it takes a number from 0 to 100, or a grade from A to D".to_owned()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_least_score_is_points_or_a_grade() {
        assert_eq!("80".parse(), Ok(FailUnder::Points(80.0)));
        assert_eq!("b".parse(), Ok(FailUnder::Grade(Grade::B)));
        for wrong in ["", "F", "E", "101", "-1", "NaN", "80%"] {
            assert!(wrong.parse::<FailUnder>().is_err(), "{wrong}");
        }
    }
}
