//! Text to meaning: JSON with positions, eval configs and datasets, up to a [`Plan`] that is plain data.
//!
//! [`load`] is the whole way, and the only code here that reads files:
//!
//! 1. A file becomes a [`Document`]: strict JSON, with the way back from a JSON Pointer to a line and column.
//! 2. Its value is walked along its shape. The shape is compiled from the same JSON Schema that [`published_schemas`]
//!    hands out, so editors and this reader agree; rules that JSON Schema has no words for stand in `rule`, and keys
//!    that were renamed or come with a later version in `key`. The walk tells every mistake, not only the first.
//! 3. What passes is decoded: an [`EvalDraft`], and `mst_model::Dataset`s.
//! 4. Names are bound against the `Catalog`, variants are patched over the config, clients get their defaults and have
//!    their options checked, flags select. Out comes the [`Plan`].
//!
//! Whatever goes wrong is [`Diagnostics`]: plain data with file, place and the line to show, in which credentials are
//! blanked. How it looks is the terminal's business. The client's schema, not this crate, says what its options are.

mod binder;
mod case_place;
mod cases;
mod check;
mod client;
mod dataset;
mod dataset_reader;
mod dataset_source;
mod diagnostic;
pub mod discover;
mod draft;
mod issue;
mod judge_options;
mod judges;
mod key;
mod limits;
mod load;
mod location;
mod metric_entry;
mod named_dataset;
mod options;
mod pairwise_judges;
mod pattern;
mod plain_file;
mod plan;
mod reference;
mod request;
mod resolve;
mod result_store;
mod rule;
mod scan_document;
mod scan_schema;
mod schema;
mod secrets;
mod select;
mod server_rule;
mod settings;
mod shape;
mod source;
mod suggest;
mod ungraded_case;
mod unknown_server;
mod variant;
mod write_mode;

pub use case_place::{CaseLine, case_lines};
pub use cases::Cases;
pub use dataset_source::{DatasetSource, DirSource, FileSource};
pub use diagnostic::{Code, Diagnostic, Diagnostics, Position, Severity, SourceLine};
pub use draft::{EvalDraft, LimitsDraft, ResultsDraft, RunControls, VariantDraft, WriteSetting};
pub use load::{load, load_secrets, read_document};
pub use metric_entry::MetricEntry;
pub use named_dataset::{DeclaredDataset, NamedDataset, declared_datasets, find_dataset, load_dataset, source_of};
pub use plain_file::{PlainFileError, read_plain_file};
pub use plan::{Limits, Plan, PlannedBatch, PlannedCase, PlannedClient, PlannedDataset, PlannedMetric, PlannedVariant};
pub use request::{LoadRequest, Loaded, SelectionFlags};
pub use result_store::{ResultStoreSetting, result_store_flag};
pub use scan_document::{ScanDocument, load_scan, load_scan_report};
pub use schema::{PublishedSchema, published_schemas};
pub use secrets::parse_secrets;
pub use source::Document;
