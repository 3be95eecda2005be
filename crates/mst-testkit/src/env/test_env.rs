//! A folder and an environment for one test.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use indexmap::IndexMap;
use serde_json::Value;
use tempfile::TempDir;

use super::binary::find_binary;
use super::command::{self, Finished};
use super::filters;
use super::leftover::{self, LeftOver};
use crate::provider::FakeProvider;

static NUMBER: AtomicU32 = AtomicU32::new(0);

/// The variable whose value marks every process that a test starts.
const TAG: &str = "MST_TESTKIT_TAG";

/// A temporary folder with `home`, `tmp` and `bin`, and an environment of `PATH`, `HOME`, `TMPDIR` and what is added.
/// Programs run in the folder. Both end with the value, as does what its programs left running.
#[derive(Debug)]
pub struct TestEnv {
    folder: TempDir,
    root: PathBuf,
    tag: String,
    variables: IndexMap<String, String>,
    limit: Duration,
}

impl Default for TestEnv {
    fn default() -> Self {
        Self::new()
    }
}

impl TestEnv {
    /// Makes the folder.
    ///
    /// # Panics
    /// When the system's temporary folder cannot be written.
    pub fn new() -> Self {
        let folder =
            tempfile::Builder::new().prefix("mst-test-").tempdir().expect("the temporary folder can be written");
        let root = fs_err::canonicalize(folder.path()).expect("a new folder has a path");
        for name in ["home", "tmp", "bin"] {
            fs_err::create_dir(root.join(name)).expect("a new folder can be written");
        }
        let tag = format!("testkit-{}-{}-end", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let path = inherited_path();
        let variables = [
            ("PATH", format!("{}{}{path}", root.join("bin").display(), if cfg!(windows) { ';' } else { ':' })),
            ("HOME", root.join("home").display().to_string()),
            ("TMPDIR", root.join("tmp").display().to_string()),
            (TAG, tag.clone()),
        ];
        let variables = variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self { folder, root, tag, variables, limit: Duration::from_mins(1) }
    }

    /// Sets a variable for the programs that run here.
    pub fn with_variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.set_variable(name, value);
        self
    }

    /// Sets a variable for the programs that run here from now on.
    pub fn set_variable(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.variables.insert(name.into(), value.into());
    }

    /// Removes a variable.
    pub fn remove_variable(&mut self, name: &str) {
        self.variables.shift_remove(name);
    }

    /// Sets how long a program may run; a minute unless set.
    pub fn with_limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Points every provider at a fake, with dummy keys; keeps proxies out of the way and asks for no readiness
    /// retries.
    pub fn with_provider(self, provider: &FakeProvider) -> Self {
        self.with_provider_at(&provider.url())
    }

    /// Points every provider at a fake at this root, such as `http://127.0.0.1:18431`: one in a process of its own.
    pub fn with_provider_at(mut self, root: &str) -> Self {
        let (openai, google) = (format!("{root}/v1"), format!("{root}/v1beta"));
        let urls = [
            ("ANTHROPIC", root.to_owned()),
            ("OPENAI", openai.clone()),
            ("GOOGLE_GENERATIVE_AI", google.clone()),
            ("GEMINI", google),
            ("MISTRAL", openai.clone()),
            ("DEEPSEEK", openai.clone()),
            ("XAI", openai),
            ("OPENROUTER", format!("{root}/api/v1")),
            ("AZURE", format!("{root}/openai")),
            ("OLLAMA", root.to_owned()),
            ("GOOGLE_VERTEX", format!("{root}/v1")),
        ];
        for (provider, url) in urls {
            self.set_variable(format!("{provider}_BASE_URL"), url);
            self.set_variable(
                format!("{provider}_API_KEY"),
                format!("sk-fake-{}-0001", provider.to_lowercase().replace('_', "-")),
            );
        }
        for name in ["NO_PROXY", "no_proxy"] {
            self.set_variable(name, "127.0.0.1,localhost");
        }
        self.set_variable("MST_MCP_READINESS_RETRY_S", "");
        self
    }

    /// Returns the folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the home folder of the programs that run here.
    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// Returns the folder that comes first in `PATH`.
    pub fn bin(&self) -> PathBuf {
        self.root.join("bin")
    }

    /// Returns a path in the folder.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root.join(name)
    }

    /// Returns the variables that programs run with.
    pub fn variables(&self) -> &IndexMap<String, String> {
        &self.variables
    }

    /// Writes a file, with the folders above it, and returns its path.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn write(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root.join(name);
        fs_err::create_dir_all(path.parent().expect("a file in the folder has a parent"))
            .expect("the test's folder can be written");
        fs_err::write(&path, content).expect("the test's folder can be written");
        path
    }

    /// Writes a JSON file and returns its path.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn write_json(&self, name: impl AsRef<Path>, content: &Value) -> PathBuf {
        self.write(name, format!("{content:#}\n"))
    }

    /// Reads a file of the folder as text.
    ///
    /// # Panics
    /// When it cannot be read.
    pub fn read(&self, name: impl AsRef<Path>) -> String {
        fs_err::read_to_string(self.root.join(name)).expect("the file was written")
    }

    /// Reads a file of the folder as JSON.
    ///
    /// # Panics
    /// When it cannot be read or is not JSON.
    pub fn read_json(&self, name: impl AsRef<Path>) -> Value {
        serde_json::from_str(&self.read(name)).expect("the file holds JSON")
    }

    /// Reads a file of JSON lines, such as the log of a fake server; empty when there is no file.
    ///
    /// # Panics
    /// When a line is not JSON.
    pub fn read_lines(&self, name: impl AsRef<Path>) -> Vec<Value> {
        let text = fs_err::read_to_string(self.root.join(name)).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).expect("each line holds JSON")).collect()
    }

    /// Finds the `mst` program beside the running test.
    ///
    /// # Panics
    /// When it was not built.
    pub fn mst() -> PathBuf {
        find_binary("mst", "mst")
    }

    /// Prepares a command that runs in the folder with the test's environment, to be started by the test itself.
    #[expect(clippy::disallowed_methods, reason = "tests start the programs that they test")]
    pub fn command<A: AsRef<std::ffi::OsStr>>(
        &self,
        program: &Path,
        arguments: impl IntoIterator<Item = A>,
    ) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.root).env_clear().envs(&self.variables);
        command
    }

    /// Runs a program in the folder with an empty stdin.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn run<A: AsRef<std::ffi::OsStr>>(&self, program: &Path, arguments: impl IntoIterator<Item = A>) -> Finished {
        self.run_with_stdin(program, arguments, b"")
    }

    /// Runs a program in the folder with this stdin.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn run_with_stdin<A: AsRef<std::ffi::OsStr>>(
        &self,
        program: &Path,
        arguments: impl IntoIterator<Item = A>,
        stdin: &[u8],
    ) -> Finished {
        command::run(self.command(program, arguments), stdin, self.limit, &|| self.left_over())
    }

    /// Finds processes that were started here and are alive (Linux).
    pub fn left_over(&self) -> Vec<LeftOver> {
        leftover::find(&self.tag, &self.root)
    }

    /// Returns the snapshot filters: this folder first, then [`filters`](super::filters).
    pub fn filters(&self) -> Vec<(String, String)> {
        let folders = [self.root.as_path(), self.folder.path()];
        let own = folders.iter().map(|folder| (regex::escape(&folder.display().to_string()), "[DIR]".to_owned()));
        own.chain(filters::filters().into_iter().map(|(pattern, text)| (pattern.to_owned(), text.to_owned()))).collect()
    }

    /// Applies the snapshot filters to a text.
    pub fn normalise(&self, text: &str) -> String {
        filters::normalise(text, self.filters())
    }
}

impl Drop for TestEnv {
    fn drop(&mut self) {
        leftover::kill(&self.left_over());
    }
}

#[expect(clippy::disallowed_methods, reason = "programs of a test are found where the test itself would find them")]
fn inherited_path() -> String {
    std::env::var("PATH").unwrap_or_else(|_| "/usr/bin:/bin".to_owned())
}
