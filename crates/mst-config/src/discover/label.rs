//! Labels: a server's name elsewhere, as a key of `servers`.

use url::Url;

/// The longest label, in characters.
const LONGEST: usize = 64;

/// Programs that run another one, named by their first argument that is no flag.
const RUNNERS: [&str; 14] =
    ["npx", "bunx", "pnpx", "uvx", "pipx", "node", "bun", "deno", "python", "python3", "uv", "docker", "sh", "bash"];

/// Words after a runner that belong to it.
const RUNNER_WORDS: [&str; 6] = ["run", "exec", "dlx", "x", "tool", "start"];

/// Names that say nothing about a server: of its main file, and of the folders that such a file is built into.
const GENERIC: [&str; 17] = [
    "index",
    "main",
    "server",
    "mcp-server",
    "mcp_server",
    "server-mcp",
    "mcp",
    "start",
    "cli",
    "app",
    "run",
    "dist",
    "build",
    "out",
    "lib",
    "src",
    "bin",
];

/// Returns a name as a label: `[A-Za-z][A-Za-z0-9_-]*` of at most 64 characters, which every client and provider takes.
///
/// Other characters become `-`; what has none that can stay is `server`.
pub fn label_from(name: &str) -> String {
    let mut label = String::new();
    for char in name.chars().take(4 * LONGEST) {
        if char.is_ascii_alphanumeric() || char == '_' {
            label.push(char);
        } else if !label.is_empty() && !label.ends_with('-') {
            label.push('-');
        }
    }
    let label = label.trim_matches('-');
    let label = match label.chars().next() {
        None => "server".to_owned(),
        Some(first) if first.is_ascii_alphabetic() => label.to_owned(),
        Some(_) => format!("server-{label}"),
    };
    label.chars().take(LONGEST).collect::<String>().trim_end_matches('-').to_owned()
}

/// Returns a label for a command line: the package or script that it starts, without what every server's name has.
pub fn label_of_command(command: &str, args: &[String]) -> String {
    label_from(&without_common_parts(&telling_name(started(command, args))))
}

/// Returns what a command line starts, without its version: the package, module or script of a runner such as `npx`, else the
/// program. Two command lines of one server have the same, whatever its arguments.
pub fn started_by(command: &str, args: &[String]) -> String {
    let word = started(command, args);
    let version = word.char_indices().skip(1).find(|(_, char)| matches!(char, '@' | '='));
    word[..version.map_or(word.len(), |(at, _)| at)].to_owned()
}

/// Returns a label for an endpoint: the part of its host that is its owner's, else the host.
pub fn label_of_host(url: &Url) -> String {
    let host = match url.host() {
        Some(url::Host::Domain(name)) if name != "localhost" => name,
        _ => return "server".to_owned(),
    };
    let common = ["www", "mcp", "api", "app"];
    let part = host.split('.').find(|part| !common.contains(part)).unwrap_or(host);
    label_from(part)
}

/// Returns what a command line starts: of a runner the module after `-m`, else its first argument that is no flag.
fn started<'a>(command: &'a str, args: &'a [String]) -> &'a str {
    if !RUNNERS.contains(&stem(command).to_ascii_lowercase().as_str()) {
        return command;
    }
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "-m" | "--from" | "--package" => return args.next().map_or(command, String::as_str),
            word if word.starts_with('-') || RUNNER_WORDS.contains(&word) => {}
            word => return word,
        }
    }
    command
}

/// Returns the last part of a path or a package that tells servers apart, else the last part.
fn telling_name(word: &str) -> String {
    let mut parts = word.rsplit(['/', '\\']).filter(|part| !matches!(*part, "" | "." | ".."));
    let telling = parts.find(|part| !GENERIC.contains(&stem(part).to_ascii_lowercase().as_str()));
    // The scope of a package.
    stem(telling.map_or(word, |part| part.strip_prefix('@').unwrap_or(part)))
}

/// Returns the name of a path or a package: its last part, without a version, a tag or an extension.
fn stem(text: &str) -> String {
    let last = text.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(text);
    let last = last.split(['@', ':', '=']).find(|part| !part.is_empty()).unwrap_or(last);
    let extensions = [".js", ".mjs", ".cjs", ".ts", ".py", ".exe", ".cmd", ".sh"];
    extensions.iter().find_map(|end| last.strip_suffix(end)).unwrap_or(last).to_owned()
}

fn without_common_parts(name: &str) -> String {
    let mut rest = name;
    for start in ["mcp-server-", "mcp_server_", "server-", "mcp-"] {
        rest = rest.strip_prefix(start).unwrap_or(rest);
    }
    for end in ["-mcp-server", "-server-mcp", "_mcp_server", "-server", "-mcp"] {
        rest = rest.strip_suffix(end).unwrap_or(rest);
    }
    if rest.is_empty() { name.to_owned() } else { rest.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_becomes_a_label() {
        for (name, want) in [
            ("github", "github"),
            ("My Server (dev)", "My-Server-dev"),
            ("io.github.acme/parts", "io-github-acme-parts"),
            ("../../etc/passwd", "etc-passwd"),
            ("\u{1b}[31mred\u{7}", "server-31mred"),
            ("7zip", "server-7zip"),
            ("検索", "server"),
            ("", "server"),
            ("a--b__c-", "a-b__c"),
        ] {
            assert_eq!(label_from(name), want, "{name:?}");
        }
        assert_eq!(label_from(&"a-".repeat(90)).len(), 63);
    }

    #[test]
    fn a_command_is_named_after_what_it_starts() {
        for (line, want) in [
            ("npx -y @modelcontextprotocol/server-filesystem@2026.8.31 .", "filesystem"),
            ("uvx --from git+https://example.com/acme/parts-mcp parts", "parts"),
            ("uvx mcp-server-git", "git"),
            ("/usr/bin/python3 -m mcp_server_time", "time"),
            ("node ./dist/index.js", "index"),
            ("node node_modules/@acme/server-parts/dist/index.js", "parts"),
            ("npx -y @acme/mcp-server@2.0", "acme"),
            ("bash /srv/bins/server.sh --fast", "bins"),
            ("uv run server.py", "server"),
            ("docker run -i --rm ghcr.io/acme/parts:1.2", "parts"),
            ("/opt/parts/bin/parts-server --stdio", "parts"),
            ("npx", "npx"),
        ] {
            let mut words = line.split(' ').map(str::to_owned);
            let command = words.next().expect("a command");
            assert_eq!(label_of_command(&command, &words.collect::<Vec<_>>()), want, "{line}");
        }
    }

    #[test]
    fn two_command_lines_of_one_server_start_the_same() {
        for (line, want) in [
            ("npx -y @acme/server-parts@1.2 .", "@acme/server-parts"),
            ("npx @acme/server-parts /srv", "@acme/server-parts"),
            ("uvx mcp-server-git==1.0 --repository x", "mcp-server-git"),
            ("node dist/index.js", "dist/index.js"),
            ("./parts --stdio", "./parts"),
        ] {
            let mut words = line.split(' ').map(str::to_owned);
            let command = words.next().expect("a command");
            assert_eq!(started_by(&command, &words.collect::<Vec<_>>()), want, "{line}");
        }
    }

    #[test]
    fn an_endpoint_is_named_after_its_host() {
        for (url, want) in [
            ("https://mcp.example.com/mcp", "example"),
            ("https://www.acme.dev", "acme"),
            ("http://127.0.0.1:3000/mcp", "server"),
            ("http://localhost:3000", "server"),
        ] {
            assert_eq!(label_of_host(&Url::parse(url).expect("a URL")), want);
        }
    }
}
