//! OTLP both ways, against a collector and exporters that are real programs' doubles.

mod receiving;
mod records;
mod sending;
mod spans;
