//! What starts an era, and for whom.

use mst_model::{HistoryRow, RecordedPlugin, WriteMode};
use serde_json::json;

use super::support::{changes, eras, judge, judged, of_variants, only, row, traced, with};

/// Checks what a change between two runs is called, and whether the second starts an era.
#[track_caller]
fn check(before: impl FnOnce(&mut HistoryRow), after: impl FnOnce(&mut HistoryRow), want: &[&str]) {
    let rows = traced([with(row(0), before), with(row(1), after)]);
    assert_eq!(changes(&rows[1]), want);
    let starts = want.iter().any(|what| what.starts_with('!'));
    assert_eq!((rows[0].era, rows[1].era), (Some(1), Some(1 + u32::from(starts))), "{want:?}");
    assert_eq!(eras(&rows, "default"), [Some(1), Some(1 + u32::from(starts))], "{want:?}");
    assert_eq!(rows[1].variants["default"].change.is_some(), !starts, "{want:?}: never across an era's start");
}

fn same(_: &mut HistoryRow) {}

fn plugin(version: &str, settings: &str) -> RecordedPlugin {
    serde_json::from_value(json!({ "name": "acme", "namespace": "acme", "version": version, "settingsHash": settings }))
        .expect("a plugin")
}

#[test]
fn consecutive_runs_that_measured_the_same_way_are_one_era() {
    check(same, same, &[]);
}

#[test]
fn datasets_that_change_start_an_era() {
    check(same, |row| row.datasets[0].content_hash = "edited".to_owned(), &["!dataset parts: cases edited"]);
    check(same, |row| row.datasets[0].snapshot = Some("s2".to_owned()), &["!snapshot of dataset parts: none → s2"]);
    let more = |row: &mut HistoryRow| {
        row.datasets[0].content_hash = "more".to_owned();
        row.case_ids.push("c8".into());
    };
    check(same, more, &["!dataset parts: 1 added"]);
    check(more, same, &["!dataset parts: 1 removed"]);
    check(same, |row| row.datasets.clear(), &["!dataset parts removed"]);
    check(|row| row.datasets.clear(), same, &["!dataset parts added"]);
}

#[test]
fn config_judges_that_change_start_an_era_and_pairwise_ones_are_noted() {
    check(same, |row| row.judges = vec![judge("rubric", "config", "two")], &["!judge rubric"]);
    check(same, |row| row.judges.push(judge("tool-use", "config", "one")), &["!judge tool-use added"]);
    check(|row| row.judges.push(judge("tool-use", "config", "one")), same, &["!judge tool-use removed"]);
    check(same, |row| row.judges.push(judge("preference", "pairwise", "one")), &["pairwise judge preference added"]);
    // What a run's MST did not record says nothing.
    check(|row| row.judges[0].identity.clear(), same, &[]);
    // A variant's list of judges changes with the config's, which is told once.
    let renamed = |row: &mut HistoryRow| {
        row.judges = vec![judge("tool-use", "config", "one")];
        only(row).setup.judges = Some(vec!["tool-use".to_owned()]);
    };
    check(same, renamed, &["!judge tool-use added", "!judge rubric removed"]);
}

#[test]
fn plugins_that_change_version_or_settings_start_an_era_and_others_are_noted() {
    let with = |version: &'static str, settings: &'static str| {
        move |row: &mut HistoryRow| row.plugins = Some(vec![plugin(version, settings)])
    };
    let none = |row: &mut HistoryRow| row.plugins = Some(Vec::new());
    check(with("1", "a"), with("2", "a"), &["!plugin acme: 1 → 2"]);
    check(with("1", "a"), with("1", "b"), &["!settings of plugin acme"]);
    check(none, with("1", "a"), &["plugin acme added"]);
    check(with("1", "a"), none, &["plugin acme removed"]);
    check(same, with("1", "a"), &[]);
}

#[test]
fn writes_and_answers_of_another_kind_start_an_era() {
    check(same, |row| row.simulate_writes = Some(true), &["!simulateWrites: false → true"]);
    check(same, |row| row.replayed = Some(true), &["!answers from: models and servers → a tape"]);
    check(same, |row| only(row).offline = true, &["!default: answered by: a language model → the offline baseline"]);
}

#[test]
fn a_variant_s_own_setup_starts_an_era() {
    check(same, |row| only(row).client = Some("codex".to_owned()), &["!default: client: api → codex"]);
    check(same, |row| only(row).model = None, &["!default: model: m → none"]);
    check(same, |row| only(row).setup.options = Some("p".to_owned()), &["!default: client options"]);
    check(same, |row| only(row).servers[0].command = Some("other".to_owned()), &["!default: server parts"]);
    check(same, |row| only(row).servers.clear(), &["!default: server parts removed"]);
    check(same, |row| only(row).setup.tools = None, &["!default: tool metadata"]);
    check(same, |row| only(row).setup.input_template = None, &["!default: input template"]);
    check(same, |row| only(row).setup.judges = None, &["!default: judges"]);
    check(same, |row| only(row).setup.own_judges = vec!["i".to_owned()], &["!default: judges"]);
    let live = |row: &mut HistoryRow| {
        only(row).setup.write_modes = Some([("parts".into(), WriteMode::Live)].into_iter().collect());
    };
    check(same, live, &["!default: write mode of parts: planned → live"]);
    check(same, |row| only(row).setup.write_modes = None, &[]);
}

#[test]
fn what_is_noted_starts_no_era() {
    check(same, |row| row.content_hash = "other".to_owned(), &["eval config"]);
    check(same, |row| row.mst.version = "0.2.0".to_owned(), &["mst: 0.1.0 → 0.2.0"]);
    check(same, |row| only(row).setup.trials = vec![1, 5], &["default: trials per case: 3 → 1, 5"]);
    let app = |version: &'static str| move |row: &mut HistoryRow| only(row).apps = vec![format!("Desk {version}")];
    check(app("1"), app("2"), &["default: client app: Desk 1 → Desk 2"]);
    check(same, app("2"), &[]);
}

#[test]
fn hashed_options_are_the_same_under_one_key_alone() {
    let hashed = |key: Option<&'static str>, value: &'static str| {
        move |row: &mut HistoryRow| {
            let setup = &mut only(row).setup;
            setup.option_key = key.map(str::to_owned);
            setup.hashed_options = [("/token".to_owned(), value.to_owned())].into();
        }
    };
    let other_key = &["!default: client options hashed under another option key"][..];
    check(hashed(Some("k"), "a"), hashed(Some("k"), "a"), &[]);
    check(hashed(Some("k"), "a"), hashed(Some("k"), "b"), &["!default: client options"]);
    check(hashed(Some("k"), "a"), hashed(Some("l"), "a"), other_key);
    check(hashed(None, "a"), hashed(Some("k"), "a"), other_key);
    // Runs without a key hashed each under its own: only the option's name counts.
    check(hashed(None, "a"), hashed(None, "b"), &[]);
}

#[test]
fn a_case_scored_under_another_identity_starts_an_era_and_no_verdict_changes_nothing() {
    let scored = |identity: &'static str, cases: &'static [&'static str]| {
        move |row: &mut HistoryRow| only(row).judged = vec![judged("own", identity, cases)]
    };
    check(scored("one", &["c0", "c1"]), scored("two", &["c1"]), &["!default: identity of judge own"]);
    check(scored("one", &["c0"]), scored("two", &["c1"]), &[]);
    check(scored("one", &["c0"]), same, &[]);
    // The case is measured against what it last had in the era, also where a run between gave it no verdict.
    let rows = traced([
        with(row(0), scored("one", &["c0"])),
        row(1),
        with(row(2), scored("two", &["c0"])),
        with(row(3), scored("two", &["c0"])),
    ]);
    assert_eq!(eras(&rows, "default"), [Some(1), Some(1), Some(2), Some(2)]);
}

#[test]
fn a_shared_change_starts_an_era_for_a_variant_that_skipped_the_run_too() {
    let edited = |row: &mut HistoryRow| row.datasets[0].content_hash = "edited".to_owned();
    let rows = traced([
        of_variants(row(0), &["a", "b"]),
        with(of_variants(row(1), &["a"]), edited),
        with(of_variants(row(2), &["a", "b"]), edited),
    ]);
    assert_eq!(eras(&rows, "a"), [Some(1), Some(2), Some(2)]);
    assert_eq!(eras(&rows, "b"), [Some(1), None, Some(2)]);
    assert_eq!(changes(&rows[1]), ["!dataset parts: cases edited", "variant b removed"]);
    assert_eq!(changes(&rows[2]), ["variant b added"]);
    assert!(rows[2].variants["b"].change.is_none() && rows[2].variants["a"].change.is_some());
}

#[test]
fn one_variant_s_setup_leaves_the_other_variants_their_era() {
    let rows = traced([
        of_variants(row(0), &["a", "b"]),
        with(of_variants(row(1), &["a", "b"]), |row| row.variants["b"].model = Some("n".to_owned())),
    ]);
    assert_eq!((eras(&rows, "a"), eras(&rows, "b")), (vec![Some(1), Some(1)], vec![Some(1), Some(2)]));
    assert_eq!((rows[0].era, rows[1].era), (Some(1), Some(2)));
}

#[test]
fn a_config_that_comes_back_is_an_era_of_its_own() {
    let model = |name: &'static str| move |row: &mut HistoryRow| only(row).model = Some(name.to_owned());
    let rows = traced([with(row(0), model("m")), with(row(1), model("n")), with(row(2), model("m"))]);
    assert_eq!(eras(&rows, "default"), [Some(1), Some(2), Some(3)]);
    assert!(rows[2].variants["default"].change.is_none());
}
