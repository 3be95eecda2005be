//! Where a page finds what belongs to it.

/// Links of a report's page: relative paths that the caller made. A link that is absent is not shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct PageLinks<'a> {
    /// The leaderboard.
    pub board: Option<&'a str>,
    /// The fix brief.
    pub fix: Option<&'a str>,
    /// The report as Markdown.
    pub markdown: Option<&'a str>,
    /// The report as JSON.
    pub data: Option<&'a str>,
}

impl PageLinks<'static> {
    /// The files that a scan leaves beside its page.
    pub const BESIDE: Self =
        Self { board: None, fix: Some("fix.md"), markdown: Some("report.md"), data: Some("report.json") };
}

impl PageLinks<'_> {
    /// Returns whether there is a link to a file of the report.
    pub(crate) fn has_files(&self) -> bool {
        self.fix.is_some() || self.markdown.is_some() || self.data.is_some()
    }
}
