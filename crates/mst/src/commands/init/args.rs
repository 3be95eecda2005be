//! Flags of `mst init`.

use std::path::PathBuf;

use clap::Args;

use mst_cli::GivenServer;

/// Flags of `mst init`.
#[derive(Args, Debug)]
pub(crate) struct InitArgs {
    /// Read this file alone: a list of servers of another program, a server.json or an .mcpb bundle
    #[arg(long, value_name = "FILE", conflicts_with_all = ["url", "command"])]
    pub(crate) from: Option<PathBuf>,
    /// The server to take, by its name there or its label
    #[arg(long, value_name = "NAME", conflicts_with_all = ["url", "command"])]
    pub(crate) server: Option<String>,
    /// List what is found, and do nothing else
    #[arg(long, conflicts_with_all = ["out", "name", "force", "model", "provider", "unguarded", "no_connect"])]
    pub(crate) list: bool,
    #[command(flatten)]
    pub(crate) given: GivenServer,
    /// Where the two files go
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) out: PathBuf,
    /// The eval's name, which names its files too [default: the server's label]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Replace files that are there
    #[arg(long)]
    pub(crate) force: bool,
    /// The model to evaluate with [default: the offline baseline, which needs no key]
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// The model's provider, where its name does not tell
    #[arg(long, value_name = "PROVIDER")]
    pub(crate) provider: Option<String>,
    /// Let this server's writes through when the eval runs
    #[arg(long, value_name = "LABEL")]
    pub(crate) unguarded: Vec<String>,
    /// Write the files without connecting to the server
    #[arg(long)]
    pub(crate) no_connect: bool,
    /// Print what was found, or written, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
