//! The field cases over each transport and in each provider's wire form.
//!
//! A scenario is written once and run over every pair to which it applies: one run of `mst` for each transport, with a
//! variant for each provider in it. Where each case is looked at, by the module or the test's file:
//!
//! | Case | stdio | HTTP | wire forms, with the offline model where it can take part |
//! |---|---|---|---|
//! | FC-01 | `servers`, here | here: in event streams and bodies | all |
//! | FC-03 | `servers`, `lifetimes`, here | here: silence, a lost connection, an end that is not answered | all for what a model sees; else none is asked |
//! | FC-04 | `servers`, here | `servers`, here | all for what is presented; a list that cannot be had asks none |
//! | FC-06 | `servers` | `servers` | all |
//! | FC-08 | `servers` | `servers` | a handshake asks no model; all for what comes after it (here) |
//! | FC-09 | `endings`, `throttling`, here | `protocol`, here | all |
//! | FC-11 | `servers`, here | `servers`, `protocol`, here | all for a late tool; a refused run asks none |
//! | FC-12 | `schemas` | `schemas` | all |
//! | FC-14 | `tool_calls`, here | `tool_calls`, here | all |
//! | FC-15 | `tool_calls`, here | here | all: text in some forms, JSON in others |
//! | FC-17 | here | here | all |
//! | FC-19 | here | here | all |
//! | FC-20 | `tool_calls` | no server takes part | all |
//! | FC-25 | `cases` | ids reach no server | ids reach no provider |
//! | FC-27 | `cases` | datasets reach no server | here: a prompt's bytes, in all |
//! | FC-28 | `cases`, here | here | all |
//! | FC-30 | `interrupts`, `lifetimes` | here | all |
//! | FC-35 | `secrets`, here | `secrets`, here | all: each one's own credentials |
//! | FC-36 | `exit_codes` | here | all |
//! | FC-37 | `usage` | usage comes from providers alone | each wire form |
//!
//! A run of every provider over each transport is recorded and replayed in `replays`.

mod calls;
mod credentials;
mod endings;
mod field;
mod interrupt;
mod matching;
mod replays;
mod servers;
mod turns;
