//! The skills of one server in one trial: what was loaded of them, and how a read is checked.

use std::sync::Arc;

use mst_mcp::{ResourceContent, SkillEntry, SkillFiles, SkillListing};
use mst_model::{ServerLabel, SkillLoad, SkillLoadKind, SkillLoadVia};
use tokio_util::sync::CancellationToken;

use super::super::recording::Recording;
use super::super::stop::Stop;
use super::super::tool_server::ToolServer;
use super::answer::{Answer, Problem, record};
use super::{MOST_SHOWN, prompt};

/// The skills of one server.
pub(super) struct Place<'a> {
    server: &'a dyn ToolServer,
    listing: Arc<SkillListing>,
    /// Skills that the model asked for by a URI that is not listed.
    unlisted: Vec<SkillEntry>,
    /// The URIs of the skills that were loaded, the last one last.
    loaded: Vec<String>,
}

impl<'a> Place<'a> {
    pub(super) fn new(server: &'a dyn ToolServer, listing: Arc<SkillListing>) -> Self {
        Self { server, listing, unlisted: Vec::new(), loaded: Vec::new() }
    }

    pub(super) fn label(&self) -> &'a ServerLabel {
        self.server.label()
    }

    /// Returns the skills that the server lists.
    pub(super) fn listed(&self) -> &[SkillEntry] {
        &self.listing.skills
    }

    /// Reads every listed skill and returns their texts. One that cannot be used does not keep back the others; `left` is
    /// how many bytes all may still have.
    pub(super) async fn preload(
        &mut self,
        left: &mut usize,
        cancel: &CancellationToken,
        recording: &mut Recording,
    ) -> Result<Vec<String>, Stop> {
        let mut blocks = Vec::new();
        let listing = Arc::clone(&self.listing);
        for skill in &listing.skills {
            let mut text = self.instructions(skill, cancel).await?;
            if let Ok(read) = &text {
                match left.checked_sub(read.len()) {
                    Some(rest) => *left = rest,
                    None => text = Err(Problem::other("there is no room for it beside the skills before it")),
                }
            }
            let load = self.load(skill, SkillLoadKind::Skill, SkillLoadVia::Preload);
            if let Ok(text) = record(load, text, recording) {
                self.loaded.push(skill.uri().to_owned());
                blocks.push(prompt::skill(self.label(), skill, &text));
            }
        }
        Ok(blocks)
    }

    /// Loads a skill, listed or not.
    pub(super) async fn read_skill(
        &mut self,
        uri: &str,
        cancel: &CancellationToken,
        recording: &mut Recording,
    ) -> Result<Answer, Stop> {
        let via = SkillLoadVia::ReadSkill;
        let skill = match self.known(|skill| skill.uri() == uri).cloned() {
            Some(skill) => skill,
            None => match self.server.skill(uri, cancel).await {
                Ok(skill) => {
                    self.unlisted.push(skill.clone());
                    skill
                }
                Err(failure) => {
                    let load = self.load_of(uri, SkillLoadKind::Skill, via);
                    let why = format!("no skill {uri:?} is served: {}", failure.told()?);
                    return Ok(Answer::from(record(load, Err(Problem::other(why)), recording)));
                }
            },
        };
        let text = self.instructions(&skill, cancel).await?;
        match record(self.load(&skill, SkillLoadKind::Skill, via), text, recording) {
            Ok(text) => {
                self.loaded.retain(|loaded| loaded != uri);
                self.loaded.push(uri.to_owned());
                let loaded = Some((self.label().clone(), skill.name().to_owned()));
                Ok(Answer { text: prompt::skill(self.label(), &skill, &text), is_error: false, loaded })
            }
            Err(why) => Ok(Answer::refused(format!("the skill {:?} was not loaded: {why}", skill.name()))),
        }
    }

    /// Reads a file of a skill, or a resource that the server lists. It never loads a skill.
    pub(super) async fn read_resource(
        &mut self,
        uri: &str,
        cancel: &CancellationToken,
        recording: &mut Recording,
    ) -> Result<Answer, Stop> {
        let via = SkillLoadVia::ReadResource;
        let uri = &self.absolute(uri);
        let Some(skill) = self.owner(uri).cloned() else {
            let load = self.load_of(uri, SkillLoadKind::Resource, via);
            let text = self.resource(uri, cancel).await?;
            return Ok(Answer::from(record(load, text, recording)));
        };
        let load = SkillLoad { uri: uri.clone(), ..self.load(&skill, SkillLoadKind::File, via) };
        let text = self.file(&skill, uri, cancel).await?;
        let text = text.map(|contents| self.shown(uri, &contents));
        Ok(Answer::from(record(load, text.and_then(|text| text), recording)))
    }

    /// Reads a skill's `SKILL.md` and checks it: size, digest and front matter.
    async fn instructions(
        &self,
        skill: &SkillEntry,
        cancel: &CancellationToken,
    ) -> Result<Result<String, Problem>, Stop> {
        let read = self.file(skill, skill.uri(), cancel).await?;
        Ok(read.and_then(|contents| {
            let text = contents.first().and_then(ResourceContent::text);
            let text = text.ok_or_else(|| Problem::mismatch(format!("{} is no UTF-8 text", skill.uri())))?;
            skill.check_front_matter(text).map_err(|error| Problem::mismatch(error.to_string()))?;
            Ok(text.to_owned())
        }))
    }

    /// Reads a file of a skill and checks it against what the server declares of it. A file that is not declared, or
    /// that is declared and not served, is as wrong as one with other bytes.
    async fn file(
        &self,
        skill: &SkillEntry,
        uri: &str,
        cancel: &CancellationToken,
    ) -> Result<Result<Vec<ResourceContent>, Problem>, Stop> {
        let declared = skill.file(uri);
        match (skill.files(), declared) {
            (SkillFiles::Listed(_), None) => {
                let why = format!("{uri} is not among the files of the skill {:?}", skill.name());
                return Ok(Err(Problem::mismatch(why)));
            }
            (_, Some(file)) if file.size > MOST_SHOWN as u64 => return Ok(Err(Problem::too_large(uri, file.size))),
            _ => {}
        }
        let contents = match self.server.read_resource(uri, cancel).await {
            Ok(contents) => contents,
            Err(failure) => {
                let why = format!("{uri} could not be read: {}", failure.told()?);
                return Ok(Err(Problem { why, is_mismatch: declared.is_some() }));
            }
        };
        // One file is one content; another one beside it belongs to another URI.
        let Some(content) = contents.into_iter().find(|content| content.uri == uri) else {
            return Ok(Err(Problem { why: format!("what was read holds no {uri}"), is_mismatch: declared.is_some() }));
        };
        Ok(match declared.map(|file| file.check(&content.bytes)) {
            Some(Err(error)) => Err(Problem::mismatch(error.to_string())),
            _ if content.bytes.len() > MOST_SHOWN => Err(Problem::too_large(uri, content.bytes.len() as u64)),
            _ => Ok(vec![content]),
        })
    }

    /// Reads a resource that belongs to no skill.
    async fn resource(&self, uri: &str, cancel: &CancellationToken) -> Result<Result<String, Problem>, Stop> {
        match self.server.lists_resource(uri, cancel).await {
            Ok(true) => {}
            Ok(false) => {
                let why = format!("no resource {uri:?} is listed, and no skill has such a file");
                return Ok(Err(Problem::other(why)));
            }
            Err(failure) => return Ok(Err(Problem::other(failure.told()?))),
        }
        match self.server.read_resource(uri, cancel).await {
            Ok(contents) => Ok(self.shown(uri, &contents)),
            Err(failure) => Ok(Err(Problem::other(format!("{uri} could not be read: {}", failure.told()?)))),
        }
    }

    /// Returns contents as the model is shown them; bytes that are no text as a note.
    fn shown(&self, uri: &str, contents: &[ResourceContent]) -> Result<String, Problem> {
        let size: usize = contents.iter().map(|content| content.bytes.len()).sum();
        if size > MOST_SHOWN {
            return Err(Problem::too_large(uri, size as u64));
        }
        let block = |content: &ResourceContent| {
            let kind = content.mime_type.as_deref().unwrap_or("application/octet-stream");
            let text =
                content.text().map_or_else(|| format!("({} bytes of {kind})", content.bytes.len()), str::to_owned);
            prompt::resource(self.label(), &content.uri, &text)
        };
        Ok(contents.iter().map(block).collect::<Vec<_>>().join("\n"))
    }

    /// Returns a skill that is known.
    fn known(&self, wanted: impl Fn(&SkillEntry) -> bool) -> Option<&SkillEntry> {
        self.listing.skills.iter().chain(&self.unlisted).find(|skill| wanted(skill))
    }

    /// Returns the skill whose file a URI is: of those that hold it the innermost, a loaded one before any other.
    fn owner(&self, uri: &str) -> Option<&SkillEntry> {
        let holding = self.listing.skills.iter().chain(&self.unlisted).filter(|skill| uri.starts_with(skill.root()));
        holding.max_by_key(|skill| (self.loaded.iter().any(|loaded| loaded == skill.uri()), skill.root().len()))
    }

    /// Returns a URI as it is, and a relative path below the folder of the skill that was loaded last.
    fn absolute(&self, uri: &str) -> String {
        let has_scheme = uri.split_once(':').is_some_and(|(scheme, _)| {
            !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        });
        let last = self.loaded.last().and_then(|loaded| self.known(|skill| skill.uri() == loaded));
        match last {
            Some(skill) if !has_scheme => {
                format!("{}{}", skill.root(), uri.trim_start_matches("./").trim_start_matches('/'))
            }
            _ => uri.to_owned(),
        }
    }

    /// Makes the record of a read of a skill that ends well.
    fn load(&self, skill: &SkillEntry, kind: SkillLoadKind, via: SkillLoadVia) -> SkillLoad {
        SkillLoad {
            name: Some(skill.name().to_owned()),
            verified: matches!(skill.files(), SkillFiles::Listed(_)).then_some(true),
            ..self.load_of(skill.uri(), kind, via)
        }
    }

    /// Makes the record of a read of which nothing was declared.
    fn load_of(&self, uri: &str, kind: SkillLoadKind, via: SkillLoadVia) -> SkillLoad {
        SkillLoad {
            name: None,
            uri: uri.to_owned(),
            server: self.label().clone(),
            kind,
            via,
            verified: None,
            problems: Vec::new(),
            after_tool_calls: 0,
        }
    }
}
