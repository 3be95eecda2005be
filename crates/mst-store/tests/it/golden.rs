//! Golden run directories of released formats: every reader reads them and saves them again byte for byte.
