//! The engine with a scripted client in place of a real one, and no server.

mod budget;
mod collection;
mod comparing;
mod durability;
mod ending;
mod host_reports;
mod judging;
mod limits;
mod scripted;
