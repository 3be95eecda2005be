//! Tables for the terminal and for pipes: plain text, no colour.

use comfy_table::{ContentArrangement, Table, presets};

/// Lays out rows under their headers, folding cells so that no line is wider than `width` where that can be.
pub fn table(headers: &[&str], rows: &[Vec<String>], width: u16) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    table.set_header(headers.iter().copied());
    for row in rows {
        table.add_row(row);
    }
    table.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}
