//! The run directory (mst.run/v1): layout, readers and writers.
