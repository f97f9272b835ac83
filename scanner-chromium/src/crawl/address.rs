//! When two addresses mean the same page.

use url::{Url, form_urlencoded};

/// Query parameters that say where a visitor came from or who it is, and change nothing on the page.
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

/// Parts of paths that well-known software keeps for answers to programs.
const NOT_PAGE_PATHS: [&str; 3] = ["/cdn-cgi/", "/wp-json/", "/feed/"];

/// What a folder shows when no file is named.
const INDEX_FILES: [&str; 4] = ["index.html", "index.htm", "index.php", "default.aspx"];

/// Endings of addresses that do not lead to pages.
const NOT_PAGES: [&str; 64] = [
    "7z", "apk", "atom", "avi", "avif", "bin", "bmp", "bz2", "css", "csv", "deb", "dmg", "doc", "docx", "eot", "epub",
    "exe", "flac", "gif", "gz", "ico", "ics", "iso", "jar", "jpeg", "jpg", "js", "json", "m4a", "m4v", "map", "mjs",
    "mov", "mp3", "mp4", "mpeg", "mpg", "msi", "odp", "ods", "odt", "ogg", "otf", "pdf", "png", "ppt", "pptx", "ps",
    "rar", "rss", "rtf", "svg", "tar", "tgz", "tif", "tiff", "ttf", "txt", "wav", "webm", "webp", "woff", "woff2",
    "zip",
];
/// The same for spreadsheets and feeds, which share no letter with the list's end.
const ALSO_NOT_PAGES: [&str; 5] = ["xls", "xlsx", "xml", "xz", "zst"];

/// The address as reports show it: no fragment, no tracking parameters, no slash at the end.
pub(super) fn folded(url: &Url) -> Url {
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

/// Equal for two addresses that mean the same page: folded, and whether with `www.` or TLS or without, with the name of
/// a folder's index file or without, and in whichever order the query's parameters are.
pub(super) fn key(url: &Url) -> String {
    let url = folded(url);
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let path = match url.path().rsplit_once('/') {
        Some((folder, file)) if INDEX_FILES.contains(&file.to_ascii_lowercase().as_str()) => folder,
        _ => url.path(),
    };
    let mut pairs: Vec<_> = url.query_pairs().collect();
    pairs.sort();
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
    format!("{}{port}{}?{query}", bare_host(&url), path.trim_end_matches('/'))
}

/// The host without a leading `www.`; empty for an address without a host.
pub(super) fn bare_host(url: &Url) -> &str {
    let host = url.host_str().unwrap_or_default();
    host.strip_prefix("www.").unwrap_or(host)
}

/// Whether the address speaks for a page, or at least not against it. What it does if it is visited, `actions` knows.
pub(super) fn may_be_page(url: &Url) -> bool {
    let path = url.path().to_ascii_lowercase();
    if NOT_PAGE_PATHS.iter().any(|part| format!("{path}/").contains(part)) {
        return false;
    }
    let name = path.rsplit('/').next().unwrap_or_default();
    let Some((_, ending)) = name.rsplit_once('.') else { return true };
    !NOT_PAGES.contains(&ending) && !ALSO_NOT_PAGES.contains(&ending)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn spellings_of_one_page_are_one_page() {
        for same in [
            "http://www.a.example/x/",
            "https://A.example:443/x#top",
            "https://a.example/x?utm_source=mail&gclid=1",
            "https://a.example/x/?",
            "https://a.example/x/index.php?PHPSESSID=1",
        ] {
            assert_eq!(key(&url(same)), key(&url("https://a.example/x")), "{same}");
        }
    }

    #[test]
    fn what_may_be_another_page_stays_another_page() {
        for other in [
            "https://a.example/X",
            "https://a.example/x?utm=2",
            "https://a.example/x?page=2",
            "https://a.example:8443/x",
            "https://b.a.example/x",
        ] {
            assert_ne!(key(&url(other)), key(&url("https://a.example/x")), "{other}");
        }
    }

    #[test]
    fn the_order_and_the_spelling_of_parameters_do_not_make_another_page() {
        let one = key(&url("https://a.example/?b=1&a=%20x"));
        assert_eq!(one, key(&url("https://a.example/index.html?a=+x&gclid=7&b=1")));
        assert_ne!(one, key(&url("https://a.example/?b=+x&a=1")));
    }

    #[test]
    fn reports_show_the_address_without_what_changes_from_visit_to_visit() {
        assert_eq!(
            folded(&url("https://a.example/x/?b=1&utm_medium=y&c=%20#z")).as_str(),
            "https://a.example/x?b=1&c=+"
        );
        assert_eq!(folded(&url("https://a.example")).as_str(), "https://a.example/");
        assert_eq!(folded(&url("https://a.example/?q=%20")).as_str(), "https://a.example/?q=%20");
    }

    #[test]
    fn files_are_told_by_their_ending() {
        for page in [
            "https://a.example/",
            "https://a.example/v1.2/",
            "https://a.example/a.html",
            "https://pdf.example/a.php",
            "https://a.example/feedback",
            "https://a.example/log",
        ] {
            assert!(may_be_page(&url(page)), "{page}");
        }
        for file in [
            "https://a.example/a.PDF",
            "https://a.example/feed.xml?x=1",
            "https://a.example/a.tar.gz",
            "https://a.example/blog/feed/",
            "https://a.example/cdn-cgi/l/email-protection",
        ] {
            assert!(!may_be_page(&url(file)), "{file}");
        }
    }

    #[test]
    fn the_list_of_parameters_can_be_searched() {
        assert!(TRACKING.is_sorted());
    }

    proptest! {
        #[test]
        fn folding_once_is_folding_for_good(path in "[a-zA-Z0-9/._%-]{0,20}", query in "[a-z_=&%+0-9]{0,20}") {
            let any = url(&format!("https://a.example/{path}?{query}"));
            let once = folded(&any);
            prop_assert_eq!(&folded(&once), &once);
            prop_assert_eq!(key(&once), key(&any));
        }

        #[test]
        fn what_a_link_carries_along_does_not_make_another_page(path in "[a-z0-9/-]{0,20}", noise in "[a-z0-9]{0,9}") {
            let plain = url(&format!("https://a.example/{path}"));
            let noisy = format!("http://WWW.A.example/{path}?utm_campaign={noise}&fbclid={noise}#{noise}");
            prop_assert_eq!(key(&url(&noisy)), key(&plain));
        }
    }
}
