use crate::OutlineError;

/// Deterministic work allowance, in bytes visited: the pure crates have no clock.
///
/// Each pass over bytes burns their number before it runs, so a given source and allowance always end alike.
#[derive(Clone, Copy, Debug)]
pub struct Fuel {
    bytes_left: u64,
    visited: u64,
}

impl Fuel {
    /// An allowance of `bytes` visited.
    #[must_use]
    pub fn new(bytes: u64) -> Self {
        Self { bytes_left: bytes, visited: 0 }
    }

    /// No limit.
    #[must_use]
    pub fn unlimited() -> Self {
        Self::new(u64::MAX)
    }

    /// Takes the cost of visiting `bytes`.
    ///
    /// # Errors
    /// [`OutlineError::OutOfFuel`] if that is more than what is left.
    pub fn burn(&mut self, bytes: usize) -> Result<(), OutlineError> {
        let bytes = bytes as u64;
        match self.bytes_left.checked_sub(bytes) {
            Some(left) => {
                self.bytes_left = left;
                self.visited += bytes;
                Ok(())
            }
            None => Err(OutlineError::OutOfFuel { visited: self.visited }),
        }
    }
}
