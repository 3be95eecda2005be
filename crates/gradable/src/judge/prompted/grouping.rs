//! Tools in groups, each of which fits a prompt.

use async_trait::async_trait;
use mst_mcp::ListedTool;

use super::evidence::Detail;
use crate::judge::asker::AskFault;

/// What a group may hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    /// How much of a tool is shown.
    pub(super) detail: Detail,
    /// The most bytes.
    pub(super) bytes: usize,
    /// The most tools.
    pub(super) tools: usize,
}

impl Fit {
    /// Cuts tools into groups, in order. A tool that is too long by itself is a group of its own.
    pub(super) fn groups<'a>(&self, tools: &[&'a ListedTool]) -> Vec<Vec<&'a ListedTool>> {
        let mut groups: Vec<Vec<&ListedTool>> = Vec::new();
        let mut left = 0;
        for tool in tools {
            let bytes = self.size(tool);
            match groups.last_mut() {
                Some(group) if group.len() < self.tools && bytes <= left => group.push(tool),
                _ => {
                    groups.push(vec![tool]);
                    left = self.bytes;
                }
            }
            left = left.saturating_sub(bytes);
        }
        groups
    }

    /// Returns how many bytes a tool takes in a prompt, its comma and line included.
    pub(super) fn size(&self, tool: &ListedTool) -> usize {
        self.detail.of(tool).to_string().len() + 2
    }
}

/// A group's place among the tools of its surface, for people: `tools 1-20`.
pub(super) fn place(all: &[ListedTool], group: &[&ListedTool]) -> String {
    let number = |tool: Option<&&ListedTool>| {
        tool.and_then(|tool| all.iter().position(|known| known.name() == tool.name())).map_or(0, |at| at + 1)
    };
    match (number(group.first()), number(group.last())) {
        (first, last) if first == last => format!("tool {first}"),
        (first, last) => format!("tools {first}-{last}"),
    }
}

/// Work on a group of tools that may turn out to be more than the judge takes.
#[async_trait]
pub(super) trait Grouped: Sync {
    /// What a group comes to.
    type Answer: Send;

    /// Asks about a group.
    async fn ask(&self, group: &[&ListedTool]) -> Result<Self::Answer, AskFault>;

    /// Returns smaller groups to ask about in place of one that was too long; none when it cannot be made smaller.
    fn smaller<'t>(&self, group: &[&'t ListedTool]) -> Vec<Vec<&'t ListedTool>> {
        if group.len() < 2 {
            return Vec::new();
        }
        let (first, second) = group.split_at(group.len() / 2);
        vec![first.to_vec(), second.to_vec()]
    }

    /// Asks about a group, or about smaller ones in its place as long as that is needed.
    async fn ask_fitting(&self, group: Vec<&ListedTool>) -> Result<Vec<Self::Answer>, AskFault> {
        let (mut waiting, mut answers) = (vec![group], Vec::new());
        while let Some(group) = waiting.pop() {
            match self.ask(&group).await {
                Ok(answer) => answers.push(answer),
                Err(AskFault::TooLong(reason)) => {
                    let smaller = self.smaller(&group);
                    if smaller.is_empty() {
                        return Err(AskFault::TooLong(reason));
                    }
                    waiting.extend(smaller.into_iter().rev());
                }
                Err(fault) => return Err(fault),
            }
        }
        Ok(answers)
    }
}
