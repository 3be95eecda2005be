//! A leaderboard: ranks within one judge configuration each, and what is to be known beside them.

mod configuration;
mod data;
mod layout;
mod page;
mod ranking;
mod row;

pub use configuration::Configuration;
pub use data::{BOARD_FORMAT, board_json};
pub use layout::Board;
pub use page::board_html;
pub use row::{BoardRow, FailedRow, LeftOut, NoPlace};
