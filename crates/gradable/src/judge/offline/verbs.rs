//! What people call what a tool does.

/// A kind of doing, with the words for it and how a user asks for it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Verb {
    /// What it is called when two words for it are to be the same.
    pub(super) class: &'static str,
    /// The words for it in names of tools.
    pub(super) words: &'static [&'static str],
    /// Requests in the plainest word; `{o}` is what it is done to.
    pub(super) plain: &'static [&'static str],
    /// Requests in other words.
    pub(super) other: &'static [&'static str],
    /// What such a call gives back; `{o}` as above.
    pub(super) gives: &'static str,
}

/// The kinds that are known.
pub(super) const VERBS: &[Verb] = &[
    Verb {
        class: "get",
        words: &[
            "get", "fetch", "read", "retrieve", "show", "view", "describe", "load", "inspect", "info", "details",
            "open",
        ],
        plain: &["Get {o}", "Show me {o}"],
        other: &["I want to look at {o}", "What does {o} say"],
        gives: "Returns {o}.",
    },
    Verb {
        class: "list",
        words: &["list", "ls", "enumerate", "browse", "all"],
        plain: &["List {o}", "List all {o}"],
        other: &["Which {o} are there", "Give me an overview of {o}"],
        gives: "Returns a list of {o}.",
    },
    Verb {
        class: "search",
        words: &["search", "find", "query", "lookup", "filter", "discover", "grep", "suggest"],
        plain: &["Search {o}", "Find {o}"],
        other: &["I am looking for {o}", "Is there any of {o} that fits"],
        gives: "Returns the {o} that match.",
    },
    Verb {
        class: "create",
        words: &[
            "create", "add", "new", "make", "insert", "generate", "append", "register", "build", "draft", "schedule",
        ],
        plain: &["Create {o}", "Add {o}"],
        other: &["I need another {o}", "Set up {o} for me"],
        gives: "Returns what was created, or an error.",
    },
    Verb {
        class: "update",
        words: &[
            "update",
            "edit",
            "modify",
            "set",
            "change",
            "patch",
            "replace",
            "configure",
            "put",
            "adjust",
            "assign",
        ],
        plain: &["Update {o}", "Change {o}"],
        other: &["{o} is wrong, correct it", "Adjust {o}"],
        gives: "Returns the changed {o}, or an error.",
    },
    Verb {
        class: "write",
        words: &["write", "save", "store", "export", "dump", "record", "log"],
        plain: &["Write {o}", "Save {o}"],
        other: &["Keep {o} for later", "Put down {o}"],
        gives: "Returns a confirmation, or an error.",
    },
    Verb {
        class: "delete",
        words: &[
            "delete",
            "remove",
            "drop",
            "erase",
            "purge",
            "clear",
            "destroy",
            "unlink",
            "trash",
            "wipe",
            "uninstall",
        ],
        plain: &["Delete {o}", "Remove {o}"],
        other: &["Get rid of {o}", "I no longer want {o}"],
        gives: "Returns a confirmation, or an error.",
    },
    Verb {
        class: "send",
        words: &["send", "post", "reply", "notify", "share", "publish", "message", "email", "comment"],
        plain: &["Send {o}", "Post {o}"],
        other: &["Let them know about {o}", "Pass {o} on"],
        gives: "Returns a confirmation, or an error.",
    },
    Verb {
        class: "run",
        words: &[
            "run", "execute", "exec", "invoke", "trigger", "start", "launch", "evaluate", "apply", "deploy", "play",
        ],
        plain: &["Run {o}", "Start {o}"],
        other: &["Get {o} going", "Kick off {o}"],
        gives: "Returns the outcome of the run, or an error.",
    },
    Verb {
        class: "stop",
        words: &["stop", "cancel", "kill", "abort", "terminate", "close", "end", "pause", "disable", "revoke"],
        plain: &["Stop {o}", "Cancel {o}"],
        other: &["Put an end to {o}", "{o} must not go on"],
        gives: "Returns a confirmation, or an error.",
    },
    Verb {
        class: "check",
        words: &[
            "check", "validate", "verify", "test", "lint", "status", "monitor", "analyze", "analyse", "audit", "count",
        ],
        plain: &["Check {o}", "Verify {o}"],
        other: &["Is {o} all right", "Have a look whether {o} is in order"],
        gives: "Returns what was found about {o}.",
    },
    Verb {
        class: "move",
        words: &["move", "rename", "transfer", "drag"],
        plain: &["Move {o}", "Move {o} elsewhere"],
        other: &["{o} belongs in another place", "Shift {o}"],
        gives: "Returns a confirmation, or an error.",
    },
    Verb {
        class: "copy",
        words: &["copy", "duplicate", "clone", "fork", "backup"],
        plain: &["Copy {o}", "Make a copy of {o}"],
        other: &["I want {o} twice", "Give me the same {o} once more"],
        gives: "Returns the copy of {o}, or an error.",
    },
    Verb {
        class: "compare",
        words: &["compare", "diff"],
        plain: &["Compare {o}", "Compare the two {o}"],
        other: &["What is different in {o}", "How do {o} differ"],
        gives: "Returns the differences.",
    },
    Verb {
        class: "convert",
        words: &["convert", "transform", "translate", "format", "parse", "render", "encode", "decode", "calculate"],
        plain: &["Convert {o}", "Turn {o} into what I need"],
        other: &["I need {o} in another form", "Work out {o}"],
        gives: "Returns the converted {o}.",
    },
    Verb {
        class: "upload",
        words: &["upload", "import", "push", "attach"],
        plain: &["Upload {o}", "Import {o}"],
        other: &["Bring {o} in", "Hand {o} over"],
        gives: "Returns a confirmation, or an error.",
    },
    Verb {
        class: "download",
        words: &["download", "pull", "extract", "crawl", "scrape"],
        plain: &["Download {o}", "Pull {o}"],
        other: &["I want {o} on my side", "Bring me {o}"],
        gives: "Returns {o}.",
    },
    Verb {
        class: "merge",
        words: &["merge", "combine", "join", "link", "connect"],
        plain: &["Merge {o}", "Connect {o}"],
        other: &["Bring {o} together", "{o} should be one"],
        gives: "Returns the outcome, or an error.",
    },
];

/// Words for a doing that in most names are things: `git_log`, `get_status`.
const MOSTLY_THINGS: [&str; 18] = [
    "all", "comment", "count", "details", "email", "format", "info", "link", "log", "message", "new", "post", "query",
    "record", "schedule", "status", "store", "test",
];

/// Returns the place of the word of a name that says what is done: the first that does, but one that is mostly a thing only
/// where it stands before what it is done to.
pub(super) fn place_of_verb(name: &[String]) -> Option<usize> {
    let is_doing = |at: usize, word: &str| {
        verb_of(word).is_some() && (!MOSTLY_THINGS.contains(&word) || (at == 0 && name.len() > 1))
    };
    name.iter().enumerate().find(|(at, word)| is_doing(*at, word)).map(|(at, _)| at)
}

/// Returns the kind of doing that a word means, also in the third person: `lists`, `fetches`, `copies`.
pub(super) fn verb_of(word: &str) -> Option<&'static Verb> {
    let known = |word: &str| VERBS.iter().find(|verb| verb.words.contains(&word));
    known(word).or_else(|| {
        let with_y = word.strip_suffix("ies").and_then(|rest| known(&format!("{rest}y")));
        with_y.or_else(|| word.strip_suffix("es").and_then(known)).or_else(|| word.strip_suffix('s').and_then(known))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thing_is_no_doing() {
        for (name, want) in [
            ("log", None),
            ("log event", Some(0)),
            ("get log", Some(0)),
            ("issue create", Some(1)),
            ("system status", None),
            ("parts", None),
        ] {
            let name: Vec<String> = name.split(' ').map(str::to_owned).collect();
            assert_eq!(place_of_verb(&name), want, "{name:?}");
        }
    }

    #[test]
    fn each_word_means_one_kind() {
        for verb in VERBS {
            for word in verb.words {
                assert_eq!(verb_of(word), Some(verb), "{word}");
            }
            assert!(verb.plain.iter().chain(verb.other).all(|text| text.contains("{o}")), "{}", verb.class);
        }
    }
}
