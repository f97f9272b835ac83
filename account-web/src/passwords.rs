//! The hashes of passwords.

use std::sync::{Arc, LazyLock};

use a11ycheck_core::domain::PasswordHash;
use argon2::{
    Algorithm, Argon2, Params, Version,
    password_hash::{PasswordHasher as _, PasswordVerifier as _},
};
use tokio::{sync::Semaphore, task::JoinError};

/// The fewest characters of a password (NIST SP 800-63B-4, 3.1.1.2, for a password that is the only factor, asks for 15; shorter ones are
/// accepted from 12, since guesses are slowed down by the hash and by [waits](crate::failed_sign_ins)).
pub(crate) const LEAST: usize = 12;
/// The most characters of a password: enough for a sentence, and a bound for what is hashed.
pub(crate) const MOST: usize = 200;

/// The number of hashes at a time: each takes 19 MiB and a core for some 30 ms.
const AT_ONCE: usize = 2;

/// The error for a password that could not be hashed or compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HashError {
    /// The hash could not be made.
    #[error("the password could not be hashed: {0}")]
    Argon(argon2::password_hash::Error),
    /// The thread that hashed ended early.
    #[error("the thread that hashes passwords broke off")]
    Thread(#[source] JoinError),
}

/// Makes and compares hashes, a few at a time.
#[derive(Debug)]
pub(crate) struct Passwords {
    permits: Arc<Semaphore>,
}

/// argon2id with 19 MiB, two passes and one lane: the OWASP password storage cheat sheet's choice.
fn argon() -> Argon2<'static> {
    // The numbers are within the limits of the algorithm.
    let params = Params::new(19 * 1024, 2, 1, None).unwrap_or_default();
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

/// Hashes a password with a salt of its own. It takes some 30 ms of a core and 19 MiB: in a server, it runs where blocking is allowed.
///
/// # Errors
/// Returns [`HashError::Argon`] if the system has no random numbers.
pub fn hash(password: &str) -> Result<PasswordHash, HashError> {
    let hash = argon().hash_password(password.as_bytes()).map_err(HashError::Argon)?;
    Ok(PasswordHash::from_stored(hash.to_string()))
}

/// A hash that no password has, so that an unknown address takes as long as a wrong password.
static NOBODY: LazyLock<Option<PasswordHash>> = LazyLock::new(|| hash("nobody has this password").ok());

fn is_of(password: &str, stored: &PasswordHash) -> bool {
    argon2::password_hash::phc::PasswordHash::new(stored.as_str())
        .is_ok_and(|parsed| argon().verify_password(password.as_bytes(), &parsed).is_ok())
}

impl Passwords {
    pub(crate) fn new() -> Self {
        Self { permits: Arc::new(Semaphore::new(AT_ONCE)) }
    }

    /// Hashes a password.
    pub(crate) async fn hash(&self, password: &str) -> Result<PasswordHash, HashError> {
        let password = password.to_owned();
        self.blocking(move || hash(&password)).await?
    }

    /// Returns whether a password is the stored one; without a stored one it takes the same time, and is `false`.
    pub(crate) async fn matches(&self, password: &str, stored: Option<PasswordHash>) -> Result<bool, HashError> {
        let password = password.to_owned();
        self.blocking(move || match stored {
            Some(stored) => is_of(&password, &stored),
            None => {
                // For the time that it takes; the compiler must not leave it out.
                std::hint::black_box(NOBODY.as_ref().map(|nobody| is_of(&password, nobody)));
                false
            }
        })
        .await
    }

    async fn blocking<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, HashError> {
        // The semaphore is never closed.
        let permit = Arc::clone(&self.permits).acquire_owned().await.ok();
        tokio::task::spawn_blocking(move || {
            let done = work();
            drop(permit);
            done
        })
        .await
        .map_err(HashError::Thread)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_password_matches_its_own_hash_and_nothing_else() {
        let passwords = Passwords::new();
        let stored = passwords.hash("correct horse battery").await.unwrap();
        assert!(stored.as_str().starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{}", stored.as_str());
        assert!(passwords.matches("correct horse battery", Some(stored.clone())).await.unwrap());
        for (password, stored) in [
            ("Correct horse battery", Some(stored.clone())),
            ("", Some(stored.clone())),
            ("nobody has this password", None),
            ("correct horse battery", Some(PasswordHash::from_stored("plain"))),
        ] {
            assert!(!passwords.matches(password, stored).await.unwrap(), "{password}");
        }
        assert_ne!(passwords.hash("correct horse battery").await.unwrap(), stored, "each has a salt of its own");
    }
}
