//! The pages of the docs: each is in the book, and each relative link leads somewhere.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// Returns what is wrong with the pages below a folder, a line each.
///
/// # Errors
/// A folder or page cannot be read.
pub(crate) fn problems(docs: &Path) -> Result<Vec<String>, String> {
    let mut pages = Vec::new();
    collect(docs, &mut pages)?;
    let summary = docs.join("SUMMARY.md");
    let listed: Vec<PathBuf> = links(&read(&summary)?).iter().map(|link| docs.join(link)).collect();
    let mut found = Vec::new();
    for page in pages.iter().filter(|page| **page != summary) {
        match listed.iter().filter(|link| *link == page).count() {
            0 => found.push(format!("{} is not in SUMMARY.md", page.display())),
            1 => {}
            count => found.push(format!("{} is in SUMMARY.md {count} times", page.display())),
        }
    }
    for page in &pages {
        let text = read(page)?;
        for link in links(&text) {
            if let Some(problem) = problem(docs, page, &text, &link)? {
                found.push(format!("{}: the link {link:?} {problem}", page.display()));
            }
        }
    }
    Ok(found)
}

/// Says what is wrong with a link of a page.
fn problem(docs: &Path, page: &Path, text: &str, link: &str) -> Result<Option<String>, String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return Ok(None);
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let folder = page.parent().unwrap_or(docs);
    let target = if path.is_empty() { page.to_owned() } else { plain(&folder.join(path)) };
    if !target.starts_with(docs) {
        return Ok(Some("leaves the docs, so the book has no such page; name the place as code".to_owned()));
    }
    if !target.is_file() {
        return Ok(Some("leads nowhere".to_owned()));
    }
    if anchor.is_empty() {
        return Ok(None);
    }
    let other = if path.is_empty() { text.to_owned() } else { read(&target)? };
    Ok((!anchors(&other).contains(anchor)).then(|| "names a heading that is not there".to_owned()))
}

/// Returns the targets of a page's links, outside of code.
fn links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    for line in prose(text) {
        // What stands between back quotes is code, every other part.
        let line: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        let ends = line.match_indices("](").map(|(at, _)| &line[at + 2..]);
        links.extend(ends.filter_map(|rest| rest.split_once(')')).map(|(link, _)| link.trim().to_owned()));
    }
    links
}

/// Returns the lines of a page that are not in a fenced block.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        fenced ^= is_fence;
        !fenced && !is_fence
    })
}

/// Returns the anchors of a page's headings, as GitHub and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    headings.map(slug).collect()
}

fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|char| char.is_alphanumeric() || matches!(char, ' ' | '-' | '_'));
    kept.map(|char| if char == ' ' { '-' } else { char }).collect::<String>().to_lowercase()
}

/// Takes `.` and `..` out of a path without looking at the disk.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(out.pop()),
            other => out.push(other),
        }
    }
    out
}

fn collect(folder: &Path, pages: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries = fs_err::read_dir(folder).map_err(|error| error.to_string())?;
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry.map_err(|error| error.to_string())?.path());
    }
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, pages)?;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, String> {
    fs_err::read_to_string(path).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_in_the_book_and_every_link_leads_somewhere() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository");
        let found = problems(&root.join("docs")).expect("the pages can be read");
        assert!(found.is_empty(), "{}", found.join("\n"));
    }

    #[test]
    fn a_link_is_read_outside_of_code_alone() {
        let page = "# A `b` c, d\n[one](x.md) and [two](y.md#a)\n`[no](z.md)`\n```sh\n[no](w.md)\n```\n[three](#e)";
        assert_eq!(links(page), ["x.md", "y.md#a", "#e"]);
        assert_eq!(anchors(page).into_iter().collect::<Vec<_>>(), ["a-b-c-d"]);
        assert_eq!(plain(Path::new("/a/b/../c/./d")), Path::new("/a/c/d"));
    }
}
