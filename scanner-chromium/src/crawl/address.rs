//! When two addresses mean the same page.

use url::Url;

/// Query parameters that say where a visitor came from, and change nothing on the page.
const TRACKING: [&str; 16] = [
    "_ga",
    "_gl",
    "dclid",
    "fbclid",
    "gad_source",
    "gbraid",
    "gclid",
    "igshid",
    "mc_cid",
    "mc_eid",
    "msclkid",
    "ttclid",
    "twclid",
    "wbraid",
    "yclid",
    "ysclid",
];

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
    let kept: Vec<(String, String)> = url
        .query_pairs()
        .filter(|(name, _)| !name.starts_with("utm_") && !TRACKING.contains(&name.as_ref()))
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

/// Equal for two addresses that mean the same page: folded, and whether with `www.` or TLS or without.
pub(super) fn key(url: &Url) -> String {
    let url = folded(url);
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}{port}{}?{}", bare_host(&url), url.path(), url.query().unwrap_or_default())
}

/// The host without a leading `www.`; empty for an address without a host.
pub(super) fn bare_host(url: &Url) -> &str {
    let host = url.host_str().unwrap_or_default();
    host.strip_prefix("www.").unwrap_or(host)
}

/// Whether the ending speaks for a page, or at least not against it.
pub(super) fn may_be_page(url: &Url) -> bool {
    let name = url.path().rsplit('/').next().unwrap_or_default();
    let Some((_, ending)) = name.rsplit_once('.') else { return true };
    let ending = ending.to_ascii_lowercase();
    !NOT_PAGES.contains(&ending.as_str()) && !ALSO_NOT_PAGES.contains(&ending.as_str())
}

#[cfg(test)]
mod tests {
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
        ] {
            assert_eq!(key(&url(same)), key(&url("https://a.example/x")), "{same}");
        }
    }

    #[test]
    fn what_may_be_another_page_stays_another_page() {
        for other in
            ["https://a.example/X", "https://a.example/x?page=2", "https://a.example:8443/x", "https://b.a.example/x"]
        {
            assert_ne!(key(&url(other)), key(&url("https://a.example/x")), "{other}");
        }
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
        for page in
            ["https://a.example/", "https://a.example/v1.2/", "https://a.example/a.html", "https://pdf.example/a.php"]
        {
            assert!(may_be_page(&url(page)), "{page}");
        }
        for file in ["https://a.example/a.PDF", "https://a.example/feed.xml?x=1", "https://a.example/a.tar.gz"] {
            assert!(!may_be_page(&url(file)), "{file}");
        }
    }
}
