//! The `gradable` binary: scans a server's declared tools and grades them. It never executes a tool.

mod judge;
mod surface;

fn main() {}
