//! Protection against requests that another site makes in a person's name.

use crate::{places::Places, request::Request};

/// Returns whether a request that changes something comes from a page of the interface: browsers say so in `Sec-Fetch-Site`, which no
/// page can set, and older ones in `Origin`. What says neither is refused.
pub(crate) fn is_own(request: &Request, places: &Places) -> bool {
    match request.header("sec-fetch-site") {
        Some(site) => site == "same-origin",
        None if request.headers.contains_key("sec-fetch-site") => false,
        None => request.header("origin").is_some_and(|origin| origin == places.origin()),
    }
}

#[cfg(test)]
mod tests {
    use a11ycheck_core::domain::BaseUrl;
    use http::{HeaderMap, HeaderName, Method};

    use super::*;

    #[test]
    fn only_a_page_of_the_interface_changes_anything() {
        let places = Places::of(&BaseUrl::parse("https://a11y.example/v1").unwrap());
        for (headers, is_own_page) in [
            (&[("sec-fetch-site", "same-origin")][..], true),
            (&[("sec-fetch-site", "same-origin"), ("origin", "https://a11y.example")], true),
            (&[("sec-fetch-site", "same-site"), ("origin", "https://a11y.example")], false),
            (&[("sec-fetch-site", "cross-site")], false),
            (&[("sec-fetch-site", "none")], false),
            (&[("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site")], false),
            (&[("origin", "https://a11y.example")], true),
            (&[("origin", "http://a11y.example")], false),
            (&[("origin", "https://a11y.example:8443")], false),
            (&[("origin", "null")], false),
            (&[], false),
        ] {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.append(HeaderName::from_static(name), value.parse().unwrap());
            }
            assert_eq!(is_own(&Request::new(Method::POST, "/app/x", map), &places), is_own_page, "{headers:?}");
        }
    }
}
