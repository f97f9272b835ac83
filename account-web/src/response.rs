//! Responses.

use a11ycheck_core::{
    scanner::{Screenshot, ScreenshotFormat},
    service::{MadeFile, Watch},
};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

/// The body of a response.
#[derive(Debug)]
#[non_exhaustive]
pub enum Body {
    /// Bytes that are there.
    Bytes(Bytes),
    /// A file that is made while it is sent.
    File(Box<MadeFile>),
    /// The progress of a check, as server-sent events: one `progress` for each change, and one `end` when it has ended.
    Progress(Box<Watch>),
}

/// A response of the account web interface.
#[derive(Debug)]
#[non_exhaustive]
pub struct Response {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Body,
}

/// Forbids everything but what comes from the interface itself. Nothing is inline.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

impl Response {
    fn new(status: StatusCode, media_type: &'static str, body: Body) -> Self {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
        for (name, value) in [
            ("content-security-policy", POLICY),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
            ("x-frame-options", "DENY"),
        ] {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        Self { status, headers, body }
    }

    /// Returns a page. Pages are a person's own, and are kept nowhere.
    pub(crate) fn page(status: StatusCode, html: String) -> Self {
        let response = Self::new(status, "text/html; charset=utf-8", Body::Bytes(html.into()));
        response.with(header::CACHE_CONTROL, "no-store")
    }

    /// Asks search engines to leave a page out.
    #[must_use]
    pub(crate) fn unlisted(self) -> Self {
        self.with(HeaderName::from_static("x-robots-tag"), "noindex, nofollow")
    }

    /// Returns a redirect after a change, which the browser follows with GET (RFC 9110, 15.4.4).
    pub(crate) fn see_other(path: &str) -> Self {
        let response = Self::new(StatusCode::SEE_OTHER, "text/plain; charset=utf-8", Body::Bytes(Bytes::new()));
        response.with(header::CACHE_CONTROL, "no-store").with(header::LOCATION, path)
    }

    /// Returns a style sheet or a script of ours, whose address changes with its content.
    pub(crate) fn asset(media_type: &'static str, content: &'static str) -> Self {
        let response = Self::new(StatusCode::OK, media_type, Body::Bytes(Bytes::from_static(content.as_bytes())));
        response.with(header::CACHE_CONTROL, "public, max-age=31536000, immutable")
    }

    /// Returns a picture of a check, which never changes but is the team's own.
    pub(crate) fn picture(shot: Screenshot) -> Self {
        let media_type = match shot.format {
            ScreenshotFormat::Png => "image/png",
            ScreenshotFormat::WebP => "image/webp",
        };
        let response = Self::new(StatusCode::OK, media_type, Body::Bytes(shot.bytes.into()));
        response.with(header::CACHE_CONTROL, "private, max-age=3600, immutable")
    }

    /// Returns the logo of a team, which is its own and may be replaced.
    #[cfg(feature = "logos")]
    pub(crate) fn logo(logo: &a11ycheck_core::domain::Logo) -> Self {
        let bytes = Bytes::copy_from_slice(logo.bytes());
        let response = Self::new(StatusCode::OK, logo.format().media_type(), Body::Bytes(bytes));
        response.with(header::CACHE_CONTROL, "private, no-store")
    }

    /// Returns a file to be saved.
    pub(crate) fn file(file: MadeFile) -> Self {
        let name =
            percent_encoding::utf8_percent_encode(file.file_name(), percent_encoding::NON_ALPHANUMERIC).to_string();
        let disposition = format!("attachment; filename*=UTF-8''{name}");
        let response = Self::new(StatusCode::OK, file.media_type(), Body::File(Box::new(file)));
        response.with(header::CACHE_CONTROL, "private, no-store").with(header::CONTENT_DISPOSITION, &disposition)
    }

    /// Returns bytes to be saved under a name of ASCII letters, digits, dots and hyphens.
    pub(crate) fn download(name: &str, media_type: &'static str, bytes: Vec<u8>) -> Self {
        let response = Self::new(StatusCode::OK, media_type, Body::Bytes(bytes.into()));
        let disposition = format!("attachment; filename=\"{name}\"");
        response.with(header::CACHE_CONTROL, "private, no-store").with(header::CONTENT_DISPOSITION, &disposition)
    }

    /// Returns the progress of a check.
    pub(crate) fn progress(watch: Watch) -> Self {
        let response = Self::new(StatusCode::OK, "text/event-stream", Body::Progress(Box::new(watch)));
        // nginx would keep the events until it has enough of them.
        response.with(header::CACHE_CONTROL, "no-store").with(HeaderName::from_static("x-accel-buffering"), "no")
    }

    /// Adds a header. A value that no header can hold is left out: all of ours are made of visible ASCII characters.
    pub(crate) fn with(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::try_from(value) {
            self.headers.append(name, value);
        }
        self
    }
}
