//! The addresses of the pages.

use a11ycheck_core::domain::BaseUrl;
use url::Url;

/// The path below which the server receives the pages.
const SERVED: &str = "/app";

/// The addresses of the pages, as browsers see them: a proxy may serve the installation below a path of its own.
#[derive(Debug)]
pub(crate) struct Places {
    origin: String,
    root: String,
    is_secure: bool,
}

impl Places {
    /// Takes the addresses from the base URL of the API, which ends with `/v1`.
    pub(crate) fn of(base: &BaseUrl) -> Self {
        let base = base.in_ascii();
        // A base URL has been parsed before.
        let url = Url::parse(&base).ok();
        let origin = url.as_ref().map(|url| url.origin().ascii_serialization()).unwrap_or_default();
        let path = url.as_ref().map_or("", Url::path).trim_end_matches('/');
        let above = path.strip_suffix("/v1").unwrap_or_default();
        let is_secure = url.as_ref().is_some_and(|url| url.scheme() == "https");
        Self { origin, root: format!("{above}{SERVED}"), is_secure }
    }

    /// Returns the path at which the server receives the pages.
    pub(crate) const fn served_root(&self) -> &'static str {
        SERVED
    }

    /// Returns the path of the pages for links.
    pub(crate) fn root(&self) -> &str {
        &self.root
    }

    /// Returns the origin of the pages.
    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }

    /// Returns whether the pages are reached over HTTPS.
    pub(crate) const fn is_secure(&self) -> bool {
        self.is_secure
    }

    /// Returns the path of a page, given its path below the root.
    pub(crate) fn path(&self, below: &str) -> String {
        format!("{}{below}", self.root)
    }

    /// Returns the whole address of a page, given its path below the root.
    pub(crate) fn absolute(&self, below: &str) -> String {
        format!("{}{}{below}", self.origin, self.root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_beside_the_api_wherever_a_proxy_serves_it() {
        let places = |base: &str| Places::of(&BaseUrl::parse(base).unwrap());
        let own = places("https://a11y.example/v1");
        assert_eq!((own.path("/sign-in").as_str(), own.is_secure()), ("/app/sign-in", true));
        assert_eq!(own.absolute("/x"), "https://a11y.example/app/x");
        let below = places("http://a.example:8080/checks/v1");
        assert_eq!((below.root(), below.origin()), ("/checks/app", "http://a.example:8080"));
    }
}
