//! Finding the run that a person means.

use mst_store::{RunWriter, StoreError, find_run, list_runs};

use crate::support::{place, run_record};

#[test]
fn a_run_is_found_by_directory_id_and_short_form() {
    let place = place();
    assert!(list_runs(&place.eval).expect("no runs yet").is_empty());
    let mut twin = run_record(9, false);
    // The same last six characters at another time.
    twin.run_id = run_record(9, false).run_id.as_str().replace("7f3c09", "7f3c00").parse().expect("an id");
    let mut records = vec![run_record(0, false), run_record(1, false), twin];
    for record in &records {
        RunWriter::create(&place.eval, record.clone()).expect("made");
    }
    records.sort_by(|a, b| a.run_id.cmp(&b.run_id));
    let ids: Vec<_> = records.iter().map(|record| record.run_id.clone()).collect();
    assert_eq!(list_runs(&place.eval).expect("listed"), ids);

    let one = place.eval.run(&run_record(1, false).run_id);
    for name in [one.root().to_str().expect("UTF-8"), "20261007T182505Z-7f3c01", "7f3c01"] {
        assert_eq!(find_run(&place.eval, name).expect(name), one, "{name}");
    }
    for (name, want) in [
        ("7f3c00", "\"7f3c00\" is short for 2 runs: 20261007T182504Z-7f3c00, 20261007T182513Z-7f3c00"),
        ("7f3c01.g2", "no run \"7f3c01.g2\" in [out]/runs"),
        ("20261007T182505Z-ffffff", "no run \"20261007T182505Z-ffffff\" in [out]/runs"),
        ("nothing/here", "no run \"nothing/here\" in [out]/runs"),
        ("", "no run \"\" in [out]/runs"),
    ] {
        let error = find_run(&place.eval, name).expect_err(name).to_string();
        assert_eq!(error.replace(&place.eval.root().display().to_string(), "[out]"), want);
    }
    let no_run = find_run(&place.eval, place.eval.root().to_str().expect("UTF-8"));
    assert!(matches!(no_run, Err(StoreError::NotARun(_))));
}
