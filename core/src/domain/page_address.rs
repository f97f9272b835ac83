//! Addresses of pages: the form in which a page is opened and shown, and the key that decides whether two addresses
//! mean the same page.
//!
//! Reports show an address as it was opened, with its slash, its letter case and its encoding, so that it can be opened
//! again. Comparisons, within a check and from one check to the next, use a key that is equal for all spellings of one
//! page.

use percent_encoding::percent_decode_str;
use url::{Url, form_urlencoded::byte_serialize};

/// Query parameters that identify a visitor or the place a visitor came from, and change nothing on the page. Sorted.
const TRACKING: [&str; 28] = [
    "_ga",
    "_gl",
    "_hsenc",
    "_hsmi",
    "_openstat",
    "_pos",
    "_psq",
    "_sid",
    "_ss",
    "dclid",
    "fbclid",
    "gad_source",
    "gbraid",
    "gclid",
    "igshid",
    "jsessionid",
    "mc_cid",
    "mc_eid",
    "mkt_tok",
    "msclkid",
    "phpsessid",
    "sessionid",
    "srsltid",
    "ttclid",
    "twclid",
    "wbraid",
    "yclid",
    "ysclid",
];

/// The files that a server returns for a folder if no file is named.
const INDEX_FILES: [&str; 4] = ["index.html", "index.htm", "index.php", "default.aspx"];

/// Returns the address with which a page is opened and shown: without an anchor and without parameters that change from
/// visit to visit, and otherwise unchanged. The fragment stays if it names a [view](view_of).
pub fn page_address(url: &Url) -> Url {
    let mut address = url.clone();
    if let Some(kept) = url.query().and_then(without_tracking) {
        address.set_query(Some(&kept).filter(|query| !query.is_empty()).map(String::as_str));
    }
    let view = view_of(url).map(|view| match view.split_once('?') {
        Some((path, query)) => match without_tracking(query) {
            Some(kept) if kept.is_empty() => path.to_owned(),
            Some(kept) => format!("{path}?{kept}"),
            None => view.to_owned(),
        },
        None => view.to_owned(),
    });
    address.set_fragment(view.as_deref().filter(|view| names_view(view)));
    address
}

/// Returns the view of a hash-routed application that an address names: its fragment, if that begins with `/` or `!/`,
/// up to a further `#`.
///
/// Returns `None` for any other fragment, which is an anchor within a page, and for `#/`, the view that the page shows
/// initially.
pub fn view_of(url: &Url) -> Option<&str> {
    url.fragment()?.split('#').next().filter(|view| names_view(view))
}

fn names_view(fragment: &str) -> bool {
    let path = fragment.strip_prefix('!').unwrap_or(fragment);
    path.starts_with('/') && path.bytes().any(|byte| byte != b'/')
}

/// Returns the address without its query and its fragment, which may contain personal data: for logs.
pub fn without_query(address: &str) -> &str {
    address.split(['?', '#']).next().unwrap_or_default()
}

/// Returns the key that distinguishes a page from the others of its site. Two addresses of one site mean the same page
/// if their keys are equal.
///
/// Scheme, host and port are not part of the key, so two copies of a site have the same keys. Addresses have the same
/// key if they differ in a final slash, the name of a folder's index file, an anchor, parameters that change from visit
/// to visit, the order of the parameters, or the percent-encoding (RFC 3986, 6.2.2). A text that is not an absolute
/// `http` or `https` address is its own key.
pub fn page_key(address: &str) -> String {
    let Some(url) = Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https")) else {
        return address.to_owned();
    };
    let path = url.path().trim_end_matches('/');
    let path = match path.rsplit_once('/') {
        Some((folder, file)) if INDEX_FILES.contains(&file.to_ascii_lowercase().as_str()) => folder,
        _ => path,
    };
    let mut key = path_key(path);
    push_query(&mut key, url.query());
    if let Some(view) = view_of(&url) {
        let (path, query) = view.split_once('?').map_or((view, None), |(path, query)| (path, Some(query)));
        let mut view = path_key(path);
        push_query(&mut view, query);
        if !matches!(view.as_str(), "" | "!") {
            key.push('#');
            key.push_str(&view);
        }
    }
    key
}

/// Returns the query without its tracking parameters and otherwise byte for byte; `None` if it has no such parameters.
fn without_tracking(query: &str) -> Option<String> {
    let kept: Vec<&str> = query.split('&').filter(|pair| !is_tracking(pair)).collect();
    (kept.len() < query.split('&').count()).then(|| kept.join("&"))
}

fn is_tracking(pair: &str) -> bool {
    let name = pair.split('=').next().unwrap_or_default();
    let name = percent_decode_str(name).decode_utf8_lossy().to_ascii_lowercase();
    name.starts_with("utm_") || TRACKING.binary_search(&name.as_str()).is_ok()
}

/// Returns the path in one of its equivalent encodings: unreserved characters are decoded, and hexadecimal digits are
/// capitals.
fn path_key(path: &str) -> String {
    let mut key = String::with_capacity(path.len());
    let mut rest = path.trim_end_matches('/').as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let decoded = (first == b'%').then(|| after.get(..2)).flatten().and_then(hexadecimal);
        rest = if decoded.is_some() { &after[2..] } else { after };
        match decoded {
            Some(byte) if !is_unreserved(byte) => key.push_str(&format!("%{byte:02X}")),
            // A character that is not allowed in an address can only have been meant as encoded.
            None if !is_unreserved(first) && !b"%!$&'()*+,;=:@/".contains(&first) => {
                key.push_str(&format!("%{first:02X}"));
            }
            Some(byte) => key.push(char::from(byte)),
            None => key.push(char::from(first)),
        }
    }
    key
}

fn hexadecimal(digits: &[u8]) -> Option<u8> {
    let value = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    Some(value(digits[0])? * 16 + value(digits[1])?)
}

/// The unreserved characters of RFC 3986, 2.3.
const fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// Appends the parameters of a query as servers read them (WHATWG URL, 5.1), in the order of their names.
fn push_query(key: &mut String, query: Option<&str>) {
    let pairs = query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty() && !is_tracking(pair));
    let mut pairs: Vec<String> = pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            format!("{}={}", form_encoded(name), form_encoded(value))
        })
        .collect();
    pairs.sort();
    if !pairs.is_empty() {
        key.push('?');
        key.push_str(&pairs.join("&"));
    }
}

fn form_encoded(text: &str) -> String {
    let spaced = text.replace('+', " ");
    let bytes: Vec<u8> = percent_decode_str(&spaced).collect();
    byte_serialize(&bytes).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn shown(text: &str) -> String {
        page_address(&url(text)).into()
    }

    /// Returns the address with which earlier releases opened, stored and showed a page.
    pub(crate) fn folded_by_earlier_releases(url: &Url) -> Url {
        let mut url = url.clone();
        url.set_fragment(None);
        let is_kept = |name: &str| {
            let name = name.to_ascii_lowercase();
            !name.starts_with("utm_") && TRACKING.binary_search(&name.as_str()).is_err()
        };
        let kept: Vec<(String, String)> = url
            .query_pairs()
            .filter(|(name, _)| is_kept(name))
            .map(|(name, value)| (name.into_owned(), value.into_owned()))
            .collect();
        if kept.len() != url.query_pairs().count() {
            url.query_pairs_mut().clear().extend_pairs(kept);
        }
        if url.query() == Some("") {
            url.set_query(None);
        }
        let path = url.path().trim_end_matches('/').to_owned();
        url.set_path(&path);
        url
    }

    #[test]
    fn an_address_is_shown_as_it_was_opened() {
        for kept in [
            "https://a.example/dir/",
            "https://a.example/%D0%BF%d1%83/",
            "https://a.example/Case?B=%20&a=1",
            "https://a.example/search?q=%EF%F0",
            "https://a.example/#/about",
            "https://a.example/app/#!/team?tab=2",
        ] {
            assert_eq!(shown(kept), kept);
        }
        for (opened, address) in [
            ("https://a.example/x/#top", "https://a.example/x/"),
            ("https://a.example/x/?utm_source=mail", "https://a.example/x/"),
            ("https://a.example/x?q=%EF&gclid=1&r=%20", "https://a.example/x?q=%EF&r=%20"),
            ("https://a.example/#/", "https://a.example/"),
            ("https://a.example/#/a#top", "https://a.example/#/a"),
            ("https://a.example/#/a?utm_source=x&b=1", "https://a.example/#/a?b=1"),
        ] {
            assert_eq!(shown(opened), address);
        }
    }

    #[test]
    fn spellings_of_one_page_have_one_key() {
        for same in [
            "https://www.a.example/x/",
            "http://a.example:8080/x#top",
            "https://a.example/x?utm_source=mail&gclid=1",
            "https://a.example/x/?",
            "https://a.example/x/index.php?PHPSESSID=1",
            "https://a.example/%78#/",
            "https://a.example/x#!/",
            "https://a.example/x#/?utm_source=mail",
        ] {
            assert_eq!(page_key(same), page_key("https://a.example/x"), "{same}");
        }
    }

    #[test]
    fn equal_percent_encodings_have_one_key() {
        for (one, other) in [
            ("/caf%C3%A9", "/caf%c3%a9"),
            ("/%7Euser/a%2Db", "/~user/a-b"),
            ("/a%7cb", "/a|b"),
            ("/?q=%c3%a9", "/?q=%C3%A9"),
            ("/?b=1&a=%20x", "/index.html?a=+x&gclid=7&b=1"),
            ("/#/caf%C3%A9/", "/#/caf%c3%a9"),
        ] {
            let key = |path: &str| page_key(&format!("https://a.example{path}"));
            assert_eq!(key(one), key(other), "{one} {other}");
        }
    }

    #[test]
    fn what_may_be_another_page_has_another_key() {
        for other in [
            "https://a.example/X",
            "https://a.example/x?utm=2",
            "https://a.example/x?page=2",
            "https://a.example/x%2Fy",
            "https://a.example/x#/about",
            "https://a.example/x#/About",
            "https://a.example/x#/about?tab=2",
            "https://a.example/x?q=%EF",
            "https://a.example/x?q=%F0",
        ] {
            assert_ne!(page_key(other), page_key("https://a.example/x"), "{other}");
        }
        assert_ne!(page_key("https://a.example/x%2Fy"), page_key("https://a.example/x/y"));
        assert_ne!(page_key("https://a.example/?q=%EF"), page_key("https://a.example/?q=%F0"));
        assert_ne!(page_key("https://a.example/#/a"), page_key("https://a.example/#/b"));
    }

    #[test]
    fn what_is_no_web_address_is_its_own_key() {
        assert_eq!(page_key("/shop/"), "/shop/");
        assert_eq!(page_key("about:blank"), "about:blank");
    }

    #[test]
    fn the_list_of_parameters_can_be_searched() {
        assert!(TRACKING.is_sorted());
    }

    proptest! {
        /// An address that an earlier release stored for a page still means that page.
        #[test]
        fn a_page_has_the_key_that_it_had_before_an_upgrade(
            path in "[a-zA-Z0-9/._~%|é -]{0,20}",
            query in "([a-z]{1,3}=(%2[0-9a-fA-F]|[a-z0-9+/~é]){0,4}&|utm_source=x&|_ga=1&){0,4}",
            fragment in "#?[a-z]{0,4}",
        ) {
            let any = url(&format!("https://a.example/{path}?{query}{fragment}"));
            let key = page_key(any.as_str());
            prop_assert_eq!(&page_key(folded_by_earlier_releases(&any).as_str()), &key);
            prop_assert_eq!(&page_key(page_address(&any).as_str()), &key);
        }

        #[test]
        fn what_is_shown_once_is_shown_for_good(text in "[a-z/?#!&=%+_.A-F0-9é]{0,30}") {
            let once = page_address(&url(&format!("https://a.example/{text}")));
            prop_assert_eq!(&page_address(&once), &once);
            prop_assert_eq!(page_key(once.as_str()), page_key(&format!("https://a.example/{text}")));
        }

        #[test]
        fn what_a_link_carries_along_does_not_make_another_page(path in "[a-z0-9/-]{0,20}", noise in "[a-z0-9]{0,9}") {
            let noisy = format!("http://WWW.A.example/{path}?utm_campaign={noise}&fbclid={noise}#{noise}");
            prop_assert_eq!(page_key(&noisy), page_key(&format!("https://a.example/{path}")));
        }
    }
}
