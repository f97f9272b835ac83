//! Sealed values.

use std::fmt;

use super::KeyId;

/// A secret that only a holder of its key can read: the key's id, the nonce and the ciphertext with its authenticator.
#[derive(Clone, PartialEq, Eq)]
pub struct Sealed {
    key: KeyId,
    nonce: [u8; Self::NONCE],
    ciphertext: Vec<u8>,
}

/// The error for stored bytes that are not a sealed value, or one of a form that this version does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a sealed value of a known form")]
pub struct InvalidSealed;

impl Sealed {
    pub(super) const NONCE: usize = 24;
    /// The length of an authenticator, and so the least length of a ciphertext.
    const TAG: usize = 16;
    /// The first byte of a stored value; another cipher or another layout gets another number.
    pub(super) const FORM: u8 = 1;

    pub(super) const fn new(key: KeyId, nonce: [u8; Self::NONCE], ciphertext: Vec<u8>) -> Self {
        Self { key, nonce, ciphertext }
    }

    /// Returns the id of the key that opens it.
    pub const fn key(&self) -> KeyId {
        self.key
    }

    pub(super) const fn nonce(&self) -> &[u8; Self::NONCE] {
        &self.nonce
    }

    pub(super) fn ciphertext(&self) -> &[u8] {
        &self.ciphertext
    }

    /// Returns the bytes that a store keeps. No two values have the same bytes, even of the same secret: each has a nonce
    /// of its own.
    pub fn to_bytes(&self) -> Vec<u8> {
        [&[Self::FORM][..], self.key.as_bytes(), &self.nonce, &self.ciphertext].concat()
    }

    /// Reads stored bytes. Only opening the value shows whether they are genuine.
    ///
    /// # Errors
    /// [`InvalidSealed`] for bytes of any other form.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, InvalidSealed> {
        let rest = bytes.strip_prefix(&[Self::FORM]).ok_or(InvalidSealed)?;
        let (key, rest) = rest.split_first_chunk().ok_or(InvalidSealed)?;
        let (nonce, ciphertext) = rest.split_first_chunk().ok_or(InvalidSealed)?;
        if ciphertext.len() < Self::TAG {
            return Err(InvalidSealed);
        }
        Ok(Self::new(KeyId::from_bytes(*key), *nonce, ciphertext.to_vec()))
    }
}

impl fmt::Debug for Sealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sealed({})", self.key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_bytes_are_read_back_and_others_are_refused() {
        let sealed = Sealed::new(KeyId::from_bytes([7; 8]), [9; 24], vec![1; 20]);
        let bytes = sealed.to_bytes();
        assert_eq!(Sealed::from_bytes(&bytes), Ok(sealed));
        for length in [0, 1, 8, 20, 1 + 8 + 24 + 15] {
            assert_eq!(Sealed::from_bytes(&bytes[..length]), Err(InvalidSealed), "{length}");
        }
        assert_eq!(
            Sealed::from_bytes(b"whsec_in_the_clear_and_long_enough_to_be_mistaken_for_one"),
            Err(InvalidSealed)
        );
    }
}
