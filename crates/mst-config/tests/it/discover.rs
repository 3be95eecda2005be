//! Other programs' files, written by us: what each is read as stands in the text beside it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use mst_config::discover::{FoundServer, Platform, Surroundings, places, read, read_manifest};
use mst_config::{SelectionFlags, load};
use serde_json::json;

use crate::catalog::request;

fn around() -> Surroundings {
    let variables =
        [("HOME", "/home/u"), ("NOTES_PAT", "hidden-20"), ("REMOTE_KEY", "hidden-21"), ("PARTS_KEY", "hidden-22")];
    Surroundings {
        variables: variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        home: Some("/home/u".into()),
        folder: "/home/user/project".into(),
        platform: Platform::Linux,
    }
}

fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/configs");
    let entries = fs_err::read_dir(folder).expect("the fixtures");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a fixture").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension != "txt"));
    paths.sort();
    assert!(paths.len() > 8);
    paths
}

/// Returns what a file is read as. It stands in the project's folder, whatever the folder of the fixture.
fn rendered(fixture: &Path) -> String {
    let name = fixture.file_name().expect("a name");
    let bytes = fs_err::read(fixture).expect("a fixture");
    let found = match read(&Path::new("/home/user/project").join(name), bytes, &around()) {
        Ok(found) => found,
        Err(wrong) => return format!("refused: {wrong} [{}]\n", wrong.code.as_str()),
    };
    let mut out = format!("format: {}\n", found.format.as_str());
    for server in &found.servers {
        let off = if server.disabled { ", switched off" } else { "" };
        let _written = write!(out, "\n{} ({:?}{off})\n", server.label, server.name);
        match &server.launch {
            Err(wrong) => {
                let _written = writeln!(out, "  refused: {wrong}");
            }
            Ok(launch) => {
                let _written = writeln!(out, "  {}", json!(launch.written));
                for variable in &launch.variables {
                    let _written =
                        writeln!(out, "  needs {} (known {}, set {})", variable.name, variable.known, variable.set);
                }
                for note in &launch.notes {
                    let _written = writeln!(out, "  note: {note}");
                }
            }
        }
    }
    out
}

/// With `MST_UPDATE_SAMPLES` set, the expected texts are written instead: read the difference before committing it.
#[test]
#[expect(clippy::disallowed_methods, reason = "the one setting of a test that writes what it compares with")]
fn files_of_other_programs_are_read_as_the_text_beside_them() {
    for path in fixtures() {
        let text = path.with_file_name(format!("{}.txt", path.file_name().expect("a name").to_string_lossy()));
        let rendered = rendered(&path);
        assert!(!rendered.contains("hidden"), "a secret got out:\n{rendered}");
        if std::env::var_os("MST_UPDATE_SAMPLES").is_some() {
            fs_err::write(&text, &rendered).expect("a text");
        }
        assert_eq!(rendered, fs_err::read_to_string(&text).expect("a text"), "{}", path.display());
    }
}

fn every_server() -> Vec<FoundServer> {
    let project = Path::new("/home/user/project");
    let read = |path: PathBuf| {
        let name = path.file_name().expect("a name").to_owned();
        read(&project.join(name), fs_err::read(&path).expect("a fixture"), &around()).ok()
    };
    fixtures().into_iter().filter_map(read).flat_map(|found| found.servers).collect()
}

#[test]
fn whatever_is_written_passes_a_dry_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let dataset = json!({ "name": "d", "cases": [{ "id": "a", "input": "Hello" }] });
    fs_err::write(folder.path().join("d.json"), dataset.to_string()).expect("a dataset");
    let mut count = 0;
    for server in every_server() {
        let Ok(launch) = &server.launch else { continue };
        let config = json!({ "name": "e", "datasets": ["d.json"], "client": "api", "model": "lexical-1",
            "servers": { server.label.clone(): launch.written } });
        let path = folder.path().join("e.json");
        fs_err::write(&path, config.to_string()).expect("a config");
        load(&request(&path, folder.path(), &SelectionFlags::default()))
            .unwrap_or_else(|error| panic!("{config}: {error}"));
        count += 1;
    }
    assert!(count > 15, "{count}");
}

#[test]
fn what_is_connected_to_has_every_value_and_no_debug_text_has_one() {
    let servers = every_server();
    let of = |label: &str| servers.iter().find(|server| server.label == label).expect("a server").clone();
    let connected = |label: &str| json!(of(label).launch.expect("a launch").connect).to_string();
    for (label, secret) in [("literal-bearer", "hidden-2"), ("argument-secrets", "hidden-6"), ("from-env", "hidden-20")]
    {
        assert!(connected(label).contains(secret), "{label}");
        assert!(!format!("{:?}", of(label)).contains("hidden"), "{label}");
    }
}

#[test]
fn hostile_files_are_refused_and_never_panic() {
    let path = Path::new("/home/user/project/.mcp.json");
    let deep = |open: &str, close: &str| (open.repeat(100_000) + &close.repeat(100_000)).into_bytes();
    let wide = format!(
        "{{\"mcpServers\": {{{}}}}}",
        (0..20_000).map(|at| format!("\"s{at}\": 1")).collect::<Vec<_>>().join(",")
    );
    for bytes in [
        deep("[", "]"),
        deep("{\"mcpServers\":", "}"),
        deep("/*", "*/"),
        vec![0xff; 1_000],
        vec![],
        b"\xef\xbb\xbf{}".to_vec(),
        b"null".to_vec(),
        b"{\"mcpServers\": {\"a\": {\"command\": \"\\ud800\"}}}".to_vec(),
        b"{\"mcpServers\": {\"a\": {\"command\": \"x\\u0000y\", \"env\": {\"\": \"\", \"A=B\": \"c\"}}}}".to_vec(),
        b"{\"mcpServers\": {\"a\": {\"url\": \"http://[::1\"}, \"b\": {\"url\": \"file:///etc/passwd\"}}}".to_vec(),
        wide.into_bytes(),
    ] {
        drop(read(path, bytes, &around()));
    }
    for bytes in [deep("[", "]"), b"a = [[[[".to_vec(), b"[mcp_servers]\na.b.c = 1979-05-27".to_vec(), vec![0xff]] {
        drop(read(Path::new("/home/user/project/config.toml"), bytes, &around()));
    }
    for manifest in
        ["{}", "[]", "{\"manifest_version\": 1, \"server\": {\"type\": \"x\", \"entry_point\": \"../../x\"}}"]
    {
        drop(read_manifest(Path::new("/x.mcpb"), manifest.as_bytes().to_vec(), Path::new("/x"), &around()));
    }
}

#[test]
fn every_program_has_its_places_on_every_platform() {
    let of = |platform, variables: &[(&str, &str)]| {
        let variables: BTreeMap<_, _> =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let around = Surroundings { variables, platform, ..around() };
        let paths = places(&around).into_iter().map(|place| place.path.display().to_string().replace('\\', "/"));
        paths.collect::<Vec<_>>()
    };
    let linux = of(Platform::Linux, &[]);
    for path in [
        "/home/user/project/.mcp.json",
        "/home/user/project/.vscode/mcp.json",
        "/home/u/.config/Claude/claude_desktop_config.json",
        "/home/u/.claude.json",
        "/home/u/.cursor/mcp.json",
        "/home/u/.config/Code/User/mcp.json",
        "/home/u/.codex/config.toml",
    ] {
        assert!(linux.iter().any(|known| known == path), "{path}: {linux:?}");
    }
    let moved = of(Platform::Linux, &[("XDG_CONFIG_HOME", "/c"), ("CODEX_HOME", "/codex")]);
    assert!(
        moved.contains(&"/c/Claude/claude_desktop_config.json".to_owned())
            && moved.contains(&"/codex/config.toml".to_owned())
    );
    let mac = of(Platform::MacOs, &[]);
    assert!(mac.contains(&"/home/u/Library/Application Support/Claude/claude_desktop_config.json".to_owned()));
    let windows = of(Platform::Windows, &[("APPDATA", "/data")]);
    assert!(windows.contains(&"/data/Code/User/mcp.json".to_owned()), "{windows:?}");
}
