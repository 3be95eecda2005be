//! Processes that a test's program left behind, found by the tag in their environment or by the test's folder (Linux).

use std::path::Path;

/// A process that is still alive and belongs to a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOver {
    /// The process id.
    pub pid: u32,
    /// The command line, joined by spaces.
    pub command: String,
}

/// Finds living processes whose environment holds the tag, that work in the folder, or that name it in their command
/// line (a server may run with an environment of its own); none where there is no /proc.
pub(super) fn find(tag: &str, folder: &Path) -> Vec<LeftOver> {
    let Ok(entries) = fs_err::read_dir("/proc") else { return Vec::new() };
    let own = std::process::id();
    entries
        .filter_map(|entry| {
            let process = entry.ok()?.path();
            let pid: u32 = process.file_name()?.to_str()?.parse().ok()?;
            let command = fs_err::read(process.join("cmdline")).ok()?;
            let is_ours = pid != own
                && !command.is_empty()
                && (is_tagged(&process, tag)
                    || is_in(&process, folder)
                    || holds(&command, folder.as_os_str().as_encoded_bytes()));
            let command = String::from_utf8_lossy(&command).replace('\0', " ").trim().to_owned();
            (is_ours && !is_zombie(&process)).then_some(LeftOver { pid, command })
        })
        .collect()
}

/// Kills processes that were found; those that end on their own meanwhile are no problem.
pub(super) fn kill(processes: &[LeftOver]) {
    #[cfg(unix)]
    for process in processes {
        if let Some(pid) = i32::try_from(process.pid).ok().and_then(rustix::process::Pid::from_raw) {
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).ok();
        }
    }
    #[cfg(not(unix))]
    let _ = processes;
}

fn is_tagged(process: &Path, tag: &str) -> bool {
    fs_err::read(process.join("environ")).is_ok_and(|bytes| holds(&bytes, tag.as_bytes()))
}

fn is_in(process: &Path, folder: &Path) -> bool {
    fs_err::read_link(process.join("cwd")).is_ok_and(|path| path.starts_with(folder))
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

fn is_zombie(process: &Path) -> bool {
    fs_err::read_to_string(process.join("stat"))
        .is_ok_and(|stat| stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('Z')))
}
