//! The answers of a comparison, and where its noise comes from.

use mst_measure::stats::{
    Answer, Comparison, MARGIN, NoiseShares, PairedChange, Remedy, Simulation, noise_shares, power, smallest_drop,
};
use serde_json::json;

use super::{PairedCase, paired_cases};

fn answer(cases: &[PairedCase], margin: f64) -> Answer {
    Answer::of(&PairedChange::of(cases, 1), margin)
}

#[test]
fn a_comparison_has_three_answers() {
    use Answer::{CannotTell, NotWorse, Worse};
    for (cases, margin, want) in [
        // Nothing in common, and one case alone.
        (json!([]), MARGIN, CannotTell),
        (json!([[1, 1, 1, 1, 1]]), MARGIN, CannotTell),
        // The paired test decides first.
        (json!([[3, 3, 0, 3, 12], [3, 3, 3, 3, 48]]), MARGIN, Worse),
        (json!([[3, 3, 0, 3, 12], [3, 3, 3, 3, 48]]), 0.9, Worse),
        (json!([[0, 3, 3, 3, 12], [1, 3, 0, 3, 12]]), MARGIN, NotWorse),
        // Unclear: the interval's lower end is -0.025 with 120 cases, and -0.27 with 12.
        (json!([[1, 1, 1, 1, 119], [1, 1, 0, 1, 1]]), MARGIN, NotWorse),
        (json!([[1, 1, 1, 1, 119], [1, 1, 0, 1, 1]]), 0.02, CannotTell),
        (json!([[1, 1, 1, 1, 11], [1, 1, 0, 1, 1]]), MARGIN, CannotTell),
    ] {
        assert_eq!(answer(&paired_cases(&cases), margin), want, "{cases} at {margin}");
    }
}

#[test]
fn a_comparison_says_what_it_could_have_seen() {
    let simulation = Simulation { draws: 1_000, seed: 4 };
    let of = |cases: serde_json::Value| Comparison::of(&paired_cases(&cases), MARGIN, simulation);
    // Five cases can never be called worse.
    assert_eq!(of(json!([[3, 3, 3, 3, 5]])).smallest_drop, None);
    let cases = json!([[3, 3, 3, 3, 30], [3, 3, 2, 3, 10], [2, 3, 3, 3, 10], [1, 3, 1, 3, 10]]);
    let once = of(cases.clone());
    let drop = once.smallest_drop.unwrap();
    assert!(drop > 0.05 && drop < 0.15, "{drop}");
    assert_eq!(of(cases.clone()).smallest_drop, Some(drop), "the same seed gives the same drop");
    // What it names is what the test then sees four times in five.
    let design = mst_measure::stats::as_observed(&paired_cases(&cases));
    let seen = power(&design, drop, Simulation { draws: 2_000, seed: 5 });
    assert!((seen - 0.8).abs() < 0.05, "{seen}");
    assert_eq!(smallest_drop(&design[..5], simulation), None);
}

fn shares(case: f64, trial: f64, judge: Option<f64>, remedy: Remedy) -> NoiseShares {
    NoiseShares { case, trial, judge, remedy }
}

#[test]
fn noise_is_shared_among_cases_trials_and_the_judge() {
    use Remedy::{MoreCases, MoreTrials, SteadierJudge};
    let one = |trials: &[f64]| vec![trials.iter().map(|value| vec![*value]).collect::<Vec<_>>()];
    let pair = |old: &[f64], new: &[f64]| [one(old), one(new)].concat();
    for (what, cases, want) in [
        ("nothing", vec![], None),
        ("one case", vec![one(&[1.0, 0.0])], None),
        ("one trial a case", vec![one(&[1.0]), one(&[0.0])], None),
        ("nothing varies", vec![one(&[1.0, 1.0]), one(&[1.0, 1.0])], None),
        ("cases", vec![one(&[1.0, 1.0]), one(&[0.0, 0.0])], Some(shares(1.0, 0.0, None, MoreCases))),
        ("trials", vec![one(&[1.0, 0.0]), one(&[1.0, 0.0])], Some(shares(0.0, 1.0, None, MoreTrials))),
        // Means 1, 1, 0.5, 0: variance 11/48; within a case 1/8, half of it in a mean of two.
        (
            "both",
            vec![one(&[1.0, 1.0]), one(&[1.0, 1.0]), one(&[1.0, 0.0]), one(&[0.0, 0.0])],
            Some(shares(8.0 / 11.0, 3.0 / 11.0, None, MoreCases)),
        ),
        ("the judge", vec![vec![vec![vec![1.0, 0.0]; 2]]; 2], Some(shares(0.0, 0.0, Some(1.0), SteadierJudge))),
        // Cases of different difficulty, neither of which changed: a comparison does not see them.
        (
            "trials of a change",
            vec![pair(&[1.0, 1.0], &[1.0, 1.0]), pair(&[0.0, 1.0], &[0.0, 1.0])],
            Some(shares(0.0, 1.0, None, MoreTrials)),
        ),
        (
            "cases that changed",
            vec![pair(&[1.0, 1.0], &[0.0, 0.0]), pair(&[0.0, 0.0], &[0.0, 0.0]), pair(&[1.0, 1.0], &[])],
            Some(shares(1.0, 0.0, None, MoreCases)),
        ),
    ] {
        match (noise_shares(&cases), want) {
            (Some(got), Some(want)) => {
                let near = |got: f64, want: f64| (got - want).abs() < 1e-12;
                assert!(near(got.case, want.case) && near(got.trial, want.trial), "{what}: {got:?}");
                assert!(near(got.judge.unwrap_or(2.0), want.judge.unwrap_or(2.0)), "{what}: {got:?}");
                assert_eq!(got.remedy, want.remedy, "{what}");
            }
            (got, want) => assert_eq!(got, want, "{what}"),
        }
    }
}
