//! What every result store has to do.

use std::collections::BTreeSet;
use std::io::{self, Read};

use mst_ext::{Depth, RunStore, StoreKey};

/// How large the bodies are that show whether bytes are replaced at once.
const LARGE: usize = 1024 * 1024;

/// Checks a store against its contract. It has to be empty, and is not afterwards.
///
/// # Panics
/// When it does otherwise than the contract says.
pub fn run_store(store: &dyn RunStore) {
    assert!(!store.location().is_empty(), "a store says where it is");
    store.check().expect("an empty store can be used");
    keeps_bytes(store);
    lists_keys(store);
    replaces_at_once(store);
    keeps_the_old_bytes_when_a_body_fails(store);
    removes(store);
    takes_many_at_once(store);
    store.flush().expect("flushed");
}

fn key(text: &str) -> StoreKey {
    StoreKey::new(text).expect("a key")
}

fn put(store: &dyn RunStore, at: &str, bytes: &[u8]) {
    store.put(&key(at), &mut &*bytes).unwrap_or_else(|error| panic!("{at}: {error}"));
}

fn get(store: &dyn RunStore, at: &str) -> Option<Vec<u8>> {
    let mut body = store.get(&key(at)).unwrap_or_else(|error| panic!("{at}: {error}"))?;
    let mut bytes = Vec::new();
    body.read_to_end(&mut bytes).expect("a body that can be read");
    Some(bytes)
}

fn list(store: &dyn RunStore, below: Option<&str>, depth: Depth) -> BTreeSet<String> {
    let listed = store.list(below.map(key).as_ref(), depth).expect("listed");
    let unique: BTreeSet<String> = listed.iter().cloned().collect();
    assert_eq!(unique.len(), listed.len(), "each key is listed once: {listed:?}");
    unique
}

fn keeps_bytes(store: &dyn RunStore) {
    assert_eq!(get(store, "none/at all"), None, "what was never put is not there, and no error");
    for (at, bytes) in [
        ("bytes/text", &b"abc"[..]),
        ("bytes/none", b""),
        ("bytes/binary", &[0, 255, 13, 10]),
        ("bytes/a b%2Fc/it's (one)~!", b"x"),
        ("bytes/\u{691c}/\u{e9}", b"y"),
    ] {
        put(store, at, bytes);
        assert_eq!(get(store, at).as_deref(), Some(bytes), "{at}");
    }
    put(store, "bytes/text", b"longer than before");
    put(store, "bytes/text", b"short");
    assert_eq!(get(store, "bytes/text").as_deref(), Some(&b"short"[..]), "nothing of the longer bytes is left");
    assert_eq!(get(store, "bytes"), None, "what only lies above keys holds no bytes");
}

fn lists_keys(store: &dyn RunStore) {
    for at in
        ["list/runs/a/run.json", "list/runs/a/t/v/0.json", "list/runs/b/run.json", "list/latest.json", "list/runsx"]
    {
        put(store, at, b"x");
    }
    let set = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<BTreeSet<_>>();
    let all =
        ["list/latest.json", "list/runs/a/run.json", "list/runs/a/t/v/0.json", "list/runs/b/run.json", "list/runsx"];
    assert_eq!(list(store, Some("list"), Depth::All), set(&all));
    assert_eq!(list(store, Some("list"), Depth::One), set(&["list/latest.json", "list/runs/", "list/runsx"]));
    assert_eq!(list(store, Some("list/runs"), Depth::One), set(&["list/runs/a/", "list/runs/b/"]));
    assert_eq!(list(store, Some("list/runs/b"), Depth::One), set(&["list/runs/b/run.json"]));
    assert_eq!(list(store, Some("list/nothing"), Depth::All), set(&[]), "nothing there is no error");
    assert_eq!(list(store, Some("list/latest.json"), Depth::All), set(&[]), "nothing lies below bytes");
    assert_eq!(list(store, None, Depth::One), set(&["bytes/", "list/"]));
    assert!(list(store, None, Depth::All).is_superset(&set(&all)));
}

/// Whoever reads while bytes are replaced gets the old or the new ones, whole.
fn replaces_at_once(store: &dyn RunStore) {
    put(store, "atomic/file", &vec![b'a'; LARGE]);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for letter in *b"bcdef" {
                put(store, "atomic/file", &vec![letter; LARGE]);
            }
        });
        while !writer.is_finished() {
            let bytes = get(store, "atomic/file").expect("it never goes away");
            assert_eq!(bytes.len(), LARGE, "a part was read");
            assert!(bytes.iter().all(|byte| *byte == bytes[0]), "two bodies were mixed");
            assert_eq!(list(store, Some("atomic"), Depth::All).len(), 1, "nothing half written is listed");
        }
    });
}

/// A body that ends in an error.
struct Broken(usize);

impl Read for Broken {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0 == 0 {
            return Err(io::Error::other("the body broke"));
        }
        let count = buffer.len().min(self.0);
        self.0 -= count;
        buffer[..count].fill(b'z');
        Ok(count)
    }
}

fn keeps_the_old_bytes_when_a_body_fails(store: &dyn RunStore) {
    put(store, "broken/old", b"old");
    for at in ["broken/old", "broken/new"] {
        let error = store.put(&key(at), &mut Broken(100_000)).expect_err("a body that breaks is not kept");
        assert!(error.to_string().contains("the body broke"), "{error}");
    }
    assert_eq!(get(store, "broken/old").as_deref(), Some(&b"old"[..]));
    assert_eq!(get(store, "broken/new"), None);
    assert_eq!(list(store, Some("broken"), Depth::All).len(), 1);
}

fn removes(store: &dyn RunStore) {
    put(store, "removed/one", b"1");
    put(store, "removed/two", b"2");
    for _ in 0..2 {
        store.remove(&key("removed/one")).expect("removing what is gone is no error");
        // A store that cannot remove keeps no bytes.
        assert!(get(store, "removed/one").is_none_or(|bytes| bytes.is_empty()));
    }
    assert_eq!(get(store, "removed/two").as_deref(), Some(&b"2"[..]));
}

fn takes_many_at_once(store: &dyn RunStore) {
    std::thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || {
                for file in 0..25 {
                    put(store, &format!("many/{}/{thread}-{file}", file % 3), format!("{thread} {file}").as_bytes());
                }
            });
        }
    });
    assert_eq!(list(store, Some("many"), Depth::All).len(), 200);
    assert_eq!(get(store, "many/1/7-4").as_deref(), Some(&b"7 4"[..]));
}
