//! Counts and hashes bytes as they pass, so that a manifest says what was read and not what may be there later.

use std::fmt::Write as _;
use std::io::{self, Read};

use mst_model::ManifestFile;
use sha2::{Digest as _, Sha256};

/// A reader that notes what passes.
pub(super) struct Noting<R> {
    from: R,
    size: u64,
    hash: Sha256,
    /// What reading failed with: the other end of a copy tells its own failures.
    pub(super) failure: Option<io::Error>,
}

impl<R: Read> Noting<R> {
    pub(super) fn new(from: R) -> Self {
        Self { from, size: 0, hash: Sha256::new(), failure: None }
    }

    /// Returns what passed.
    pub(super) fn noted(self) -> ManifestFile {
        let mut sha256 = String::with_capacity(64);
        for byte in self.hash.finalize() {
            write!(sha256, "{byte:02x}").expect("a string takes text");
        }
        ManifestFile { size: self.size, sha256 }
    }
}

impl<R: Read> Read for Noting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.from.read(buffer) {
            Ok(count) => {
                self.hash.update(&buffer[..count]);
                self.size += count as u64;
                Ok(count)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                let told = io::Error::new(error.kind(), error.to_string());
                self.failure = Some(error);
                Err(told)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_is_counted_and_hashed() {
        let mut noting = Noting::new(&b"abc"[..]);
        io::copy(&mut noting, &mut io::sink()).expect("copied");
        let noted = noting.noted();
        assert_eq!(noted.size, 3);
        assert_eq!(noted.sha256, mst_model::sha256_hex(b"abc"));
    }
}
