//! A program's own folder for one run: its home, its settings (none) and where it works.

use std::io;
use std::path::{Path, PathBuf};

use fs_err as fs;
use tempfile::TempDir;

/// A folder that is removed when it is dropped.
#[derive(Debug)]
pub(super) struct Home {
    root: TempDir,
}

impl Home {
    /// Makes a folder that only this user can read.
    pub(super) fn make() -> io::Result<Self> {
        let root = tempfile::Builder::new().prefix("gradable-judge-").tempdir()?;
        for name in ["home", "cfg", "cwd"] {
            fs::create_dir(root.path().join(name))?;
        }
        Ok(Self { root })
    }

    /// Returns a folder in it.
    pub(super) fn folder(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Returns the path of something in it.
    pub(super) fn path(&self, name: &str) -> String {
        self.folder(name).to_string_lossy().into_owned()
    }

    /// Writes a file into it.
    pub(super) fn write(&self, name: &str, text: &str) -> io::Result<()> {
        fs::write(self.folder(name), text)
    }

    /// Makes the user's login known to the program, and nothing else of theirs: a link, so that a token that the program
    /// renews is renewed where the user keeps it. Without one the program has to find credentials in its environment.
    #[cfg_attr(not(unix), expect(unused_variables, reason = "links need privileges elsewhere"))]
    pub(super) fn link_login(&self, user: Option<&Path>, name: &str) {
        #[cfg(unix)]
        if let Some(user) = user.filter(|user| user.is_file()) {
            let link = self.folder(name);
            let made =
                link.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::os::unix::fs::symlink(user, &link));
            if let Err(error) = made {
                tracing::warn!(%error, "the judge's login cannot be used");
            }
        }
    }

    /// Reads the files below a folder that end so, whatever their folders are called; none when there is no such folder.
    pub(super) fn read_files(&self, name: &str, ext: &str) -> Vec<String> {
        let mut folders = vec![self.folder(name)];
        let mut files = Vec::new();
        while let Some(folder) = folders.pop() {
            let Ok(entries) = fs::read_dir(folder) else { continue };
            for path in entries.flatten().map(|entry| entry.path()) {
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|found| found == ext) {
                    files.extend(fs::read_to_string(path));
                }
            }
        }
        files
    }
}
