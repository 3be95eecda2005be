//! Surfaces of real servers, from files. `MST_SHARED` names the folder that holds them, and an independent checker.

use std::path::{Path, PathBuf};

use mst_testkit::TestEnv;

use crate::support::run;

/// Returns the folder of what others made.
#[expect(clippy::disallowed_methods, reason = "the one setting of a test that needs others' files")]
pub(crate) fn shared() -> PathBuf {
    PathBuf::from(std::env::var("MST_SHARED").expect("MST_SHARED names the folder with surfaces/ and tools/"))
}

/// Has the checker recompute a report in exact fractions and compare it with its surface. What it only warns of counts too
/// where the offline judge answered: a model's prompts have hashes that it does not know, and a whole surface has fewer tokens
/// than its tools have one by one.
#[track_caller]
pub(crate) fn recompute(env: &TestEnv, report: &str, surface: &Path) {
    let checker = shared().join("tools/gradable_oracle/oracle.py").display().to_string();
    let surface = surface.display().to_string();
    let is_offline = env.read_json(report)["judge"]["cli"] == "offline";
    let arguments = [checker.as_str(), "--quiet", "--surface", &surface, report].into_iter();
    let arguments = arguments.chain(is_offline.then_some("--strict"));
    let finished = env.run(Path::new("python3"), arguments);
    assert_eq!(finished.code, Some(0), "{}\n{}", finished.stdout, finished.stderr);
}

#[test]
#[ignore = "needs the shared folder"]
fn every_surface_is_graded_and_recomputes() {
    let env = TestEnv::new();
    let mut graded = 0;
    for entry in fs_err::read_dir(shared().join("surfaces")).expect("surfaces") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if path.extension().is_none_or(|extension| extension != "json") || name == "packages" {
            continue;
        }
        let out = format!("out/{name}");
        let file = path.display().to_string();
        run(&env, &["scan", "--surface", &file, "--out", &out]).expect_code(0);
        recompute(&env, &format!("{out}/report.json"), &path);
        run(&env, &["score", &format!("{out}/report.json")]).expect_code(0);
        graded += 1;
    }
    assert!(graded > 50, "{graded} surfaces");
}
