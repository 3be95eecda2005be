//! What the methods claim, checked by simulation at named settings with fixed seeds. A share of `runs` may miss its figure by
//! four standard errors, no more.

use mst_measure::stats::{
    Assessment, JudgeCounts, PairedCase, PairedChange, Passes, Random, RangeMethod, Watch, clustered, corrected_rate,
    headline_rate, newcombe, regression_cases, wilson,
};

/// An eval whose cases differ in difficulty.
#[derive(Clone, Copy, Debug)]
struct Setting {
    cases: usize,
    trials: u64,
    /// The mean pass rate over cases.
    rate: f64,
    /// The sum of the parameters of the Beta distribution of rates: the smaller, the more cases differ.
    beta_sum: f64,
}

/// The eval that the figures are stated for.
const SIXTY: Setting = Setting { cases: 60, trials: 3, rate: 0.85, beta_sum: 4.0 };

/// What happens to a case's rate.
#[derive(Clone, Copy, Debug)]
enum Drop {
    None,
    /// Every rate falls by the same part, the mean by this much.
    Alike(f64),
    /// Every rate falls by this much, to 0 at least.
    Shifted(f64),
    /// Some cases never pass any more, so that the mean falls by this much.
    Broken(f64),
}

/// A Beta variable (M. D. Johnk, 1964).
fn beta(random: &mut Random, setting: Setting) -> f64 {
    let (a, b) = (setting.rate * setting.beta_sum, (1.0 - setting.rate) * setting.beta_sum);
    loop {
        let (x, y) = (random.uniform().powf(1.0 / a), random.uniform().powf(1.0 / b));
        if x + y <= 1.0 && x + y > 0.0 {
            return x / (x + y);
        }
    }
}

fn binomial(random: &mut Random, rate: f64, counted: u64) -> Passes {
    Passes { passed: (0..counted).filter(|_| random.uniform() < rate).count() as u64, counted }
}

/// Draws a baseline and a candidate of the same cases.
fn pair(random: &mut Random, setting: Setting, drop: Drop) -> Vec<PairedCase> {
    (0..setting.cases)
        .map(|_| {
            let rate = beta(random, setting);
            let lowered = match drop {
                Drop::Alike(by) => rate * (1.0 - by / setting.rate),
                Drop::Shifted(by) => (rate - by).max(0.0),
                Drop::Broken(by) if random.uniform() < by / setting.rate => 0.0,
                Drop::Broken(_) | Drop::None => rate,
            };
            let baseline = binomial(random, rate, setting.trials);
            PairedCase { baseline, candidate: binomial(random, lowered, setting.trials) }
        })
        .collect()
}

/// Returns how many of `seeds` runs are assessed as worse, and as better.
fn assessed(setting: Setting, drop: Drop, seeds: u64) -> (usize, usize) {
    let of = |seed| PairedChange::of(&pair(&mut Random::seeded(seed), setting, drop), 1).assessment;
    let all: Vec<Assessment> = (0..seeds).map(of).collect();
    let count = |which| all.iter().filter(|assessment| **assessment == which).count();
    (count(Assessment::Worse), count(Assessment::Better))
}

/// The number of `runs` that an event of this chance stays below.
fn at_most(chance: f64, runs: u64) -> f64 {
    let runs = runs as f64;
    chance * runs + 4.0 * (runs * chance * (1.0 - chance)).sqrt()
}

/// Asserts that a share of runs is within a band, give or take what their number allows.
fn assert_share(hits: usize, runs: u64, band: [f64; 2], what: &str) {
    let share = hits as f64 / runs as f64;
    let slack = |figure: f64| 4.0 * (figure * (1.0 - figure) / runs as f64).sqrt();
    let (low, high) = (band[0] - slack(band[0]), band[1] + slack(band[1]));
    assert!(share >= low && share <= high, "{what}: {share} is not within {low} to {high}");
}

#[test]
fn a_drop_of_fifteen_points_is_called_worse_when_every_case_drops_alike() {
    for drop in [Drop::Alike(0.15), Drop::Shifted(0.15)] {
        let (worse, better) = assessed(SIXTY, drop, 500);
        assert!(worse >= 425 && better == 0, "{drop:?}: {worse} of 500, {better} better");
    }
}

#[test]
fn a_drop_of_fifteen_points_is_called_worse_when_whole_cases_break() {
    let (worse, better) = assessed(SIXTY, Drop::Broken(0.15), 500);
    assert!(worse >= 350 && better == 0, "{worse} of 500, {better} better");
}

#[test]
fn no_change_is_called_worse_at_most_twenty_times_in_five_hundred() {
    let (worse, better) = assessed(SIXTY, Drop::None, 500);
    assert!(worse <= 20 && better <= 20, "{worse} worse, {better} better");
}

#[test]
fn no_change_is_called_worse_in_at_most_one_in_forty_whatever_the_setting() {
    for setting in [
        SIXTY,
        Setting { cases: 12, trials: 3, rate: 0.5, beta_sum: 2.0 },
        Setting { cases: 20, trials: 1, rate: 0.9, beta_sum: 6.0 },
        Setting { cases: 30, trials: 5, rate: 0.95, beta_sum: 4.0 },
        Setting { cases: 200, trials: 1, rate: 0.7, beta_sum: 4.0 },
        Setting { cases: 100, trials: 10, rate: 0.6, beta_sum: 1.0 },
    ] {
        let (worse, better) = assessed(setting, Drop::None, 1_000);
        let most = at_most(0.025, 1_000);
        assert!(worse as f64 <= most && better as f64 <= most, "{setting:?}: {worse} worse, {better} better");
    }
}

#[test]
fn unequal_trials_cost_little_where_cases_are_many() {
    for (old, new) in [(3, 2), (5, 1), (1, 5)] {
        let of = |seed: &u64| {
            let mut random = Random::seeded(*seed);
            let case = |_| {
                let rate = beta(&mut random, SIXTY);
                PairedCase { baseline: binomial(&mut random, rate, old), candidate: binomial(&mut random, rate, new) }
            };
            let change = PairedChange::of(&(0..60).map(case).collect::<Vec<_>>(), 1);
            assert_eq!(change.uneven, 60);
            change.assessment == Assessment::Worse
        };
        let worse = (0..1_000).filter(of).count();
        assert!(worse as f64 <= at_most(0.035, 1_000), "{old} against {new}: {worse} of 1,000");
    }
}

#[test]
fn the_interval_of_a_change_covers_it() {
    for (drop, truth) in [(Drop::None, 0.0), (Drop::Alike(0.15), -0.15), (Drop::Broken(0.15), -0.15)] {
        let covers = |seed: &u64| {
            let range = PairedChange::of(&pair(&mut Random::seeded(*seed), SIXTY, drop), 1).interval;
            range.lower <= truth && truth <= range.upper
        };
        let hits = (0..1_000).filter(covers).count();
        assert_share(hits, 1_000, [0.94, 0.96], &format!("{drop:?}"));
    }
}

#[test]
fn the_likely_range_of_a_headline_rate_covers_it() {
    for (setting, method, band) in [
        // Wilson over cases takes a case for one trial: it claims at least 95%.
        (Setting { cases: 5, ..SIXTY }, RangeMethod::WilsonCases, [0.95, 1.0]),
        (Setting { cases: 10, ..SIXTY }, RangeMethod::WilsonCases, [0.95, 1.0]),
        (Setting { cases: 19, trials: 1, ..SIXTY }, RangeMethod::WilsonCases, [0.94, 1.0]),
        // A t interval of skewed shares comes near to its claim as cases become many.
        (Setting { cases: 20, ..SIXTY }, RangeMethod::T, [0.90, 0.96]),
        (SIXTY, RangeMethod::T, [0.93, 0.96]),
        (Setting { cases: 200, trials: 1, ..SIXTY }, RangeMethod::T, [0.94, 0.96]),
        (Setting { cases: 20, rate: 0.5, ..SIXTY }, RangeMethod::T, [0.94, 0.96]),
    ] {
        let (mut hits, mut by_method) = (0, 0);
        for seed in 0..1_000 {
            let mut random = Random::seeded(seed);
            let cases: Vec<Passes> = pair(&mut random, setting, Drop::None).iter().map(|case| case.baseline).collect();
            let (range, used) = headline_rate(&cases).and_then(|headline| headline.range).expect("several trials");
            hits += usize::from(range.lower <= setting.rate && setting.rate <= range.upper);
            by_method += usize::from(used == method);
        }
        assert!(by_method >= 950, "{setting:?}: {by_method}");
        assert_share(hits, 1_000, band, &format!("{setting:?}"));
    }
}

/// Returns each number of passes with its chance.
fn outcomes(counted: u64, rate: f64) -> Vec<(Passes, f64)> {
    let mut chance = (1.0 - rate).powf(counted as f64);
    (0..=counted)
        .map(|passed| {
            let this = (Passes { passed, counted }, chance);
            chance *= (counted - passed) as f64 / (passed + 1) as f64 * rate / (1.0 - rate);
            this
        })
        .collect()
}

#[test]
fn wilsons_interval_covers_ninety_five_percent_on_average_over_rates() {
    for counted in [5, 20, 60, 100] {
        let covered = |rate: f64| -> f64 {
            let covers =
                |passes: Passes| wilson(passes.passed, counted).is_some_and(|r| r.lower <= rate && rate <= r.upper);
            outcomes(counted, rate).into_iter().filter(|(passes, _)| covers(*passes)).map(|(_, chance)| chance).sum()
        };
        let rates: Vec<f64> = (1..100).map(|percent| f64::from(percent) / 100.0).collect();
        let average = rates.iter().map(|rate| covered(*rate)).sum::<f64>() / 99.0;
        assert!(average > 0.945 && average < 0.965, "{counted}: {average}");
    }
}

#[test]
fn newcombes_interval_covers_ninety_five_percent_on_average_over_rates() {
    for counted in [(10, 10), (20, 30), (60, 60)] {
        let mut covered = Vec::new();
        for (new, old) in [(0.5, 0.5), (0.9, 0.8), (0.95, 0.6), (0.3, 0.35), (0.7, 0.85)] {
            let mut chance = 0.0;
            for (candidate, one) in outcomes(counted.0, new) {
                for (baseline, other) in outcomes(counted.1, old) {
                    let (_, range) = newcombe(candidate, baseline).unwrap();
                    chance += if range.lower <= new - old && new - old <= range.upper { one * other } else { 0.0 };
                }
            }
            covered.push(chance);
        }
        let average = covered.iter().sum::<f64>() / covered.len() as f64;
        assert!(average > 0.94 && average < 0.975, "{counted:?}: {covered:?}");
    }
}

#[test]
fn a_corrected_rates_interval_covers_the_rate_by_the_labels_standard() {
    for (rate, true_positive, true_negative, trials, labels) in
        [(0.7, 0.9, 0.85, 180, 40), (0.5, 0.85, 0.95, 60, 20), (0.9, 0.95, 0.9, 180, 60)]
    {
        let covers = |seed: &u64| {
            let mut random = Random::seeded(*seed);
            let judged = binomial(&mut random, rate * true_positive + (1.0 - rate) * (1.0 - true_negative), trials);
            let (positive, negative) =
                (binomial(&mut random, true_positive, labels), binomial(&mut random, true_negative, labels));
            let judge = JudgeCounts {
                tp: positive.passed,
                fn_: labels - positive.passed,
                tn: negative.passed,
                fp: labels - negative.passed,
                ..JudgeCounts::default()
            };
            let range = corrected_rate(judged, &judge).and_then(|corrected| corrected.interval);
            range.is_some_and(|range| range.lower <= rate && rate <= range.upper)
        };
        let hits = (0..2_000).filter(covers).count();
        assert_share(hits, 2_000, [0.94, 0.98], &format!("{rate} {true_positive} {true_negative} {trials} {labels}"));
    }
}

#[test]
fn a_clustered_standard_error_is_how_much_means_vary() {
    let runs: Vec<(f64, f64)> = (0..500)
        .map(|seed| {
            let mut random = Random::seeded(seed);
            let cases: Vec<Vec<f64>> = (0..60)
                .map(|case| {
                    let rate = beta(&mut random, SIXTY);
                    // Cases of one to five trials.
                    (0..=case % 5).map(|_| f64::from(u8::from(random.uniform() < rate))).collect()
                })
                .collect();
            let clustered = clustered(&cases).expect("there are trials");
            (clustered.mean, clustered.standard_error.expect("there are cases"))
        })
        .collect();
    let average = |of: &dyn Fn(&(f64, f64)) -> f64| runs.iter().map(of).sum::<f64>() / runs.len() as f64;
    let centre = average(&|run| run.0);
    let deviation = average(&|run| (run.0 - centre).powi(2)).sqrt();
    let ratio = average(&|run| run.1) / deviation;
    // The deviation of 500 means is itself known to 3%.
    assert!((ratio - 1.0).abs() < 0.12, "{ratio}");
}

#[test]
fn no_change_breaks_a_regression_case_in_at_most_one_eval_in_twenty() {
    let setting = Setting { cases: 20, trials: 5, rate: 0.8, beta_sum: 4.0 };
    let any = |seed: &u64| {
        let cases = pair(&mut Random::seeded(*seed), setting, Drop::None);
        regression_cases(&cases).iter().any(|case| case.broken)
    };
    let hits = (0..300).filter(any).count();
    assert!(hits as f64 <= at_most(0.05, 300), "{hits}");
}

/// Watches cases finish one by one, as a run does; returns what was decided and after how many cases.
fn watched(seed: u64, drop: Drop) -> (Assessment, usize) {
    let cases: Vec<_> = pair(&mut Random::seeded(seed), SIXTY, drop).into_iter().map(Some).collect();
    let mut watch = Watch::new(cases.len());
    for finished in 1..=cases.len() {
        if let Some(assessment) = watch.look(&cases[..finished]) {
            return (assessment, finished);
        }
    }
    (Assessment::Unclear, cases.len())
}

#[test]
fn stopping_when_decided_keeps_its_error_and_saves_cases() {
    let unchanged: Vec<_> = (0..1_000).map(|seed| watched(seed, Drop::None).0).collect();
    for side in [Assessment::Worse, Assessment::Better] {
        let stopped = unchanged.iter().filter(|assessment| **assessment == side).count();
        assert!(stopped as f64 <= at_most(0.025, 1_000), "{side:?}: {stopped} of 1,000");
    }
    let dropped: Vec<_> = (0..200).map(|seed| watched(seed, Drop::Alike(0.25))).collect();
    let worse = dropped.iter().filter(|(assessment, _)| *assessment == Assessment::Worse).count();
    let cases = dropped.iter().map(|(_, cases)| cases).sum::<usize>() / 200;
    assert!(worse >= 195 && cases < 45, "{worse} of 200 after {cases} cases");
}
