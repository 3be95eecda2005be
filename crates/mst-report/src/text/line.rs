//! A line of prose that every form can show: our words, and pieces from outside that stay what they are.

use std::borrow::Cow;
use std::fmt;

use askama::filters::HtmlSafe;

use super::markdown;
use super::visible::Shown;

/// A sentence or a paragraph, built once and shown as HTML or Markdown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line(Vec<Span>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Span {
    /// Ours: letters, numbers and marks that no form reads as markup.
    Words(Cow<'static, str>),
    /// Ours, and stressed.
    Strong(Cow<'static, str>),
    /// A name, from outside or ours.
    Code(Shown),
    /// Prose from outside.
    Quote(Shown),
}

impl Line {
    /// Begins with words of ours.
    pub(crate) fn new(words: impl Into<Cow<'static, str>>) -> Self {
        Self(vec![Span::Words(words.into())])
    }

    /// Begins with a name.
    pub(crate) fn of_code(name: &str) -> Self {
        Self::default().code(name)
    }

    /// Makes a line of prose from outside.
    pub(crate) fn of_quote(text: &str) -> Self {
        Self::default().quote(text)
    }

    /// Adds words of ours.
    pub(crate) fn words(mut self, words: impl Into<Cow<'static, str>>) -> Self {
        self.0.push(Span::Words(words.into()));
        self
    }

    /// Adds stressed words of ours.
    pub(crate) fn strong(mut self, words: impl Into<Cow<'static, str>>) -> Self {
        self.0.push(Span::Strong(words.into()));
        self
    }

    /// Adds a name.
    pub(crate) fn code(mut self, name: &str) -> Self {
        self.0.push(Span::Code(Shown::line(name)));
        self
    }

    /// Adds prose from outside.
    pub(crate) fn quote(mut self, text: &str) -> Self {
        self.0.push(Span::Quote(Shown::line(text)));
        self
    }

    /// Adds another line.
    pub(crate) fn line(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Adds names with commas between them.
    pub(crate) fn codes<'a>(self, names: impl IntoIterator<Item = &'a str>) -> Self {
        names.into_iter().enumerate().fold(self, |line, (index, name)| {
            let line = if index == 0 { line } else { line.words(", ") };
            line.code(name)
        })
    }

    /// Returns the line as Markdown.
    pub(crate) fn markdown(&self) -> String {
        let mut out = String::new();
        for span in &self.0 {
            match span {
                Span::Words(words) => out.push_str(words),
                Span::Strong(words) => {
                    out.push_str("**");
                    out.push_str(words);
                    out.push_str("**");
                }
                Span::Code(name) => out.push_str(&markdown::code(name.as_str())),
                Span::Quote(text) => out.push_str(&markdown::prose(text.as_str())),
            }
        }
        out
    }
}

/// As HTML. Pieces from outside are set apart, so that their direction of writing does not spread.
impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for span in &self.0 {
            match span {
                Span::Words(words) => Escaped(words).fmt(f)?,
                Span::Strong(words) => write!(f, "<strong>{}</strong>", Escaped(words))?,
                Span::Code(name) if name.as_str().is_empty() => f.write_str("<em>(empty)</em>")?,
                Span::Code(name) => write!(f, "<bdi><code>{}</code></bdi>", Escaped(name.as_str()))?,
                Span::Quote(text) => write!(f, "<bdi>{}</bdi>", Escaped(text.as_str()))?,
            }
        }
        Ok(())
    }
}

impl HtmlSafe for Line {}

/// Text that is shown with the characters of HTML escaped.
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for char in self.0.chars() {
            match char {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                _ => fmt::Write::write_char(f, char)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_from_outside_stay_text_in_each_form() {
        let line = Line::new("It chose ").code("<b>`x\u{202e}").words(": ").quote("*why* <script>");
        assert_eq!(
            line.to_string(),
            "It chose <bdi><code>&lt;b&gt;`x\\u{202e}</code></bdi>: <bdi>*why* &lt;script&gt;</bdi>"
        );
        assert_eq!(line.markdown(), "It chose ``<b>`x\\u{202e}``: \\*why\\* \\<script\\>");
    }
}
