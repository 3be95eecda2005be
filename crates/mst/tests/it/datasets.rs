//! `mst datasets`: what is listed, shown and pulled, and that what was pulled is the same dataset.

use mst_testkit::{Finished, TestEnv};
use serde_json::{Value, json};

fn eval() -> TestEnv {
    let env = TestEnv::new();
    let case =
        |id: &str, tags: &[&str]| json!({ "id": id, "input": format!("Ask {id}."), "tags": tags, "passThreshold": 1 });
    env.write_json(
        "data/parts.json",
        &json!({ "$schema": "x", "name": "parts", "description": "Where parts are.", "metadata": { "owner": "store" },
            "cases": [case("a", &["bin", "regression"]), case("b", &["bin"])] }),
    );
    env.write_json("data/many/one.json", &json!({ "name": "one", "cases": [case("c", &[])] }));
    env.write_json("data/many/two.json", &json!({ "name": "two", "cases": [case("d", &[])] }));
    env.write_json(
        "eval.json",
        &json!({ "name": "e", "datasets": ["data/parts.json", { "type": "dir", "path": "data/many" }], "client": "api",
            "model": "lexical-1", "servers": {} }),
    );
    env
}

fn datasets(env: &TestEnv, more: &[&str]) -> Finished {
    env.run(&TestEnv::mst(), [&["datasets"], more].concat())
}

#[test]
fn an_evals_datasets_are_listed_with_what_is_wrong() {
    let env = eval();
    let listed = datasets(&env, &["--config", "eval.json"]);
    listed.expect_code(0);
    insta::assert_snapshot!(listed.stdout, @r"
    data/parts.json  2 cases; tags: bin, regression; Where parts are.
    data/many  2 cases
    ");
    let config = json!({ "datasets": ["data/parts.json", "nowhere.json", { "type": "gcs", "bucket": "b", "object": "o" },
        "acme/dataset/golden"] });
    env.write_json("broken.json", &config);
    let broken = datasets(&env, &["list", "-c", "broken.json", "--json"]);
    broken.expect_code(2);
    let rows = broken.json();
    assert_eq!(
        rows[0],
        json!({ "ref": "data/parts.json", "description": "Where parts are.", "cases": 2, "tags": ["bin", "regression"] })
    );
    for (at, part) in
        [(1, "there is no dataset"), (2, "\"gcs\" is not available"), (3, "\"acme/dataset/golden\" is not available")]
    {
        assert!(rows[at]["error"].as_str().is_some_and(|why| why.contains(part)), "{rows:#}");
    }
    let none = datasets(&env, &["--json"]);
    none.expect_code(0);
    assert_eq!(none.json(), json!([]));
}

#[test]
fn a_dataset_is_shown_by_path_or_name_with_the_hash_of_a_run() {
    let env = eval();
    let by_path = datasets(&env, &["show", "data/parts.json", "--json"]).json();
    let by_name = datasets(&env, &["show", "parts", "-c", "eval.json", "--json"]).json();
    assert_eq!((&by_path["contentHash"], &by_path["caseIds"]), (&by_name["contentHash"], &json!(["a", "b"])));
    assert_eq!((&by_path["tags"], &by_path["judges"]), (&json!({ "bin": 2, "regression": 1 }), &json!({})));
    assert_eq!((&by_path["source"], &by_path["caseCount"]), (&json!("file"), &json!(2)));
    let plan = env.run(&TestEnv::mst(), ["run", "--config", "eval.json", "--dry-run"]).json();
    assert_eq!(by_path["contentHash"], plan["datasets"][0]["contentHash"]);
    let folder = datasets(&env, &["show", "data/many", "--json"]).json();
    assert_eq!((&folder["name"], &folder["contentHash"]), (&json!("many"), &plan["datasets"][1]["contentHash"]));
    let text = datasets(&env, &["show", "data/parts.json"]);
    assert!(text.stdout.contains("Tags:     bin (2), regression (1)\n"), "{}", text.stdout);
    for (arguments, part) in [
        (vec!["show", "data/part.json", "-c", "eval.json"], "did you mean \"data/parts.json\"?"),
        (vec!["show", "data/parts.json", "--snapshot", "7"], "keeps no snapshots"),
        (vec!["pull", "data/parts.json", "--source", "live"], "keeps no snapshots"),
        (vec!["show", "x", "--plugins", "p"], "`--plugins` is not available"),
    ] {
        let refused = datasets(&env, &arguments);
        refused.expect_code(2);
        assert!(refused.stderr.contains(part), "{arguments:?}: {}", refused.stderr);
    }
}

#[test]
fn what_is_pulled_is_the_same_dataset() {
    let env = eval();
    for name in ["data/parts.json", "data/many"] {
        let hash = datasets(&env, &["show", name, "--json"]).json()["contentHash"].clone();
        let printed = datasets(&env, &["pull", name]);
        printed.expect_code(0);
        env.write("printed.json", &printed.stdout);
        assert_eq!(datasets(&env, &["show", "printed.json", "--json"]).json()["contentHash"], hash);
        assert!(printed.stderr.contains(hash.as_str().expect("a hash")), "{}", printed.stderr);
        let out = format!("{}-out.json", name.replace('/', "-"));
        datasets(&env, &["pull", name, "--out", &out]).expect_code(0);
        datasets(&env, &["pull", name, "--out", &out]).expect_code(0);
        assert_eq!(datasets(&env, &["show", &out, "--json"]).json()["contentHash"], hash);
    }
    let pulled: Value = env.read_json("data-parts.json-out.json");
    assert_eq!(
        (&pulled["description"], &pulled["metadata"]),
        (&json!("Where parts are."), &json!({ "owner": "store" }))
    );
    let kept = datasets(&env, &["pull", "data/many", "--out", "data/parts.json"]);
    kept.expect_code(2);
    assert!(kept.stderr.contains("is there already") && env.read_json("data/parts.json")["name"] == "parts");
    datasets(&env, &["pull", "data/many", "--out", "data/parts.json", "--force"]).expect_code(0);
    for (unfit, why) in [("data", "is no plain file"), ("absent/out.json", "is in a folder that is not there")] {
        let refused = datasets(&env, &["pull", "data/many", "--out", unfit, "--force"]);
        assert_eq!(refused.code, Some(2), "{unfit}");
        assert!(refused.stderr.contains(why), "{}", refused.stderr);
    }
    assert_eq!(env.read_json("data/parts.json")["name"], "many");
}

#[test]
fn a_dataset_that_is_none_is_told_with_its_place() {
    let env = eval();
    env.write("bad.json", "{\n  \"name\": \"x\",\n  \"cases\": [{ \"id\": \"a\", \"input\": \" \" }]\n}\n");
    let bad = datasets(&env, &["show", "bad.json"]);
    bad.expect_code(2);
    assert!(bad.stderr.contains("bad.json:3:"), "{}", bad.stderr);
    env.write_json("data/many/three.json", &json!({ "name": "three", "cases": [{ "id": "c", "input": "again" }] }));
    let twice = datasets(&env, &["pull", "data/many"]);
    twice.expect_code(2);
    assert!(twice.stdout.is_empty() && twice.stderr.contains("\"c\""), "{}", twice.stderr);
}
