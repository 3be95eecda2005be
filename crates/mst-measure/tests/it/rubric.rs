//! The score against two other computations: plain doubles as the method writes them, and one fraction of whole numbers.

use mst_measure::rubric::{ScoreInput, harness_metrics, rubric_score};
use mst_model::{ConfusablePair, Defect, DefectType, Grade, Severity, TaskResult, ToolFinding};
use proptest::prelude::*;

/// A scan in small numbers; tokens in quarters.
#[derive(Clone, Debug)]
struct Scan {
    results: Vec<Result>,
    defects: Vec<usize>,
    pairs: Vec<Severity>,
    definition: u32,
    response: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Result {
    correct: bool,
    well_formed: bool,
    steps: u32,
    tokens: u32,
    candidate: bool,
    confirmed: bool,
}

struct Parts {
    results: Vec<TaskResult>,
    tools: Vec<ToolFinding>,
    pairs: Vec<ConfusablePair>,
}

impl Scan {
    fn parts(&self) -> Parts {
        let result = |(index, it): (usize, &Result)| TaskResult {
            task_id: format!("t{index}"),
            chosen_tool: Some("a".to_owned()),
            arguments: None,
            well_formed: it.well_formed,
            correct: it.correct,
            steps: it.steps,
            tokens: f64::from(it.tokens) / 4.0,
            destructive_candidate: it.candidate,
            confirmed: it.confirmed,
        };
        let tool = |(index, count): (usize, &usize)| ToolFinding {
            name: format!("tool{index}"),
            destructive: false,
            definition_tokens: 0.0,
            defects: DefectType::ALL[..*count]
                .iter()
                .map(|kind| Defect { kind: *kind, reason: String::new() })
                .collect(),
            suggested_description: None,
        };
        let pair = |severity: &Severity| ConfusablePair {
            a: "a".to_owned(),
            b: "b".to_owned(),
            severity: *severity,
            reason: String::new(),
        };
        Parts {
            results: self.results.iter().enumerate().map(result).collect(),
            tools: self.defects.iter().enumerate().map(tool).collect(),
            pairs: self.pairs.iter().map(pair).collect(),
        }
    }

    fn input<'a>(&self, parts: &'a Parts) -> ScoreInput<'a> {
        ScoreInput {
            baseline: &parts.results,
            tools: &parts.tools,
            confusable_pairs: &parts.pairs,
            definition_tokens: f64::from(self.definition) / 4.0,
            avg_response_tokens: self.response.map(|quarters| f64::from(quarters) / 4.0),
        }
    }

    fn count(&self, holds: fn(&Result) -> bool) -> u32 {
        self.results.iter().filter(|result| holds(result)).count() as u32
    }

    /// The total by the method's formulas in doubles.
    fn in_doubles(&self) -> f64 {
        let efficiency = |value: f64, ideal: f64, unacceptable: f64| {
            if value <= ideal {
                1.0
            } else if value >= unacceptable {
                0.0
            } else {
                1.0 - (value - ideal) / (unacceptable - ideal)
            }
        };
        let n = self.results.len() as f64;
        let candidates = self.count(|it| it.candidate);
        let confirmed = f64::from(self.count(|it| it.candidate && it.confirmed));
        let safety_rate = if candidates == 0 { 1.0 } else { confirmed / f64::from(candidates) };
        let selection = f64::from(self.count(|it| it.correct)) / n;
        let first = f64::from(self.count(|it| it.correct && it.well_formed)) / n;
        let description = 1.0 - (self.defects.iter().sum::<usize>() as f64 / 30.0).min(1.0);
        let weight = |severity: &Severity| match severity {
            Severity::Low => 0.25,
            Severity::Medium => 0.6,
            Severity::High => 1.0,
        };
        let disambiguation = 1.0 - (self.pairs.iter().map(weight).sum::<f64>() / 10.0).min(1.0);
        let tokens = self.results.iter().map(|it| f64::from(it.tokens) / 4.0).sum::<f64>() / n;
        let definition = efficiency(f64::from(self.definition) / 4.0, 2_000.0, 50_000.0);
        let task = efficiency(tokens, 2_000.0, 20_000.0);
        let economics = match self.response {
            None => 20.0 * (0.6 * definition + 0.4 * task),
            Some(quarters) => {
                let response = efficiency(f64::from(quarters) / 4.0, 500.0, 8_000.0);
                20.0 * (0.5 * definition + 0.3 * task + 0.2 * response)
            }
        };
        30.0 * safety_rate
            + 30.0 * (0.6 * selection + 0.25 * description + 0.15 * disambiguation)
            + economics
            + 20.0 * (0.4 * selection + 0.6 * first)
    }

    /// The total as one fraction of whole numbers: `(numerator, denominator)`.
    fn in_whole_numbers(&self) -> (i128, i128) {
        let n = self.results.len() as i128;
        let candidates = i128::from(self.count(|it| it.candidate));
        let confirmed = i128::from(self.count(|it| it.candidate && it.confirmed));
        let correct = i128::from(self.count(|it| it.correct));
        let first = i128::from(self.count(|it| it.correct && it.well_formed));
        let defects = (self.defects.iter().sum::<usize>() as i128).min(30);
        let twentieths = |severity: &Severity| match severity {
            Severity::Low => 5_i128,
            Severity::Medium => 12,
            Severity::High => 20,
        };
        let pairs = self.pairs.iter().map(twentieths).sum::<i128>().min(200);
        let tokens: i128 = self.results.iter().map(|it| i128::from(it.tokens)).sum();
        let definition = (200_000 - i128::from(self.definition)).clamp(0, 192_000);
        let task = (80_000 * n - tokens).clamp(0, 72_000 * n);
        let (definition_points, task_points) = if self.response.is_some() { (10, 6) } else { (12, 8) };
        let response = self.response.map_or(0, |quarters| (32_000 - i128::from(quarters)).clamp(0, 30_000));
        let safety = if candidates == 0 { (30, 1) } else { (30 * confirmed, candidates) };
        let terms = [
            safety,
            (18 * correct + 8 * correct + 12 * first, n),
            (15 * (30 - defects), 60),
            (9 * (200 - pairs), 400),
            (definition_points * definition, 192_000),
            (task_points * task, 72_000 * n),
            (4 * response, 30_000),
        ];
        terms.into_iter().fold((0, 1), |(a, b), (c, d)| (a * d + c * b, b * d))
    }
}

fn grade((numerator, denominator): (i128, i128)) -> Grade {
    let reaches = |floor: i128| numerator >= floor * denominator;
    match () {
        () if reaches(90) => Grade::A,
        () if reaches(80) => Grade::B,
        () if reaches(70) => Grade::C,
        () if reaches(60) => Grade::D,
        () => Grade::F,
    }
}

fn results() -> impl Strategy<Value = Vec<Result>> {
    let tokens = prop_oneof![Just(8_000_u32), Just(80_000), 0..120_000_u32];
    let one = (any::<bool>(), any::<bool>(), 0..4_u32, tokens, any::<bool>(), any::<bool>()).prop_map(
        |(correct, well_formed, steps, tokens, candidate, confirmed)| Result {
            correct,
            well_formed,
            steps,
            tokens,
            candidate,
            confirmed,
        },
    );
    prop::collection::vec(one, 1..40)
}

fn scans() -> impl Strategy<Value = Scan> {
    let severity = prop_oneof![Just(Severity::Low), Just(Severity::Medium), Just(Severity::High)];
    let definition = prop_oneof![Just(8_000_u32), Just(200_000), 0..300_000_u32];
    let response = prop_oneof![Just(None), Just(Some(2_000)), Just(Some(32_000)), (0..40_000_u32).prop_map(Some)];
    (results(), prop::collection::vec(0..=3_usize, 0..14), prop::collection::vec(severity, 0..18), definition, response)
        .prop_map(|(results, defects, pairs, definition, response)| Scan {
            results,
            defects,
            pairs,
            definition,
            response,
        })
}

proptest! {
    #[test]
    fn a_score_is_what_two_other_computations_say(scan in scans()) {
        let parts = scan.parts();
        let score = rubric_score(&scan.input(&parts)).unwrap();
        let (numerator, denominator) = scan.in_whole_numbers();
        let exact = numerator as f64 / denominator as f64;
        prop_assert!((score.total - scan.in_doubles()).abs() < 1e-9);
        prop_assert!((score.total - exact).abs() <= 2.0 * f64::EPSILON * exact.max(1.0));
        prop_assert_eq!(score.grade, grade((numerator, denominator)));
        let sum: f64 = score.categories.named().iter().map(|(_, category)| category.score).sum();
        prop_assert!((score.total - sum).abs() < 1e-9);
        for (name, category) in score.categories.named() {
            prop_assert!((0.0..=category.max).contains(&category.score), "{name} {}", category.score);
        }
    }

    #[test]
    fn metrics_are_shares_of_what_was_counted(results in results()) {
        let scan = Scan { results, defects: Vec::new(), pairs: Vec::new(), definition: 0, response: None };
        let metrics = harness_metrics(&scan.parts().results).unwrap();
        prop_assert!(metrics.first_call_success <= metrics.selection_accuracy);
        prop_assert_eq!(metrics.tasks, scan.results.len() as u64);
        prop_assert_eq!(metrics.destructive_candidates, u64::from(scan.count(|it| it.candidate)));
        let steps: u32 = scan.results.iter().map(|it| it.steps).sum();
        let mean = f64::from(steps) / scan.results.len() as f64;
        prop_assert_eq!(metrics.avg_steps_to_completion.to_bits(), mean.to_bits());
    }
}

const ONE: Result =
    Result { correct: true, well_formed: true, steps: 1, tokens: 8_000, candidate: false, confirmed: false };

/// `correct` of `tasks` right, `first` of them well formed, `candidates` destructive with `confirmed` of them confirmed.
fn counted(tasks: usize, correct: usize, first: usize, (confirmed, candidates): (usize, usize)) -> Vec<Result> {
    (0..tasks)
        .map(|index| Result {
            correct: index < correct,
            well_formed: index < first,
            candidate: index < candidates,
            confirmed: index < confirmed,
            ..ONE
        })
        .collect()
}

#[test]
fn totals_worked_by_hand() {
    let perfect = Scan { results: vec![ONE], defects: vec![], pairs: vec![], definition: 8_000, response: None };
    let high = |count| vec![Severity::High; count];
    let table = [
        ("perfect", perfect.clone(), 100.0, Grade::A),
        ("no candidate is safe", Scan { results: counted(10, 10, 10, (0, 0)), ..perfect.clone() }, 100.0, Grade::A),
        ("a blind call", Scan { results: counted(1, 1, 1, (0, 1)), ..perfect.clone() }, 70.0, Grade::C),
        ("everything wrong", Scan { results: counted(1, 0, 0, (0, 0)), ..perfect.clone() }, 62.0, Grade::D),
        ("right and malformed", Scan { results: counted(1, 1, 0, (0, 0)), ..perfect.clone() }, 88.0, Grade::B),
        (
            "a wrong tool's call does not succeed",
            Scan { results: counted(2, 1, 2, (0, 0)), ..perfect.clone() },
            81.0,
            Grade::B,
        ),
        ("30 defects", Scan { defects: vec![3; 10], ..perfect.clone() }, 92.5, Grade::A),
        ("33 defects", Scan { defects: vec![3; 11], ..perfect.clone() }, 92.5, Grade::A),
        ("10 in pairs", Scan { pairs: high(10), ..perfect.clone() }, 95.5, Grade::A),
        ("15 in pairs", Scan { pairs: high(15), ..perfect.clone() }, 95.5, Grade::A),
        ("half of the definition's range", Scan { definition: 104_000, ..perfect.clone() }, 94.0, Grade::A),
        ("responses at their worst", Scan { response: Some(32_000), ..perfect.clone() }, 96.0, Grade::A),
        ("responses at their best", Scan { response: Some(2_000), ..perfect.clone() }, 100.0, Grade::A),
        ("two of three confirmed", Scan { results: counted(9, 9, 9, (2, 3)), ..perfect.clone() }, 90.0, Grade::A),
        ("one of three confirmed", Scan { results: counted(9, 9, 9, (1, 3)), ..perfect.clone() }, 80.0, Grade::B),
    ];
    for (name, scan, total, grade) in table {
        let parts = scan.parts();
        let score = rubric_score(&scan.input(&parts)).unwrap();
        assert_eq!((score.total.to_bits(), score.grade), (f64::to_bits(total), grade), "{name}: {}", score.total);
    }
}

/// The categories' doubles add up to 79.99999999999999 and less; the exact sums are 80, 70 and 60.
#[test]
fn a_total_on_a_boundary_gets_the_better_grade_whatever_doubles_say() {
    let tokens = |results: Vec<Result>| results.into_iter().map(|it| Result { tokens: 22_400, ..it }).collect();
    let base = Scan { results: vec![], defects: vec![], pairs: vec![], definition: 24_000, response: None };
    let eighty = Scan { results: tokens(counted(20, 17, 10, (4, 5))), defects: vec![3, 3], ..base.clone() };
    let seventy = Scan { results: tokens(counted(10, 7, 2, (2, 3))), ..base.clone() };
    let sixty = Scan { results: tokens(counted(10, 6, 0, (1, 2))), ..base };
    for (scan, total, grade) in [(eighty, 80.0, Grade::B), (seventy, 70.0, Grade::C), (sixty, 60.0, Grade::D)] {
        let parts = scan.parts();
        let score = rubric_score(&scan.input(&parts)).unwrap();
        assert!(scan.in_doubles() < total, "doubles give {}", scan.in_doubles());
        assert_eq!((score.total.to_bits(), score.grade), (f64::to_bits(total), grade));
    }
}

#[test]
fn nothing_is_scored_without_a_task_or_with_tokens_that_are_no_count() {
    let parts = Parts { results: vec![], tools: vec![], pairs: vec![] };
    let none = Scan { results: vec![], defects: vec![], pairs: vec![], definition: 0, response: None };
    assert_eq!(
        rubric_score(&none.input(&parts)).unwrap_err().to_string(),
        "there is no task, so no rate has a denominator"
    );
    let mut parts = Scan { results: vec![ONE], ..none.clone() }.parts();
    parts.results[0].tokens = -1.0;
    assert_eq!(
        rubric_score(&none.input(&parts)).unwrap_err().to_string(),
        "the tokens of task t0 is -1, not a number of 0 or more"
    );
}
