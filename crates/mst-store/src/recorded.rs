//! Servers as recorded: nothing that can hold a secret, and no one's home directory.

use mst_model::{RecordedServer, ServerConfig, ServerLabel};

/// Returns what `run.json` and `summary.json` record of a server: its program, or its URL without user, query and
/// fragment. `home` is the user's home directory, which is written as `~`.
pub fn record_server(label: &ServerLabel, server: &ServerConfig, home: Option<&str>) -> RecordedServer {
    let label = label.to_string();
    match server {
        ServerConfig::Stdio(server) => RecordedServer {
            label,
            transport: "stdio".to_owned(),
            command: Some(without_home(&server.command, home)),
            url: None,
        },
        ServerConfig::Http(server) => RecordedServer {
            label,
            transport: "http".to_owned(),
            command: None,
            url: Some(bare_url(&server.server_url)),
        },
    }
}

/// Returns a URL without its user, query and fragment. Works on what is no valid URL too, since that may hold a password
/// just as well.
pub fn bare_url(url: &str) -> String {
    let url = &url[..url.find(['?', '#']).unwrap_or(url.len())];
    let start = url.find("://").map_or(0, |at| at + 3);
    let end = url[start..].find(['/', '\\']).map_or(url.len(), |at| start + at);
    let host = url[start..end].rfind('@').map_or(start, |at| start + at + 1);
    format!("{}{}", &url[..start], &url[host..])
}

/// Returns whether a text is a URL with a user, a query or a fragment.
pub(crate) fn holds_url_secret(text: &str) -> bool {
    text.contains("://") && bare_url(text) != text
}

/// Returns a program's path with a home directory, this user's or another's, as `~`.
fn without_home(command: &str, home: Option<&str>) -> String {
    let own = home.map(|home| home.trim_end_matches(['/', '\\'])).filter(|home| home.len() > 1);
    let rest = own.and_then(|home| below(command, home)).or_else(|| below_any_home(command));
    rest.map_or_else(|| command.to_owned(), |rest| format!("~{rest}"))
}

/// Returns what follows a folder in a path, from the separator on.
fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    path.strip_prefix(folder).filter(|rest| rest.is_empty() || rest.starts_with(['/', '\\']))
}

/// Returns what follows `/root`, `/home/<user>`, `/Users/<user>` or `C:\Users\<user>` in a path.
fn below_any_home(path: &str) -> Option<&str> {
    if let Some(rest) = below(path, "/root") {
        return Some(rest);
    }
    let drive = path.char_indices().nth(2).is_some_and(|(at, _)| path[..at].ends_with(':'));
    let inside = path
        .strip_prefix("/home/")
        .or_else(|| path.strip_prefix("/Users/"))
        .or_else(|| drive.then(|| &path[2..]).and_then(|path| path.strip_prefix("\\Users\\")))
        .or_else(|| drive.then(|| &path[2..]).and_then(|path| path.strip_prefix("/Users/")))?;
    Some(inside.find(['/', '\\']).map_or("", |at| &inside[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mst_model::{HttpServer, StdioServer};

    #[test]
    fn fc35_urls_lose_user_query_and_fragment() {
        for (url, want) in [
            ("https://u:pw-4kV9zQ2m@example.invalid/mcp?api_key=qk-8Jd72Lm0", "https://example.invalid/mcp"),
            ("https://example.invalid:8443/mcp#frag", "https://example.invalid:8443/mcp"),
            ("https://example.invalid/mcp/", "https://example.invalid/mcp/"),
            ("https://u@h?x@y", "https://h"),
            ("https://u:p@ss@host/a@b", "https://host/a@b"),
            ("u:p@host/path", "host/path"),
            ("https://user:é@ж.example/п?к", "https://ж.example/п"),
            ("", ""),
        ] {
            assert_eq!(bare_url(url), want, "{url}");
        }
    }

    #[test]
    fn commands_lose_home_directories_and_nothing_else() {
        for (command, want) in [
            ("node", "node"),
            ("/usr/bin/python3", "/usr/bin/python3"),
            ("/home/alice/bin/server", "~/bin/server"),
            ("/Users/alice/bin/server", "~/bin/server"),
            ("/root/bin/server", "~/bin/server"),
            ("/rootless/bin/server", "/rootless/bin/server"),
            ("/home/alice", "~"),
            ("C:\\Users\\alice\\s.exe", "~\\s.exe"),
            ("/data/me/bin/server", "~/bin/server"),
            ("/data/mega/bin/server", "/data/mega/bin/server"),
            ("é:x", "é:x"),
            ("", ""),
        ] {
            assert_eq!(without_home(command, Some("/data/me/")), want, "{command}");
        }
        assert_eq!(without_home("/x/y", Some("/")), "/x/y");
    }

    #[test]
    fn nothing_but_label_transport_and_place_is_recorded() {
        let mut stdio =
            StdioServer { command: "node".to_owned(), args: vec!["--key=k".to_owned()], ..Default::default() };
        stdio.env.insert("TOKEN".to_owned(), "t".to_owned());
        let mut http = HttpServer { server_url: "https://h/mcp?k=v".to_owned(), ..Default::default() };
        http.headers.insert("X-Api-Key".to_owned(), "k".to_owned());
        let recorded = [
            record_server(&"a".into(), &ServerConfig::Stdio(stdio), None),
            record_server(&"b".into(), &ServerConfig::Http(http), None),
        ];
        insta::assert_json_snapshot!(recorded, @r#"
        [
          {
            "label": "a",
            "transport": "stdio",
            "command": "node"
          },
          {
            "label": "b",
            "transport": "http",
            "url": "https://h/mcp"
          }
        ]
        "#);
    }
}
