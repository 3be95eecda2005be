//! `--results`, as typed.

use clap::Args;
use clap::builder::NonEmptyStringValueParser;

/// The flag that names a result store.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ResultsFlag {
    /// Keep runs in this result store too, and look there for those that are not here: file:DIR, instead of the config's
    #[arg(long, value_name = "STORE", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) results: Option<String>,
}
