//! What the headers of the service begin with.

use warp::http::HeaderName;

/// `Svc-`, or an operator's own brand: contract, "Conventions".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderPrefix(String);

/// A text that can't begin a header's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a header prefix is letters, digits and dashes, and ends with a dash, for example `Svc-`")]
pub struct InvalidHeaderPrefix;

impl HeaderPrefix {
    /// Takes a prefix of 2 to 40 letters, digits and dashes that ends with a dash.
    ///
    /// # Errors
    /// [`InvalidHeaderPrefix`].
    pub fn new(prefix: &str) -> Result<Self, InvalidHeaderPrefix> {
        let is_prefix = (2..=40).contains(&prefix.len())
            && prefix.ends_with('-')
            && prefix.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if is_prefix { Ok(Self(prefix.to_owned())) } else { Err(InvalidHeaderPrefix) }
    }

    /// The name of the header that begins with the prefix and goes on with `rest`.
    pub(crate) fn header(&self, rest: &'static str) -> HeaderName {
        // Letters, digits and dashes are a header's name; HTTP/1 and 2 carry it in lower case.
        HeaderName::try_from(format!("{}{rest}", self.0)).unwrap_or(HeaderName::from_static(rest))
    }
}

impl Default for HeaderPrefix {
    fn default() -> Self {
        Self("Svc-".to_owned())
    }
}
