//! Secrets that stand in a command line.

use mst_config::discover::looks_secret;
use mst_model::is_credential_name;

/// Returns the parts of arguments that are secrets, by their flag's or variable's name or by their look: the value after
/// `--token`, of `--token=…`, `API_KEY=…` (also inside a longer text) or `Authorization: …`, and known kinds of tokens.
pub(super) fn secret_words(args: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, arg) in args.iter().enumerate() {
        let flag = at.checked_sub(1).map(|before| args[before].as_str());
        let is_value = flag.is_some_and(|flag| {
            flag.starts_with('-') && !flag.contains('=') && is_credential_name(flag.trim_start_matches('-'))
        });
        if (is_value && !arg.starts_with('-')) || looks_secret("", arg) {
            found.push(arg.clone());
            continue;
        }
        if let Some((name, value)) = arg.split_once(':')
            && is_credential_name(name.trim())
            && !value.starts_with("//")
        {
            found.push(value.trim().to_owned());
        }
        let words = arg.split(|c: char| c.is_whitespace() || matches!(c, '&' | '?' | ';' | '"' | '\''));
        for (name, value) in words.filter_map(|word| word.split_once('=')) {
            if looks_secret(name.trim_start_matches('-'), value) {
                found.push(value.to_owned());
            }
        }
        found.extend(arg.split_whitespace().filter(|word| looks_secret("", word)).map(str::to_owned));
    }
    found.retain(|word| !word.is_empty());
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_a_command_line_are_found() {
        for (args, want) in [
            (vec!["--token", "abcd"], vec!["abcd"]),
            (vec!["--token=abcd", "x"], vec!["abcd"]),
            (vec!["-c", "API_KEY=zzzz run --fast"], vec!["zzzz"]),
            (vec!["--header", "Authorization: Bearer abcdef"], vec!["Bearer abcdef"]),
            (vec!["ghp_0123456789abcdef"], vec!["ghp_0123456789abcdef"]),
            (vec!["postgres://u:pw@127.0.0.1/db"], vec!["postgres://u:pw@127.0.0.1/db"]),
            (vec!["http://127.0.0.1/?api_key=abcd&x=1"], vec!["http://127.0.0.1/?api_key=abcd&x=1"]),
            (vec!["-c", "run --to http://127.0.0.1/?api_key=abcd"], vec!["abcd", "http://127.0.0.1/?api_key=abcd"]),
            (vec!["--token", "--fast", "--mode=slow", "."], vec![]),
        ] {
            let args: Vec<String> = args.into_iter().map(str::to_owned).collect();
            assert_eq!(secret_words(&args), want, "{args:?}");
        }
    }
}
