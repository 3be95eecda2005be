//! `mst clients`, as typed.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `mst clients`.
#[derive(Args, Debug)]
pub(crate) struct ClientsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ClientsCommand>,
    #[command(flatten)]
    pub(crate) flags: ClientsFlags,
}

/// What to do with clients; the list when absent.
#[derive(Debug, Subcommand)]
pub(crate) enum ClientsCommand {
    /// Print what a client needs and the options it takes
    Show {
        /// The client's name
        #[arg(value_name = "CLIENT")]
        client: String,
        #[command(flatten)]
        flags: ClientsFlags,
    },
}

/// Flags of every form.
#[derive(Args, Debug)]
pub(crate) struct ClientsFlags {
    /// An eval config whose plugins may add clients
    #[arg(short, long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[arg(long, hide = true, num_args = 0..)]
    pub(crate) plugins: Option<Vec<String>>,
}
