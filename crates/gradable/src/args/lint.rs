//! Flags of `gradable lint`.

use clap::Args;

use super::TargetArgs;

/// Flags of `gradable lint`.
#[derive(Args, Debug)]
pub(crate) struct LintArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Leave out what these rules find: codes or names, such as `G105,names-alike`
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    pub(crate) ignore: Vec<String>,
    /// List the rules and what they find; nothing is linted
    #[arg(long, exclusive = true)]
    pub(crate) rules: bool,
    /// Print what was found as one JSON value on stdout
    #[arg(long)]
    pub(crate) json: bool,
}
