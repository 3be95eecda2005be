//! Names: those that a provider refuses, and those that are taken for one another.

use std::collections::HashMap;

use mst_mcp::ListedTool;

use super::findings::Findings;
use super::rule::Rule;
use crate::surface::Surface;

/// The most characters of a tool's name that every provider takes.
const LONGEST: usize = 64;

/// Looks at the names together.
pub(super) fn listing(surface: &Surface, found: &mut Findings) {
    for name in &surface.listed_twice {
        found.add(Rule::ListedTwice, "/tools", format!("the tool {name:?} is listed more than once; it counts once"));
    }
    let told = |warning: &String| surface.listed_twice.iter().any(|name| warning.contains(&format!("{name:?}")));
    for warning in surface.warnings.iter().filter(|warning| !told(warning)) {
        found.add(Rule::ListingFault, "/tools", mst_cli::printable(warning));
    }
    let mut alike: HashMap<String, Vec<&str>> = HashMap::new();
    for tool in &surface.tools {
        alike.entry(styleless(tool.name())).or_default().push(tool.name());
    }
    for tool in &surface.tools {
        let group = alike.remove(&styleless(tool.name())).unwrap_or_default();
        if group.len() > 1 {
            let names: Vec<String> = group.iter().map(|name| format!("{name:?}")).collect();
            found.add(Rule::NamesAlike, "/tools", format!("the names {} differ only by style", names.join(" and ")));
        }
    }
}

/// Returns a name without what is style: case, and every mark between its words.
fn styleless(name: &str) -> String {
    let bare: String = name.chars().filter(|char| char.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    // A name of marks alone is only like itself.
    if bare.is_empty() { name.to_owned() } else { bare }
}

/// Looks at one tool's name.
pub(super) fn tool(tool: &ListedTool, found: &mut Findings) {
    let name = tool.name();
    let length = name.chars().count();
    if length > LONGEST {
        found.add(Rule::LongName, "/name", format!("the name has {length} characters; providers take {LONGEST}"));
    }
    let mut others: Vec<char> = name.chars().filter(|char| !is_plain(*char)).collect();
    others.sort_unstable();
    others.dedup();
    if name.is_empty() {
        found.add(Rule::NameCharacters, "/name", "the name is empty");
    } else if !others.is_empty() {
        let shown: Vec<String> = others.iter().take(8).map(|char| format!("{char:?}")).collect();
        let message = format!("the name holds {}; providers take A-Z, a-z, 0-9, _ and - alone", shown.join(", "));
        found.add(Rule::NameCharacters, "/name", message);
    }
}

fn is_plain(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_' || char == '-'
}

#[cfg(test)]
mod tests {
    use super::styleless;

    #[test]
    fn style_is_case_and_marks() {
        for (one, other, same) in [
            ("getUser", "get_user", true),
            ("get-user", "GET.USER", true),
            ("get_user", "get_users", false),
            ("--", "__", false),
            ("検索", "検_索", true),
        ] {
            assert_eq!(styleless(one) == styleless(other), same, "{one} {other}");
        }
    }
}
