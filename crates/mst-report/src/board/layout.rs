//! Where everything stands on a board.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::configuration::Configuration;
use super::ranking::{Rank, ranks};
use super::row::{BoardRow, FailedRow, LeftOut, ServerKey};

/// A leaderboard, laid out.
#[derive(Debug)]
pub struct Board {
    /// One table a configuration: those of language models by size, then the offline ones.
    pub(crate) tables: Vec<Table>,
    /// Reports of a server that a newer one of the same configuration stands for.
    pub(crate) earlier: Vec<Placed>,
    /// Scans that gave no score, the newest first.
    pub(crate) failed: Vec<FailedRow>,
    /// Files that could not be used.
    pub(crate) left_out: Vec<LeftOut>,
    folders: Vec<String>,
}

/// The reports of one configuration, ranked.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) configuration: Configuration,
    pub(crate) is_offline: bool,
    /// The versions of the judge's program among the reports.
    pub(crate) cli_versions: BTreeSet<String>,
    pub(crate) rows: Vec<(Rank, Placed)>,
}

/// A row with the folder of its report's files, below `reports/` of a site.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) row: BoardRow,
    pub(crate) folder: String,
}

impl Board {
    /// Lays out what was read. The order in which files were found does not matter.
    pub fn new(rows: Vec<BoardRow>, mut failed: Vec<FailedRow>, mut left_out: Vec<LeftOut>) -> Self {
        let folders = folders(&rows);
        let placed: Vec<Placed> =
            rows.into_iter().zip(&folders).map(|(row, folder)| Placed { row, folder: folder.clone() }).collect();
        let (newest, mut earlier) = newest_first(placed);
        earlier.sort_by(|a, b| {
            let key =
                |one: &Placed| (one.row.server.clone(), std::cmp::Reverse(one.row.scanned_at), one.folder.clone());
            key(a).cmp(&key(b))
        });
        failed.sort_by(|a, b| {
            (b.failed_at, &a.server, &a.stage, &a.reason).cmp(&(a.failed_at, &b.server, &b.stage, &b.reason))
        });
        left_out.sort();
        Self { tables: tables(newest), earlier, failed, left_out, folders }
    }

    /// Returns the folder of each row's report, below `reports/` of a site, in the order in which rows were given.
    pub fn folders(&self) -> &[String] {
        &self.folders
    }

    /// Returns how many reports are ranked.
    pub fn ranked(&self) -> usize {
        self.tables.iter().map(|table| table.rows.len()).sum()
    }

    /// Returns how many judge configurations the ranked reports have.
    pub fn configurations(&self) -> usize {
        self.tables.len()
    }

    /// Returns how many scans failed.
    pub fn failed(&self) -> usize {
        self.failed.len()
    }
}

/// Names each row's folder: the server's name, and a mark where several have it.
fn folders(rows: &[BoardRow]) -> Vec<String> {
    let names: Vec<String> = rows.iter().map(BoardRow::plain_name).collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for name in &names {
        *counts.entry(name).or_default() += 1;
    }
    let mut taken = BTreeSet::new();
    let mut folders = Vec::with_capacity(rows.len());
    for (row, name) in rows.iter().zip(&names) {
        let first = if counts[name.as_str()] == 1 { name.clone() } else { format!("{name}-{}", row.mark()) };
        let mut folder = first.clone();
        let mut copy = 1;
        // The same report twice has the same mark, and a name may look like another with its mark.
        while !taken.insert(folder.clone()) {
            copy += 1;
            folder = format!("{first}-{copy}");
        }
        folders.push(folder);
    }
    folders
}

/// Splits off, for each server and configuration, all but the newest report.
fn newest_first(mut placed: Vec<Placed>) -> (Vec<Placed>, Vec<Placed>) {
    placed.sort_by(|a, b| (b.row.scanned_at, &a.folder).cmp(&(a.row.scanned_at, &b.folder)));
    let mut seen: BTreeSet<(ServerKey, Configuration)> = BTreeSet::new();
    placed.into_iter().partition(|one| seen.insert((one.row.server.clone(), one.row.configuration.clone())))
}

fn tables(newest: Vec<Placed>) -> Vec<Table> {
    let mut by_configuration: BTreeMap<Configuration, Vec<Placed>> = BTreeMap::new();
    for one in newest {
        by_configuration.entry(one.row.configuration.clone()).or_default().push(one);
    }
    let mut tables: Vec<Table> = by_configuration.into_iter().map(|(judge, placed)| table(judge, placed)).collect();
    tables.sort_by_key(|table| (table.is_offline, std::cmp::Reverse(table.rows.len())));
    tables
}

fn table(configuration: Configuration, mut placed: Vec<Placed>) -> Table {
    placed.sort_by(|a, b| {
        b.row.total.total_cmp(&a.row.total).then_with(|| (&a.row.server, &a.folder).cmp(&(&b.row.server, &b.folder)))
    });
    let ranks = ranks(&placed.iter().map(|one| &one.row).collect::<Vec<_>>());
    Table {
        is_offline: configuration.is_offline(),
        cli_versions: placed.iter().map(|one| one.row.cli_version.clone()).collect(),
        rows: ranks.into_iter().zip(placed).collect(),
        configuration,
    }
}
