//! Who descends from whom, as `/proc` tells it.

use std::path::Path;

use rustix::process::Pid;

/// Returns the living and unreaped children of a process; none when it is gone.
pub(crate) fn children(parent: Pid) -> Vec<Pid> {
    let tasks = format!("/proc/{}/task", parent.as_raw_nonzero());
    let Ok(threads) = fs_err::read_dir(&tasks) else { return Vec::new() };
    let mut found = Vec::new();
    for thread in threads.flatten() {
        match fs_err::read_to_string(thread.path().join("children")) {
            Ok(text) => found.extend(text.split_ascii_whitespace().filter_map(parse)),
            // The thread has ended, or the kernel keeps no such lists.
            Err(_) if thread.path().join("stat").exists() => return children_by_scan(parent),
            Err(_) => {}
        }
    }
    found
}

/// Returns every descendant of a process, the nearest first.
pub(crate) fn descendants(ancestor: Pid) -> Vec<Pid> {
    let mut found = children(ancestor);
    let mut next = 0;
    while let Some(pid) = found.get(next).copied() {
        next += 1;
        for child in children(pid) {
            // A process that is handed on while this is read may show up twice.
            if !found.contains(&child) {
                found.push(child);
            }
        }
    }
    found
}

/// Returns whether a process was started with a variable, given as `NAME=value`. One whose environment cannot be read was
/// not, as far as can be told.
pub(crate) fn was_started_with(pid: Pid, variable: &str) -> bool {
    let environment = fs_err::read(format!("/proc/{}/environ", pid.as_raw_nonzero())).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|entry| entry == variable.as_bytes())
}

/// Looks through all processes for those of a parent.
fn children_by_scan(parent: Pid) -> Vec<Pid> {
    let Ok(processes) = fs_err::read_dir("/proc") else { return Vec::new() };
    let pids = processes.flatten().filter_map(|entry| parse(entry.file_name().to_str()?));
    pids.filter(|pid| parent_of(Path::new("/proc"), *pid) == Some(parent)).collect()
}

fn parent_of(proc: &Path, pid: Pid) -> Option<Pid> {
    let stat = fs_err::read_to_string(proc.join(pid.as_raw_nonzero().to_string()).join("stat")).ok()?;
    // The name in parentheses may hold anything, parentheses too: `pid (name) state ppid …`.
    let (_, rest) = stat.rsplit_once(')')?;
    parse(rest.split_ascii_whitespace().nth(1)?)
}

fn parse(text: &str) -> Option<Pid> {
    Pid::from_raw(text.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test starts what it looks for")]
    fn both_ways_find_a_child_and_the_descendants_of_an_ancestor() {
        let mut child = std::process::Command::new("sleep").arg("30").spawn().expect("sleep");
        let (own, pid) = (rustix::process::getpid(), Pid::from_child(&child));
        assert!(children(own).contains(&pid));
        assert!(children_by_scan(own).contains(&pid));
        assert!(descendants(own).contains(&pid));
        child.kill().expect("it runs");
        child.wait().expect("its end");
        assert!(!children(own).contains(&pid));
    }

    #[test]
    fn a_name_with_parentheses_hides_no_parent() {
        let folder = std::env::temp_dir().join(format!("lineage-{}", std::process::id()));
        fs_err::create_dir_all(folder.join("7")).expect("a folder");
        fs_err::write(folder.join("7/stat"), "7 (a) 9 (b)) S 42 7 7 0").expect("a file");
        assert_eq!(parent_of(&folder, Pid::from_raw(7).expect("an id")), Pid::from_raw(42));
        fs_err::remove_dir_all(folder).expect("the folder");
    }
}
