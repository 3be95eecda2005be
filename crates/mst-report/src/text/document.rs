//! A Markdown document, written block by block.

use super::markdown::{fence, row};
use super::{Line, Shown};

/// A Markdown document.
#[derive(Debug, Default)]
pub(crate) struct Document(String);

impl Document {
    /// Adds a heading.
    pub(crate) fn heading(&mut self, level: usize, line: &Line) {
        self.block(&format!("{} {}", "#".repeat(level), line.markdown()));
    }

    /// Adds a heading in words of ours.
    pub(crate) fn title(&mut self, level: usize, words: &'static str) {
        self.heading(level, &Line::new(words));
    }

    /// Adds a paragraph.
    pub(crate) fn paragraph(&mut self, line: &Line) {
        self.block(&line.markdown());
    }

    /// Adds a paragraph in words of ours.
    pub(crate) fn words(&mut self, words: &'static str) {
        self.block(words);
    }

    /// Adds a list.
    pub(crate) fn bullets<'a>(&mut self, lines: impl IntoIterator<Item = &'a Line>) {
        self.list("-", lines);
    }

    /// Adds a numbered list.
    pub(crate) fn numbered<'a>(&mut self, lines: impl IntoIterator<Item = &'a Line>) {
        self.list("1.", lines);
    }

    fn list<'a>(&mut self, mark: &str, lines: impl IntoIterator<Item = &'a Line>) {
        let items: Vec<String> = lines.into_iter().map(|line| format!("{mark} {}", line.markdown())).collect();
        if !items.is_empty() {
            self.block(&items.join("\n"));
        }
    }

    /// Adds a table; nothing when it has no row.
    pub(crate) fn table<const N: usize>(&mut self, head: [&str; N], rows: impl IntoIterator<Item = [String; N]>) {
        let rows: String = rows.into_iter().map(|cells| row(&cells)).collect();
        if !rows.is_empty() {
            let head = row(&head.map(str::to_owned)) + &row(&[const { "---" }; N].map(str::to_owned));
            self.block((head + &rows).trim_end());
        }
    }

    /// Adds text from outside as a block that it cannot end.
    pub(crate) fn fence(&mut self, text: &Shown) {
        self.block(fence(text.as_str()).trim_end());
    }

    fn block(&mut self, text: &str) {
        if !self.0.is_empty() {
            self.0.push('\n');
        }
        self.0.push_str(text);
        self.0.push('\n');
    }

    /// Returns the text.
    pub(crate) fn finish(self) -> String {
        self.0
    }
}
