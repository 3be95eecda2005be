//! Looks and power.

use mst_measure::stats::{PlannedCase, Simulation, looks, power, smallest_drop, smallest_drop_of_variance};
use serde_json::Value;

use super::{assert_relative, count, number, numbers, rows};

#[test]
fn boundaries_equal_those_of_numerical_integration() {
    for row in rows(include_str!("../oracles/group-sequential.json")) {
        let (id, out) = (row["id"].as_str().unwrap(), &row["out"]);
        let got = looks(&numbers(&row["in"]["fractions"]), number(&row["in"]["alpha"])).unwrap();
        let columns = (numbers(&out["z"]), numbers(&out["oneSidedP"]), numbers(&out["alphaSpent"]));
        assert_eq!(got.len(), columns.0.len(), "{id}");
        for (index, look) in got.iter().enumerate() {
            let (z, p, spent) = (columns.0[index], columns.1[index], columns.2[index]);
            assert!((look.z - z).abs() <= 1e-4 || (z > 8.0 && look.z > 8.0), "{id}: {look:?}, not {z}");
            assert!((look.spent - spent).abs() <= 1e-6, "{id}: {look:?}, not {spent}");
            if p > 1e-12 {
                assert_relative(look.p, p, 1e-3, id);
            }
        }
    }
}

#[test]
fn a_look_after_every_case_still_spends_no_more_than_its_level() {
    let fractions: Vec<f64> = (1..=60).map(|case| f64::from(case) / 60.0).collect();
    let all = looks(&fractions, 0.05).unwrap();
    assert!((all[59].spent - 0.05).abs() < 1e-9);
    assert!(all[0].z.is_infinite() || all[0].z > 8.0, "{:?}", all[0]);
    assert!(all.windows(2).all(|pair| pair[1].spent > pair[0].spent && pair[1].z <= pair[0].z));
    // Looking often costs: the last value is above that of one look, and below Bonferroni's for 60.
    assert!(all[59].z > 1.97 && all[59].z < 3.34, "{:?}", all[59]);
}

fn planned(row: &Value) -> Vec<PlannedCase> {
    let trials = count(&row["k"]) as u32;
    let group = |group: &Value| {
        let case = PlannedCase { rate: number(&group[0]), baseline_trials: trials, candidate_trials: trials };
        vec![case; count(&group[1]) as usize]
    };
    row["rates"].as_array().unwrap().iter().flat_map(group).collect()
}

/// Enough for the tolerance of the values: a smallest drop is off by 1 to 2%.
const SIMULATION: Simulation = Simulation { draws: 1_000, seed: 20_261_201 };

#[test]
fn the_smallest_drop_is_that_of_the_sign_flip_test_itself() {
    for row in rows(include_str!("../oracles/power.json")) {
        let (id, input, out) = (row["id"].as_str().unwrap(), &row["in"], &row["out"]);
        if input["kind"] == "trials" && input["drop"].is_number() {
            continue;
        }
        let cases = count(&input["n"]) as usize;
        let got = if input["kind"] == "trials" {
            smallest_drop(&planned(input), SIMULATION)
        } else {
            let trials = number(&input["k"]);
            let variance = number(&input["caseVar"]) + 2.0 * number(&input["trialVar"]) / trials;
            smallest_drop_of_variance(cases, variance, SIMULATION)
        };
        assert_eq!(got.is_some(), !out["mdeSignFlip"].is_null(), "{id}: {got:?}");
        if let Some(got) = got {
            assert_relative(got, number(&out["mdeSignFlip"]), if cases < 12 { 0.10 } else { 0.06 }, id);
        }
    }
}

#[test]
fn the_smallest_drop_of_many_cases_follows_from_that_of_fewer() {
    let cases: Vec<PlannedCase> = (0..1_000)
        .map(|case| PlannedCase { rate: [0.95, 0.6][case % 2], baseline_trials: 3, candidate_trials: 3 })
        .collect();
    let drop = smallest_drop(&cases, Simulation { draws: 500, ..SIMULATION }).unwrap();
    let seen = power(&cases, drop, Simulation { draws: 400, seed: 3 });
    assert!((seen - 0.8).abs() < 0.08, "{drop}: {seen}");
    let by_variance = smallest_drop_of_variance(4_000, 0.25, SIMULATION).unwrap();
    assert_relative(by_variance, 2.8 * (0.25_f64 / 4_000.0).sqrt(), 0.04, "the normal formula holds for many cases");
}

#[test]
fn power_is_that_of_the_sign_flip_test_itself() {
    for row in rows(include_str!("../oracles/power.json")) {
        let (id, input, out) = (row["id"].as_str().unwrap(), &row["in"], &row["out"]);
        if !input["drop"].is_number() {
            continue;
        }
        let got = power(&planned(input), number(&input["drop"]), Simulation { draws: 5_000, ..SIMULATION });
        assert!((got - number(&out["power"])).abs() <= 0.02, "{id}: {got}");
    }
}
