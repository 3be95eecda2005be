//! A skill as its server declares it.

use std::collections::HashSet;

use mst_model::sha256_hex;
use serde_json::{Map, Value};

use super::front_matter;
use super::uri::{LONGEST_URI, SKILL_MD, is_inside, name_in, percent_decoded};
use crate::text::cut;

/// The most files of a skill (the extension's limit).
const MOST_FILES: usize = 512;
/// The most bytes of a skill's files together (the extension's limit).
const MOST_BYTES: u64 = 16 * 1024 * 1024;
/// The longest name, in characters (Agent Skills).
const LONGEST_NAME: usize = 64;

/// One skill, as an entry of `skills/list` or the answer to `skills/get`, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct SkillEntry {
    uri: String,
    front_matter: Map<String, Value>,
    files: SkillFiles,
}

/// The files of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkillFiles {
    /// Every file, `SKILL.md` among them.
    Listed(Vec<SkillFile>),
    /// Not declared: the skill is made anew with every read, and nothing can be checked.
    Dynamic,
}

/// A declared file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillFile {
    /// Its URI.
    pub uri: String,
    /// The SHA-256 of its bytes, as 64 lower-case hex digits.
    pub sha256: String,
    /// Its size in bytes.
    pub size: u64,
}

/// Why a declared skill cannot be used, as the rest of a sentence about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidSkill(String);

impl SkillEntry {
    /// Reads an entry by the rules of the extension.
    pub(crate) fn read(entry: Value) -> Result<Self, InvalidSkill> {
        let Value::Object(mut entry) = entry else { return refuse("it is no object") };
        let uri = match entry.swap_remove("uri") {
            Some(Value::String(uri)) if uri.len() <= LONGEST_URI => uri,
            Some(Value::String(_)) => return refuse(format!("its URI is longer than {LONGEST_URI} bytes")),
            _ => return refuse("it has no URI"),
        };
        let Some(Value::Object(front_matter)) = entry.swap_remove("frontmatter") else {
            return refuse("it has no front matter");
        };
        let name = match front_matter.get("name").and_then(Value::as_str) {
            Some(name) if (1..=LONGEST_NAME).contains(&name.chars().count()) => name,
            _ => return refuse(format!("its name is no text of 1 to {LONGEST_NAME} characters")),
        };
        if front_matter.get("description").and_then(Value::as_str).is_none_or(|text| text.trim().is_empty()) {
            return refuse("it has no description");
        }
        let Some(segment) = name_in(&uri) else { return refuse("its URI does not end with <name>/SKILL.md") };
        if percent_decoded(segment) != name {
            return refuse(format!("its name is {name:?}, and its URI says {segment:?}"));
        }
        let files = match entry.swap_remove("resources") {
            Some(Value::Array(files)) => SkillFiles::Listed(read_files(&uri, &files)?),
            Some(Value::String(dynamic)) if dynamic == "dynamic" => SkillFiles::Dynamic,
            _ => return refuse("its resources are neither a list nor \"dynamic\""),
        };
        Ok(Self { uri, front_matter, files })
    }

    /// Returns the URI of its `SKILL.md`.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        self.text("name")
    }

    /// Returns its description.
    pub fn description(&self) -> &str {
        self.text("description")
    }

    fn text(&self, key: &str) -> &str {
        self.front_matter.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the URI that its files' URIs begin with, which ends with a slash.
    pub fn root(&self) -> &str {
        self.uri.strip_suffix(SKILL_MD).unwrap_or(&self.uri)
    }

    /// Returns its files.
    pub fn files(&self) -> &SkillFiles {
        &self.files
    }

    /// Returns a declared file.
    pub fn file(&self, uri: &str) -> Option<&SkillFile> {
        match &self.files {
            SkillFiles::Listed(files) => files.iter().find(|file| file.uri == uri),
            SkillFiles::Dynamic => None,
        }
    }

    /// Checks that the front matter of a `SKILL.md` is what the entry declares, key by key.
    pub fn check_front_matter(&self, skill_md: &str) -> Result<(), InvalidSkill> {
        front_matter::check(skill_md, &self.front_matter).map_err(InvalidSkill)
    }
}

impl SkillFile {
    /// Checks bytes against the declared size and digest.
    pub fn check(&self, bytes: &[u8]) -> Result<(), InvalidSkill> {
        if bytes.len() as u64 != self.size {
            return refuse(format!("{} has {} bytes, and {} were declared", self.uri, bytes.len(), self.size));
        }
        let found = sha256_hex(bytes);
        if found != self.sha256 {
            return refuse(format!("{} has the SHA-256 {found}, and {} was declared", self.uri, self.sha256));
        }
        Ok(())
    }
}

fn refuse<T>(why: impl Into<String>) -> Result<T, InvalidSkill> {
    Err(InvalidSkill(why.into()))
}

fn read_files(skill: &str, files: &[Value]) -> Result<Vec<SkillFile>, InvalidSkill> {
    if files.len() > MOST_FILES {
        return refuse(format!("it has {} files, more than {MOST_FILES}", files.len()));
    }
    let root = skill.strip_suffix(SKILL_MD).unwrap_or(skill);
    let mut known = HashSet::with_capacity(files.len());
    let mut total = 0_u64;
    let mut read = Vec::with_capacity(files.len());
    for file in files {
        let file = read_file(root, file)?;
        total = total.saturating_add(file.size);
        if !known.insert(file.uri.clone()) {
            return refuse(format!("it lists {:?} twice", cut(&file.uri, 200)));
        }
        read.push(file);
    }
    if !known.contains(skill) {
        return refuse("its own SKILL.md is not among its resources");
    }
    if total > MOST_BYTES {
        return refuse(format!("its files have {total} bytes together, more than {MOST_BYTES}"));
    }
    Ok(read)
}

fn read_file(root: &str, file: &Value) -> Result<SkillFile, InvalidSkill> {
    let text = |key: &str| file.get(key).and_then(Value::as_str);
    let Some(uri) = text("uri") else { return refuse("one of its resources has no URI") };
    if !is_inside(root, uri) {
        return refuse(format!("its resource {:?} is outside its folder", cut(uri, 200)));
    }
    let digest = text("digest").and_then(|digest| digest.strip_prefix("sha256:"));
    let Some(sha256) = digest.filter(|hex| hex.len() == 64 && hex.bytes().all(|b| b"0123456789abcdef".contains(&b)))
    else {
        return refuse(format!("its resource {:?} has no digest sha256:<64 hex digits>", cut(uri, 200)));
    };
    let Some(size) = file.get("size").and_then(Value::as_u64) else {
        return refuse(format!("its resource {:?} has no size", cut(uri, 200)));
    };
    Ok(SkillFile { uri: uri.to_owned(), sha256: sha256.to_owned(), size })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const URI: &str = "skill://acme/weather/SKILL.md";

    fn file(uri: &str, content: &str) -> Value {
        json!({ "uri": uri, "digest": format!("sha256:{}", sha256_hex(content.as_bytes())), "size": content.len() })
    }

    /// An entry with one member replaced, or taken away by null.
    fn entry(key: &str, value: Value) -> Value {
        let mut entry = json!({ "uri": URI, "frontmatter": { "name": "weather", "description": "Reports." },
            "resources": [file(URI, "# W"), file("skill://acme/weather/STYLE.md", "brief")], "_meta": { "x": 1 } });
        entry[key] = value;
        entry
    }

    #[test]
    fn a_right_entry_is_read() {
        let entry = SkillEntry::read(entry("more", json!(1))).expect("it is right");
        assert_eq!(
            (entry.name(), entry.description(), entry.uri(), entry.root()),
            ("weather", "Reports.", URI, "skill://acme/weather/")
        );
        let file = entry.file("skill://acme/weather/STYLE.md").expect("it is declared");
        assert_eq!(file.check(b"brief"), Ok(()));
        assert_eq!(file.check(b"Brief").expect_err("another digest").0.split(',').count(), 2);
        let why = file.check(b"brief and more").expect_err("another size").to_string();
        assert_eq!(why, "skill://acme/weather/STYLE.md has 14 bytes, and 5 were declared");
        assert_eq!(entry.file("skill://acme/weather/OTHER.md"), None);
        let dynamic = super::SkillEntry::read(self::entry("resources", json!("dynamic"))).expect("it is right");
        assert_eq!(dynamic.files(), &SkillFiles::Dynamic);
    }

    #[test]
    fn what_an_entry_may_not_be() {
        let resources = |more: Value| entry("resources", json!([file(URI, "# W"), more]));
        let named = |name: &str| entry("frontmatter", json!({ "name": name, "description": "d" }));
        let mut many: Vec<Value> = (0..512).map(|n| file(&format!("skill://acme/weather/{n}.md"), "x")).collect();
        many.push(file(URI, "# W"));
        let digest = format!("sha256:{}", "A".repeat(64));
        for (entry, want) in [
            (json!(7), "it is no object"),
            (entry("uri", json!(null)), "it has no URI"),
            (entry("uri", json!("skill://weather.md")), "its URI does not end with <name>/SKILL.md"),
            (entry("uri", json!("skill://acme/weather/SKILL.md?x")), "its URI does not end with <name>/SKILL.md"),
            (entry("frontmatter", json!("name: weather")), "it has no front matter"),
            (named(""), "its name is no text of 1 to 64 characters"),
            (named("storm"), "its name is \"storm\", and its URI says \"weather\""),
            (entry("frontmatter", json!({ "name": "weather", "description": " " })), "it has no description"),
            (entry("resources", json!(null)), "its resources are neither a list nor \"dynamic\""),
            (entry("resources", json!("static")), "its resources are neither a list nor \"dynamic\""),
            (entry("resources", json!([])), "its own SKILL.md is not among its resources"),
            (entry("resources", json!(many)), "it has 513 files, more than 512"),
            (resources(file(URI, "# W")), "it lists \"skill://acme/weather/SKILL.md\" twice"),
            (
                resources(file("skill://acme/other/a.md", "")),
                "its resource \"skill://acme/other/a.md\" is outside its folder",
            ),
            (resources(file("file:///etc/passwd", "")), "its resource \"file:///etc/passwd\" is outside its folder"),
            (
                resources(file("skill://acme/weather/%2e%2e/b/a.md", "")),
                "its resource \"skill://acme/weather/%2e%2e/b/a.md\" is outside its folder",
            ),
            (
                resources(json!({ "uri": "skill://acme/weather/a", "digest": digest, "size": 1 })),
                "its resource \"skill://acme/weather/a\" has no digest sha256:<64 hex digits>",
            ),
            (
                resources(json!({ "uri": "skill://acme/weather/a", "digest": digest.to_lowercase(), "size": -1 })),
                "its resource \"skill://acme/weather/a\" has no size",
            ),
            (
                resources(
                    json!({ "uri": "skill://acme/weather/a", "digest": digest.to_lowercase(), "size": u64::MAX }),
                ),
                "its files have 18446744073709551615 bytes together, more than 16777216",
            ),
        ] {
            assert_eq!(
                SkillEntry::read(entry.clone()).map_err(|error| error.to_string()),
                Err(want.to_owned()),
                "{entry}"
            );
        }
    }
}
