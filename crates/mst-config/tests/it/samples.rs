//! One rule per file: `samples/valid` loads, `samples/invalid` is refused with the words of the text beside it.

use std::path::{Path, PathBuf};

use mst_config::{Diagnostics, SelectionFlags, load};
use serde_json::json;

use crate::catalog::request;

pub(crate) fn samples(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples").join(folder);
    let entries = fs_err::read_dir(folder).expect("the samples");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a sample").path()).collect();
    paths.retain(|path| path.extension().is_none_or(|extension| extension != "txt"));
    paths.sort();
    assert!(!paths.is_empty());
    paths
}

/// Loads a sample: a config as it is, a dataset through a plain config.
fn load_sample(path: &Path) -> Result<(), Diagnostics> {
    let flags = SelectionFlags::default();
    let folder = tempfile::tempdir().expect("a folder");
    let is_config = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("config-"));
    if is_config {
        return load(&request(path, folder.path(), &flags)).map(|_| ());
    }
    let config = json!({ "name": "sample", "datasets": [path], "client": "api", "model": "claude-x" });
    let config_path = folder.path().join("eval.json");
    fs_err::write(&config_path, config.to_string()).expect("a config");
    load(&request(&config_path, folder.path(), &flags)).map(|_| ())
}

/// Returns what is wrong, one line each, with the source line and its caret below.
fn rendered(error: &Diagnostics, sample: &Path) -> String {
    let folder = format!("{}/", sample.parent().expect("a folder").display());
    let mut lines = Vec::new();
    for diagnostic in error.errors() {
        let at = diagnostic.position.map_or(String::new(), |at| format!("{}:{}", at.line, at.column));
        lines.push(format!("{at} {} [{}]", diagnostic.pointer, diagnostic.code.as_str()));
        lines.push(format!("  {}", diagnostic.message.replace(&folder, "")));
        lines.extend(diagnostic.help.as_ref().map(|help| format!("  {help}")));
        if let Some(line) = &diagnostic.source_line {
            lines.push(format!("  | {}", line.text));
            lines.push(format!("  | {}{}", " ".repeat(line.caret), "^".repeat(line.width)));
        }
    }
    lines.join("\n") + "\n"
}

#[test]
fn valid_samples_load() {
    for path in samples("valid") {
        if let Err(error) = load_sample(&path) {
            panic!("{}: {error}", path.display());
        }
    }
}

/// With `MST_UPDATE_SAMPLES` set, the expected texts are written instead: read the difference before committing it.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "only a developer sets it; no run of the tests alone rewrites what it checks"
)]
fn invalid_samples_are_refused_with_their_words() {
    let update = std::env::var_os("MST_UPDATE_SAMPLES").is_some();
    let mut wrong = Vec::new();
    for path in samples("invalid") {
        let got = load_sample(&path).err().map(|error| rendered(&error, &path)).unwrap_or_default();
        if update && !got.is_empty() {
            fs_err::write(path.with_extension("txt"), &got).expect("a text");
        }
        let want = fs_err::read_to_string(path.with_extension("txt")).unwrap_or_default();
        if got.is_empty() || got != want {
            wrong.push(format!("{}\n--- wanted\n{want}--- got\n{got}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
