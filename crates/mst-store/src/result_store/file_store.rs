//! The result store that is a directory: on this machine, or on a disk that several share.

use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use mst_ext::{Depth, ResultStore, ResultStoreDefinition, RunStore, RunStoreError, StoreKey};
use serde_json::{Map, Value, json};

use crate::atomic::{TEMPORARY, at, check_writable, persist, temporary_below};
use crate::error::StoreError;
use crate::sync::Unsynced;

/// How many bytes are copied at once.
const CHUNK: usize = 256 * 1024;

/// The kind `file`: a directory is the store.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileResultStore;

impl ResultStore for FileResultStore {
    fn definition(&self) -> ResultStoreDefinition {
        ResultStoreDefinition {
            name: "file".to_owned(),
            description: "A directory, written file:DIR".to_owned(),
            options: json!({
                "type": "object",
                "properties": {
                    "dir": {
                        "type": "string",
                        "minLength": 1,
                        "description": "The directory: relative to the eval config's directory, on the command line to the working directory",
                    },
                },
                "required": ["dir"],
                "additionalProperties": false,
            }),
        }
    }

    fn create(&self, options: &Map<String, Value>, base: &Path) -> Result<Arc<dyn RunStore>, String> {
        let dir = options.get("dir").and_then(Value::as_str).ok_or("it needs the option \"dir\"")?;
        Ok(Arc::new(FileStore::new(base.join(dir))))
    }
}

/// A directory that keeps bytes under keys, each in a file of its own.
///
/// A file is written beside its place and renamed. Symbolic links below the directory are never followed.
#[derive(Debug)]
pub struct FileStore {
    root: PathBuf,
    location: String,
    unsynced: Mutex<Unsynced>,
}

impl FileStore {
    /// Names the directory; nothing is read or made.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        Self { location: format!("file:{}", root.display()), root, unsynced: Mutex::default() }
    }

    /// Returns where a key's file lies, when no link and nothing but folders lie on the way.
    fn place(&self, key: &StoreKey) -> Result<PathBuf, RunStoreError> {
        let mut path = self.root.clone();
        let mut parts = key.parts().peekable();
        while let Some(part) = parts.next() {
            path.push(part);
            match fs_err::symlink_metadata(&path) {
                Ok(found) if found.is_symlink() => {
                    return Err(refusal(&path, "is a symbolic link, which is not followed"));
                }
                Ok(found) if parts.peek().is_some() && !found.is_dir() => {
                    return Err(refusal(&path, "is no folder"));
                }
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    path.extend(parts);
                    return Ok(path);
                }
                Err(error) => return Err(RunStoreError::new(error.to_string())),
            }
        }
        Ok(path)
    }

    fn put_at(&self, path: &Path, body: &mut dyn Read) -> Result<(), StoreError> {
        // A store begins with its first file.
        fs_err::create_dir_all(&self.root)?;
        let mut file = temporary_below(&self.root, path)?;
        let mut buffer = vec![0; CHUNK];
        loop {
            match body.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => file.write_all(&buffer[..count]).map_err(|error| at(&error, path))?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(persist(file, path)?)
    }
}

impl RunStore for FileStore {
    fn location(&self) -> &str {
        &self.location
    }

    fn check(&self) -> Result<(), RunStoreError> {
        if self.root.exists() && !self.root.is_dir() {
            return Err(refusal(&self.root, "is no directory"));
        }
        check_writable(&self.root).map_err(|error| RunStoreError::new(error.to_string()))
    }

    fn put(&self, key: &StoreKey, body: &mut dyn Read) -> Result<(), RunStoreError> {
        let path = self.place(key)?;
        self.put_at(&path, body).map_err(|error| RunStoreError::new(error.to_string()))?;
        self.unsynced.lock().unwrap_or_else(PoisonError::into_inner).add(path, &self.root);
        Ok(())
    }

    fn get(&self, key: &StoreKey) -> Result<Option<Box<dyn Read + Send>>, RunStoreError> {
        let path = self.place(key)?;
        match fs_err::symlink_metadata(&path) {
            Ok(found) if found.is_file() => {}
            Ok(_) => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(RunStoreError::new(error.to_string())),
        }
        match fs_err::File::open(&path) {
            Ok(file) => Ok(Some(Box::new(file))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(RunStoreError::new(error.to_string())),
        }
    }

    fn list(&self, below: Option<&StoreKey>, depth: Depth) -> Result<Vec<String>, RunStoreError> {
        let folder = below.map_or_else(|| Ok(self.root.clone()), |key| self.place(key))?;
        let mut found = Vec::new();
        let key = below.map(StoreKey::as_str).unwrap_or_default();
        collect(&folder, key, depth, &mut found).map_err(|error| RunStoreError::new(error.to_string()))?;
        Ok(found)
    }

    fn remove(&self, key: &StoreKey) -> Result<(), RunStoreError> {
        let path = self.place(key)?;
        match fs_err::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(RunStoreError::new(error.to_string())),
            _ => Ok(()),
        }
    }

    fn flush(&self) -> Result<(), RunStoreError> {
        let batch = self.unsynced.lock().unwrap_or_else(PoisonError::into_inner).take();
        batch.sync().map_err(|error| RunStoreError::new(error.to_string()))
    }
}

/// Adds the keys below a folder.
fn collect(folder: &Path, key: &str, depth: Depth, found: &mut Vec<String>) -> io::Result<()> {
    let mut folders = Vec::new();
    for entry in listed(folder)? {
        let (name, kind) = entry?;
        let full = if key.is_empty() { name.clone() } else { format!("{key}/{name}") };
        // What has no key was put there by someone else.
        if name.starts_with(TEMPORARY) || StoreKey::new(full.as_str()).is_err() {
            continue;
        }
        if kind.is_file() {
            found.push(full);
        } else if kind.is_dir() {
            folders.push((folder.join(name), full));
        }
    }
    for (path, full) in folders {
        match depth {
            Depth::All => collect(&path, &full, depth, found)?,
            Depth::One if holds_files(&path)? => found.push(format!("{full}/")),
            Depth::One => {}
        }
    }
    Ok(())
}

fn refusal(path: &Path, problem: &str) -> RunStoreError {
    RunStoreError::new(format!("{} {problem}", path.display()))
}

/// Lists a folder's names that are text; nothing when it is absent or no folder.
fn listed(folder: &Path) -> io::Result<impl Iterator<Item = io::Result<(String, std::fs::FileType)>>> {
    let listing = match fs_err::read_dir(folder) {
        Ok(listing) => Some(listing),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => None,
        Err(error) => return Err(error),
    };
    Ok(listing.into_iter().flatten().filter_map(|entry| match entry {
        Ok(entry) => {
            let name = entry.file_name().into_string().ok()?;
            Some(entry.file_type().map(|kind| (name, kind)))
        }
        Err(error) => Some(Err(error)),
    }))
}

/// Returns whether a folder holds a file, however deep.
fn holds_files(folder: &Path) -> io::Result<bool> {
    let mut folders = Vec::new();
    for entry in listed(folder)? {
        let (name, kind) = entry?;
        if kind.is_file() && !name.starts_with(TEMPORARY) {
            return Ok(true);
        }
        if kind.is_dir() {
            folders.push(folder.join(name));
        }
    }
    for folder in folders {
        if holds_files(&folder)? {
            return Ok(true);
        }
    }
    Ok(false)
}
