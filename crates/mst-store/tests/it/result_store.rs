//! Runs in a result store: whole or not there, whatever happens on the way.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mst_ext::{Depth, RunStore, RunStoreError, StoreKey};
use mst_model::{Ending, RunId};
use mst_store::{
    Eligible, EvalLayout, FileStore, RunLayout, RunWriter, StoredEval, StoredRunError, UploadAs, sweep_fetches,
};
use mst_testkit::conformance;
use serde_json::{Value, json};

use crate::support::{Place, files, names, place, run_record, scrubbed, trial};

const GO_ON: &(dyn Fn() -> bool + Sync) = &|| false;

/// A store that has what every store has to have, and nothing more.
struct Bare(FileStore);

impl RunStore for Bare {
    fn location(&self) -> &str {
        self.0.location()
    }

    fn put(&self, key: &StoreKey, body: &mut dyn Read) -> Result<(), RunStoreError> {
        self.0.put(key, body)
    }

    fn get(&self, key: &StoreKey) -> Result<Option<Box<dyn Read + Send>>, RunStoreError> {
        self.0.get(key)
    }

    fn list(&self, below: Option<&StoreKey>, depth: Depth) -> Result<Vec<String>, RunStoreError> {
        self.0.list(below, depth)
    }
}

/// A store that takes so many changes, and then no more: as when the process or the way to the store ends there.
struct Dying {
    inner: FileStore,
    left: AtomicUsize,
}

impl Dying {
    fn spend(&self) -> Result<(), RunStoreError> {
        let spent = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        spent.map(drop).map_err(|_| RunStoreError::new("the way to the store ended"))
    }
}

impl RunStore for Dying {
    fn location(&self) -> &str {
        self.inner.location()
    }

    fn put(&self, key: &StoreKey, body: &mut dyn Read) -> Result<(), RunStoreError> {
        self.spend()?;
        self.inner.put(key, body)
    }

    fn get(&self, key: &StoreKey) -> Result<Option<Box<dyn Read + Send>>, RunStoreError> {
        self.inner.get(key)
    }

    fn list(&self, below: Option<&StoreKey>, depth: Depth) -> Result<Vec<String>, RunStoreError> {
        self.inner.list(below, depth)
    }

    fn remove(&self, key: &StoreKey) -> Result<(), RunStoreError> {
        self.spend()?;
        self.inner.remove(key)
    }
}

/// A machine with a run, and a store beside it.
struct Machine {
    place: Place,
    run: RunLayout,
    id: RunId,
}

impl Machine {
    fn new() -> Self {
        let place = place();
        let record = run_record(0, false);
        let id = record.run_id.clone();
        let mut writer = RunWriter::create(&place.eval, record.clone()).expect("made");
        for number in 0..3 {
            writer.save_trial(&scrubbed(trial(&record, "a/b", number, &Ending::Trial))).expect("saved");
        }
        writer.save_run_record(record).expect("saved");
        let run = writer.finish(Eligible::Yes).expect("finished").run;
        Self { place, run, id }
    }

    fn root(&self) -> PathBuf {
        self.place.eval.root().with_file_name("store")
    }

    fn stored(&self) -> StoredEval {
        eval_in(Arc::new(FileStore::new(self.root())))
    }

    /// Returns the store's folder of the run.
    fn copy(&self) -> PathBuf {
        self.root().join("parts-eval/runs").join(self.id.as_str())
    }

    /// Changes the run as a resume does: a file is another, one is gone, one is new, and the run says so.
    fn goes_on(&self) {
        fs_err::write(self.run.root().join("transcripts/default/a%2Fb/0.json"), "{ \"other\": true }")
            .expect("written");
        fs_err::remove_file(self.run.root().join("transcripts/default/a%2Fb/2.json")).expect("removed");
        fs_err::write(self.run.root().join("summary.json"), "{}").expect("written");
        let path = self.run.run_record();
        let mut record: Value = serde_json::from_slice(&fs_err::read(&path).expect("read")).expect("JSON");
        record["finishedAt"] = json!("2026-10-07T18:25:09.000Z");
        fs_err::write(path, record.to_string()).expect("written");
    }

    /// Fetches the run on another machine.
    fn fetched(&self) -> (Place, Result<RunLayout, StoredRunError>) {
        let other = place();
        let fetched = self.stored().fetch(&self.id, &other.eval, GO_ON).map(|fetched| fetched.run);
        (other, fetched)
    }
}

fn eval_in(store: Arc<dyn RunStore>) -> StoredEval {
    StoredEval::new(store, "parts-eval").expect("a name that names a directory")
}

#[test]
fn a_directory_is_a_result_store() {
    let dir = tempfile::tempdir().expect("a folder");
    conformance::run_store(&FileStore::new(dir.path().join("new/store")));
    conformance::run_store(&Bare(FileStore::new(dir.path().join("bare"))));
    assert!(names(dir.path()).iter().all(|name| !name.contains(".tmp-")), "nothing half written is left");
}

#[cfg(unix)]
#[test]
fn a_directory_s_links_are_not_followed() {
    let dir = tempfile::tempdir().expect("a folder");
    fs_err::create_dir_all(dir.path().join("store/eval")).expect("made");
    fs_err::create_dir_all(dir.path().join("outside")).expect("made");
    fs_err::write(dir.path().join("outside/secret"), "s").expect("written");
    let link = |from: &str, to: &str| {
        std::os::unix::fs::symlink(dir.path().join(to), dir.path().join("store").join(from)).expect("linked");
    };
    link("eval/runs", "outside");
    link("eval/file", "outside/secret");
    let store = FileStore::new(dir.path().join("store"));
    let key = |text: &str| StoreKey::new(text).expect("a key");
    for at in ["eval/runs/secret", "eval/runs/new", "eval/file"] {
        for error in [
            store.get(&key(at)).map(drop).expect_err(at),
            store.put(&key(at), &mut &b"x"[..]).expect_err(at),
            store.remove(&key(at)).expect_err(at),
        ] {
            assert!(error.to_string().contains("is a symbolic link"), "{at}: {error}");
        }
    }
    assert_eq!(store.list(None, Depth::All).expect("listed"), Vec::<String>::new());
    assert_eq!(names(&dir.path().join("outside")), ["secret"]);
    // The directory itself may be one: that was somebody's choice.
    std::os::unix::fs::symlink(dir.path().join("outside"), dir.path().join("linked")).expect("linked");
    let linked = FileStore::new(dir.path().join("linked"));
    assert_eq!(linked.list(None, Depth::All).expect("listed"), ["secret"]);
}

#[test]
fn a_run_goes_to_a_store_and_comes_from_it_as_it_was() {
    for bare in [false, true] {
        let machine = Machine::new();
        let store = FileStore::new(machine.root());
        let stored = eval_in(if bare { Arc::new(Bare(store)) } else { Arc::new(store) });
        let local = files(machine.run.root());
        let uploaded = stored.upload(&machine.run, &machine.id, UploadAs::New, GO_ON).expect("uploaded");
        assert_eq!(uploaded.files, local.len());
        let manifest: Value =
            serde_json::from_slice(&fs_err::read(machine.copy().join("manifest.json")).expect("there")).expect("JSON");
        assert_eq!((&manifest["format"], &manifest["kind"]), (&json!(1), &json!("manifest")));
        let file = &manifest["files"]["run.json"];
        let bytes = fs_err::read(machine.run.run_record()).expect("there");
        assert_eq!(*file, json!({ "size": bytes.len(), "sha256": mst_model::sha256_hex(&bytes) }));
        assert!(!machine.root().join("parts-eval/latest.json").exists(), "only what was asked for is written");
        stored.become_latest(&run_record(0, false)).expect("written");
        assert_eq!(stored.latest().expect("read").map(|latest| latest.run_id), Some(machine.id.clone()));
        assert_eq!(stored.record(&machine.id).expect("read").run_id, machine.id);

        let other = place();
        let id = stored.find(machine.id.short()).expect("found by its short form");
        let fetched = stored.fetch(&id, &other.eval, GO_ON).expect("fetched");
        assert_eq!(files(fetched.run.root()), local);
        assert_eq!((fetched.files, fetched.bytes), (uploaded.files, uploaded.bytes));
        assert_eq!(names(other.eval.root()).len(), local.len(), "nothing lies beside it");

        machine.goes_on();
        stored.upload(&machine.run, &machine.id, UploadAs::Again, GO_ON).expect("uploaded again");
        let other = place();
        let again = stored.fetch(&id, &other.eval, GO_ON).expect("fetched");
        assert_eq!(files(again.run.root()), files(machine.run.root()));
        let gone = machine.copy().join("transcripts/default/a%2Fb/2.json");
        assert!(fs_err::read(gone).unwrap_or_default().is_empty(), "what the run has no more is no file in the store");
    }
}

/// Whatever the point at which an upload ends, a run in the store is one that was, whole, or one that nobody fetches.
#[test]
fn an_upload_that_ends_anywhere_leaves_no_half_run() {
    for again in [false, true] {
        let mut steps = 0;
        loop {
            let machine = Machine::new();
            let before = files(machine.run.root());
            if again {
                machine.stored().upload(&machine.run, &machine.id, UploadAs::New, GO_ON).expect("uploaded");
                machine.stored().become_latest(&run_record(0, false)).expect("written");
                machine.goes_on();
            }
            let after = files(machine.run.root());
            let dying = Dying { inner: FileStore::new(machine.root()), left: AtomicUsize::new(steps) };
            let stored = eval_in(Arc::new(dying));
            let kind = if again { UploadAs::Again } else { UploadAs::New };
            let uploaded = stored.upload(&machine.run, &machine.id, kind, GO_ON);
            let (other, fetched) = machine.fetched();
            match (&uploaded, fetched) {
                (Ok(_), Ok(run)) => assert_eq!(files(run.root()), after),
                (Ok(_), Err(error)) => panic!("{error}"),
                // Nothing was touched yet.
                (Err(_), Ok(run)) => {
                    assert!(again && steps == 0, "{steps}");
                    assert_eq!(files(run.root()), before);
                }
                (Err(error), Err(refused)) => {
                    assert!(error.to_string().contains("the way to the store ended"), "{error}");
                    let absent = matches!(refused, StoredRunError::NoManifest { .. });
                    assert!(absent || matches!(refused, StoredRunError::NoSuchRun { .. }), "{refused}");
                    assert_eq!(left_in(&other.eval), 0, "something is left behind");
                }
            }
            let latest = machine.stored().latest().expect("read");
            assert_eq!(latest.is_some(), again, "an upload alone never changes what is the latest");
            let is_done = uploaded.is_ok();
            // The same upload then goes through, whatever it finds.
            machine.stored().upload(&machine.run, &machine.id, kind, GO_ON).expect("uploaded");
            let (_other, whole) = machine.fetched();
            assert_eq!(files(whole.expect("fetched").root()), after);
            if is_done {
                break;
            }
            steps += 1;
        }
        assert!(steps > 5, "{steps} steps");
    }
}

#[test]
fn a_run_that_is_not_as_its_manifest_says_is_refused_and_leaves_nothing() {
    type Change = (&'static str, fn(&Path), &'static str);
    let changes: &[Change] = &[
        ("another byte", |run| change(run, "run.json", |text| text.replace("0.1.0", "0.1.1")), "other bytes than"),
        ("shorter", |run| change(run, "journal.jsonl", |text| text[1..].to_owned()), "bytes of its manifest"),
        ("longer", |run| change(run, "run.json", |text| format!("{text} ")), "has more than the"),
        ("gone", |run| fs_err::remove_file(run.join("journal.jsonl")).expect("removed"), "journal.jsonl is not there"),
        ("no manifest", |run| fs_err::remove_file(run.join("manifest.json")).expect("removed"), "has no manifest"),
        ("empty manifest", |run| fs_err::write(run.join("manifest.json"), "").expect("written"), "has no manifest"),
        (
            "a path outside",
            |run| {
                fs_err::write(run.parent().expect("runs").join("x.json"), "{}").expect("written");
                listed(run, "../x.json", b"{}");
            },
            "leads elsewhere",
        ),
        (
            "another run's",
            |run| {
                change(run, "run.json", |text| text.replace("20261007T182504Z-7f3c00", "20261007T182504Z-7f3c01"));
                let bytes = fs_err::read(run.join("run.json")).expect("there");
                listed(run, "run.json", &bytes);
            },
            "run.json is of the run 20261007T182504Z-7f3c01",
        ),
        (
            "a format of later",
            |run| {
                change(run, "run.json", |text| text.replace("mst.run/v1", "mst.run/v9"));
                let bytes = fs_err::read(run.join("run.json")).expect("there");
                listed(run, "run.json", &bytes);
            },
            "mst.run/v9",
        ),
        #[cfg(unix)]
        (
            "a link",
            |run| {
                let path = run.join("journal.jsonl");
                fs_err::rename(&path, run.with_extension("elsewhere")).expect("moved");
                std::os::unix::fs::symlink(run.with_extension("elsewhere"), path).expect("linked");
            },
            "is a symbolic link",
        ),
    ];
    for (name, spoil, word) in changes {
        let machine = Machine::new();
        machine.stored().upload(&machine.run, &machine.id, UploadAs::New, GO_ON).expect("uploaded");
        spoil(&machine.copy());
        let (other, fetched) = machine.fetched();
        let error = fetched.expect_err(name).to_string();
        assert!(error.contains(word) && error.contains(&machine.root().display().to_string()), "{name}: {error}");
        assert!(!error.contains(".tmp-"), "{name}: {error}");
        assert_eq!(left_in(&other.eval), 0, "{name}: something is left behind");
    }
}

/// Returns how many files and folders a fetch left among an eval's runs.
fn left_in(eval: &EvalLayout) -> usize {
    fs_err::read_dir(eval.runs()).map_or(0, Iterator::count)
}

/// Changes a text file of a stored run.
fn change(run: &Path, file: &str, change: impl Fn(&str) -> String) {
    let path = run.join(file);
    let text = fs_err::read_to_string(&path).expect("there");
    let changed = change(&text);
    assert_ne!(text, changed);
    fs_err::write(path, changed).expect("written");
}

/// Adds a file to a stored run's manifest.
fn listed(run: &Path, file: &str, bytes: &[u8]) {
    let path = run.join("manifest.json");
    let mut manifest: Value = serde_json::from_slice(&fs_err::read(&path).expect("there")).expect("JSON");
    manifest["files"][file] = json!({ "size": bytes.len(), "sha256": mst_model::sha256_hex(bytes) });
    fs_err::write(path, manifest.to_string()).expect("written");
}

#[test]
fn a_store_is_never_overwritten_by_another_run_of_the_same_id() {
    let machine = Machine::new();
    machine.stored().upload(&machine.run, &machine.id, UploadAs::New, GO_ON).expect("uploaded");
    machine.stored().upload(&machine.run, &machine.id, UploadAs::New, GO_ON).expect("the same run again");
    let other = Machine::new();
    other.goes_on();
    let stored = machine.stored();
    let refused = stored.upload(&other.run, &other.id, UploadAs::New, GO_ON).expect_err("another run");
    assert!(matches!(refused, StoredRunError::Taken { .. }), "{refused}");
    assert_eq!(files(machine.fetched().1.expect("fetched").root()), files(machine.run.root()));
}

#[test]
fn runs_of_a_store_are_found_by_id_and_short_form() {
    let machine = Machine::new();
    let stored = machine.stored();
    assert!(stored.runs().expect("an empty store").is_empty());
    assert!(matches!(stored.find("7f3c00"), Err(StoredRunError::NoSuchRun { .. })));
    stored.upload(&machine.run, &machine.id, UploadAs::New, GO_ON).expect("uploaded");
    let runs = machine.root().join("parts-eval/runs");
    for name in ["20261007T182504Z-7f3c00.g2", "20261007T182504Z-7f3c00.g12", "20261008T182504Z-7f3c00", "notes"] {
        fs_err::create_dir_all(runs.join(name)).expect("made");
        fs_err::write(runs.join(name).join("run.json"), "{}").expect("written");
    }
    assert_eq!(stored.runs().expect("listed").len(), 4);
    assert_eq!(stored.find("20261007T182504Z-7f3c00").expect("found"), machine.id);
    assert_eq!(stored.find("7f3c00.g2").expect("found").as_str(), "20261007T182504Z-7f3c00.g2");
    let twice = stored.find("7f3c00").expect_err("two runs").to_string();
    assert!(twice.contains("is short for 2 runs") && twice.contains("20261008T182504Z-7f3c00"), "{twice}");
    for name in ["ffffff", "../parts-eval", "a/b", "", "20261007T182504Z-ffffff"] {
        assert!(matches!(stored.find(name), Err(StoredRunError::NoSuchRun { .. })), "{name}");
    }
    assert_eq!(stored.last_regrade(&machine.id).expect("listed"), 12);
    let none: RunId = "20261009T182504Z-7f3c00".parse().expect("an id");
    assert_eq!(stored.last_regrade(&none).expect("listed"), 1);
}

#[test]
fn what_a_killed_fetch_left_is_removed_by_the_next_one_and_a_running_one_is_left_alone() {
    let machine = Machine::new();
    machine.stored().upload(&machine.run, &machine.id, UploadAs::New, GO_ON).expect("uploaded");
    let other = place();
    let left = other.eval.runs().join(".tmp-fetch-abc123");
    fs_err::create_dir_all(left.join("transcripts")).expect("made");
    fs_err::write(left.join("transcripts/half"), "half").expect("written");
    let running = other.eval.runs().join(".tmp-fetch-def456");
    fs_err::create_dir_all(&running).expect("made");
    let lock = fs_err::File::open(&running).expect("opened");
    lock.file().try_lock().expect("locked");
    machine.stored().fetch(&machine.id, &other.eval, GO_ON).expect("fetched");
    assert!(!left.exists());
    assert!(running.exists());
    drop(lock);
    sweep_fetches(&other.eval).expect("swept");
    assert!(!running.exists());
    sweep_fetches(&EvalLayout::new(other.eval.root().join("none"))).expect("nothing to sweep");
}

#[test]
fn a_stop_ends_an_upload_and_a_fetch_with_nothing_half_there() {
    let machine = Machine::new();
    let stopped = machine.stored().upload(&machine.run, &machine.id, UploadAs::New, &|| true);
    assert!(matches!(stopped, Err(StoredRunError::Stopped)));
    machine.stored().upload(&machine.run, &machine.id, UploadAs::New, GO_ON).expect("uploaded");
    let other = place();
    let stopped = machine.stored().fetch(&machine.id, &other.eval, &|| true);
    assert!(matches!(stopped, Err(StoredRunError::Stopped)));
    assert_eq!(fs_err::read_dir(other.eval.runs()).expect("a folder").count(), 0);
}

#[cfg(unix)]
#[test]
fn what_no_store_keeps_is_named_before_anything_is_copied() {
    let machine = Machine::new();
    std::os::unix::fs::symlink("/etc/hostname", machine.run.root().join("transcripts/link")).expect("linked");
    let refused = machine.stored().upload(&machine.run, &machine.id, UploadAs::New, GO_ON).expect_err("a link");
    assert!(refused.to_string().contains("transcripts/link is neither a file nor a folder"), "{refused}");
    assert!(!machine.root().exists());
}
