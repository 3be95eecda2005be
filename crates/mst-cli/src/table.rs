//! Tables for the terminal and for pipes: plain text, no colour.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

use crate::printable::printable_line;

/// Lays out rows under their headers, folding cells so that no line is wider than `width` where that can be.
///
/// The first column names the row and stands left; the others hold its numbers and stand right.
pub fn table(headers: &[&str], rows: &[Vec<String>], width: u16) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    table.set_header(headers.iter().copied());
    for row in rows {
        table.add_row(row.iter().map(|cell| printable_line(cell)));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_left_and_numbers_right() {
        let rows =
            [["検索", "10/12", "$0.0020"], ["a\u{1b}[31mb\nc", "9/12", "-"]].map(|row| row.map(str::to_owned).to_vec());
        insta::assert_snapshot!(table(&["Variant", "Passed", "Cost"], &rows, 100), @r"
        Variant          Passed     Cost
        検索              10/12  $0.0020
        a\u{1b}[31mb\nc    9/12        -
        ");
    }
}
