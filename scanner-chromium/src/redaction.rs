//! Addresses in the form in which the owner of a site reads them.

use url::Url;

/// Returns the address of a page for the owner: without user name, password, query and fragment, which may reveal who
/// visited, and without the document itself if the address holds it (`data:`). Empty if `url` is no address.
pub(crate) fn redacted(url: &str) -> String {
    let Ok(mut url) = Url::parse(url) else { return String::new() };
    if url.scheme() == "data" {
        return "data:".to_owned();
    }
    url.set_query(None);
    url.set_fragment(None);
    // These fail only for an address that can't have a user name, and so has none.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_a_frame_shows_where_it_leads_and_no_more() {
        for (url, expected) in [
            ("https://u:p@ads.example:8443/a/b?uid=4711#x", "https://ads.example:8443/a/b"),
            ("data:text/html,<p>secret", "data:"),
            ("about:srcdoc", "about:srcdoc"),
            ("about:blank#x", "about:blank"),
            ("blob:https://a.example/7b4", "blob:https://a.example/7b4"),
            ("", ""),
        ] {
            assert_eq!(redacted(url), expected);
        }
    }
}
