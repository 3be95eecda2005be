//! The published schemas say what the readers accept.

use mst_config::published_schemas;
use serde_json::Value;

use crate::samples::samples;

fn validator(path: &str) -> jsonschema::Validator {
    let schemas = published_schemas();
    let published = schemas.iter().find(|published| published.path == path).expect("the schema");
    jsonschema::validator_for(&published.schema).expect("a valid schema")
}

fn schema_of(path: &std::path::Path) -> &'static str {
    if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("config-")) {
        "eval-config.schema.json"
    } else {
        "eval-dataset.schema.json"
    }
}

fn read(path: &std::path::Path) -> Option<Value> {
    let text = String::from_utf8(fs_err::read(path).ok()?).ok()?;
    serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()
}

#[test]
fn valid_samples_match_the_schemas() {
    for path in samples("valid") {
        let value = read(&path).expect("JSON");
        let errors: Vec<String> =
            validator(schema_of(&path)).iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{}: {errors:?}", path.display());
    }
}

/// Mistakes of shape are refused by the schema too; what is left out is what JSON Schema has no words for.
#[test]
fn invalid_shapes_do_not_match_the_schemas() {
    const BEYOND: [&str; 54] = [
        "config-judge-jury-twice",
        "config-judge-name-twice",
        "config-judge-jury-option",
        "config-judge-option",
        "config-judge-option-missing",
        "config-judge-option-twice",
        "config-judge-name-hash",
        "config-judge-plugin",
        "config-judge-variant-option",
        "dataset-judge-option",
        "dataset-judge-criteria",
        "config-limits-provider-twice",
        "config-http-own-header",
        "config-http-proxy",
        "config-http-tls",
        "config-http-two-tokens",
        "config-http-empty-token",
        "config-http-token-and-header",
        "config-url-secret",
        "dataset-count-empty",
        "dataset-contains-empty",
        "dataset-contains-empty-text",
        "config-results-bare-dir",
        "config-results-gcs",
        "config-results-gcs-object",
        "config-results-plugin",
        "config-results-no-dir",
        "config-results-option",
        "config-pairwise-option",
        "config-pairwise-option-value",
        "config-pairwise-options-twice",
        "config-pairwise-other-kind",
        "config-pairwise-plugin",
        "config-pairwise-twice",
        "config-tool-map",
        "config-run-conflict",
        "config-scenario-placeholder",
        "config-stdio-placeholder",
        "config-stdio-env-name",
        "config-stdio-nul",
        "config-http-url",
        "config-http-scheme",
        "config-http-header",
        "config-eval-endpoint",
        "config-dataset-plugin",
        "config-duplicate-key",
        "dataset-count-range",
        "dataset-pattern",
        "dataset-pattern-one",
        "dataset-argument-pattern",
        "dataset-duplicate-key",
        "dataset-two-boms",
        "dataset-deep",
        "dataset-number-range",
    ];
    const SHAPES: [&str; 8] = [
        "unknown-key",
        "renamed-key",
        "missing-key",
        "wrong-type",
        "invalid-value",
        "not-available",
        "conflict",
        "duplicate-name",
    ];
    for path in samples("invalid") {
        let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let Some(value) = read(&path).filter(|_| !BEYOND.contains(&stem.as_str())) else { continue };
        let expected = fs_err::read_to_string(path.with_extension("txt")).expect("an expectation");
        let is_shape = SHAPES.iter().any(|code| expected.contains(&format!("[{code}]")));
        let from_catalog =
            expected.contains("client \"") || expected.contains(" metric") || expected.contains("variants ");
        let by_run =
            expected.contains("case id") || expected.contains("no client") || expected.contains("\"client\" is");
        if is_shape && !from_catalog && !by_run {
            assert!(!validator(schema_of(&path)).is_valid(&value), "{} matches the schema", path.display());
        }
    }
}

#[test]
fn committed_schemas_are_the_types_own() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema");
    for published in published_schemas() {
        let path = folder.join(published.path);
        let text = fs_err::read_to_string(&path).unwrap_or_default();
        let committed: Value = serde_json::from_str(&text).unwrap_or_default();
        assert!(committed == published.schema, "{}: run `cargo xtask generate`", path.display());
    }
}
