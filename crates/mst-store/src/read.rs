//! Reads a whole file with as few calls to the system as there can be: a run joins hundreds of thousands of small ones.

use std::io::{self, Read as _};
use std::path::Path;

/// Room beyond a file's size, so that reading to its end does not look for more memory first.
const SPARE: usize = 64;

/// Replaces a buffer's content by a file's.
///
/// Files are put in their place whole, so that one does not grow while it is read.
///
/// # Errors
/// When the file cannot be read; the text names the path.
pub(crate) fn read_into(path: &Path, buffer: &mut Vec<u8>) -> io::Result<()> {
    let file = fs_err::File::open(path)?;
    let size = file.metadata()?.len();
    buffer.clear();
    buffer.reserve(usize::try_from(size).unwrap_or_default().saturating_add(SPARE));
    file.take(size).read_to_end(buffer)?;
    Ok(())
}

/// Returns a file's content.
///
/// # Errors
/// As [`read_into`].
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut buffer = Vec::new();
    read_into(path, &mut buffer)?;
    Ok(buffer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_every_size_are_read_whole() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("file");
        let mut buffer = b"what was there".to_vec();
        for size in [0, 1, 31, 32, 33, 8191, 8192, 100_000] {
            let content: Vec<u8> = (0..size).map(|at| (at % 251) as u8).collect();
            fs_err::write(&path, &content).expect("written");
            read_into(&path, &mut buffer).expect("read");
            assert_eq!(buffer, content);
            assert_eq!(read(&path).expect("read"), content);
        }
        let error = read(&dir.path().join("none")).expect_err("there is none");
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(error.to_string().contains("none"), "{error}");
        assert!(read(dir.path()).is_err());
    }
}
