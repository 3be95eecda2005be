//! A board as data: what `index.html` shows, for programs.

use serde_json::{Map, Value, json};

use super::layout::{Board, Placed, Table};
use super::ranking::Rank;

/// The format's name.
pub const BOARD_FORMAT: &str = "gradable.leaderboard/v1";

/// Returns a board as JSON.
///
/// Keys: `format`; `comparable` (whether all ranked reports have one configuration); `configurations[] { id, judge, cliVersions,
/// offline, reports[] }` with `reports[] { rank, rankRange, server, total, grade, interval?, overlapsNext?, report … }`; `earlier[]`;
/// `failed[] { server, stage, reason, failedAt }`; `leftOut[] { file, reason }`.
pub fn board_json(board: &Board) -> Value {
    json!({
        "format": BOARD_FORMAT,
        "comparable": board.configurations() == 1,
        "configurations": board.tables.iter().map(table).collect::<Vec<_>>(),
        "earlier": board.earlier.iter().map(|one| Value::Object(report(one))).collect::<Vec<_>>(),
        "failed": board.failed.iter().map(|one| json!({
            "server": one.server.name, "stage": one.stage, "reason": one.reason, "failedAt": one.failed_at,
        })).collect::<Vec<_>>(),
        "leftOut": board.left_out.iter().map(|one| json!({ "file": one.file, "reason": one.reason })).collect::<Vec<_>>(),
    })
}

fn table(table: &Table) -> Value {
    json!({
        "id": table.configuration.id(),
        "judge": table.configuration,
        "cliVersions": table.cli_versions,
        "offline": table.is_offline,
        "reports": table.rows.iter().map(ranked).collect::<Vec<_>>(),
    })
}

fn ranked((rank, placed): &(Rank, Placed)) -> Value {
    let mut out = Map::new();
    out.insert("rank".to_owned(), rank.rank.into());
    out.insert("rankRange".to_owned(), json!([rank.best, rank.worst]));
    out.extend(report(placed));
    if let Some(overlaps) = rank.overlaps_next {
        out.insert("overlapsNext".to_owned(), overlaps.into());
    }
    Value::Object(out)
}

fn report(placed: &Placed) -> Map<String, Value> {
    let row = &placed.row;
    let folder = format!("reports/{}", placed.folder);
    let mut out = Map::new();
    out.insert("server".to_owned(), row.server.name.clone().into());
    if let Some(version) = &row.version {
        out.insert("version".to_owned(), version.clone().into());
    }
    out.insert("total".to_owned(), row.total.into());
    out.insert("grade".to_owned(), row.grade.as_str().into());
    if let Some((lower, upper)) = row.interval {
        out.insert("interval".to_owned(), json!({ "lower": lower, "upper": upper }));
    }
    out.insert("tools".to_owned(), row.tools.into());
    out.insert("definitionTokens".to_owned(), row.definition_tokens.into());
    out.insert("definitionTokensSource".to_owned(), json!(row.token_source));
    out.insert("withResponseData".to_owned(), row.has_responses.into());
    out.insert("scannedAt".to_owned(), json!(row.scanned_at));
    out.insert("page".to_owned(), format!("{folder}/report.html").into());
    out.insert("fix".to_owned(), format!("{folder}/fix.md").into());
    out.insert("report".to_owned(), format!("{folder}/report.json").into());
    out
}
