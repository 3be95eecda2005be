//! Drives the real `gradable` binary against fakes of everything around it.

mod failures;
mod field_cases;
mod flags;
mod real_servers;
mod scan;
mod secrets;
mod support;
mod surfaces;
