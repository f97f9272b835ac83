//! The meaning of addresses: which are the same page, and which lead to none.

use a11ycheck_core::domain::{page_key, view_of};
use url::Url;

/// The parts of paths that well-known software uses for responses to programs.
const NOT_PAGE_PATHS: [&str; 3] = ["/cdn-cgi/", "/wp-json/", "/feed/"];

/// The endings of addresses that do not lead to pages.
const NOT_PAGES: [&str; 64] = [
    "7z", "apk", "atom", "avi", "avif", "bin", "bmp", "bz2", "css", "csv", "deb", "dmg", "doc", "docx", "eot", "epub",
    "exe", "flac", "gif", "gz", "ico", "ics", "iso", "jar", "jpeg", "jpg", "js", "json", "m4a", "m4v", "map", "mjs",
    "mov", "mp3", "mp4", "mpeg", "mpg", "msi", "odp", "ods", "odt", "ogg", "otf", "pdf", "png", "ppt", "pptx", "ps",
    "rar", "rss", "rtf", "svg", "tar", "tgz", "tif", "tiff", "ttf", "txt", "wav", "webm", "webp", "woff", "woff2",
    "zip",
];
/// The rest of these endings: spreadsheets, feeds and archives.
const ALSO_NOT_PAGES: [&str; 5] = ["xls", "xlsx", "xml", "xz", "zst"];

/// Returns a key that is equal for two addresses of the same page, with or without `www.` or TLS.
pub(super) fn key(url: &Url) -> String {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}{port}{}", bare_host(url), page_key(url.as_str()))
}

/// Returns the host without a leading `www.`; empty for an address without a host.
pub(super) fn bare_host(url: &Url) -> &str {
    let host = url.host_str().unwrap_or_default();
    host.strip_prefix("www.").unwrap_or(host)
}

/// Returns whether the address may lead to a page, judged by its path. Whether a visit would do something is the
/// business of `actions`.
pub(super) fn may_be_page(url: &Url) -> bool {
    let path = url.path().to_ascii_lowercase();
    let view = view_of(url).unwrap_or_default().to_ascii_lowercase();
    if [&path, &view].iter().any(|path| NOT_PAGE_PATHS.iter().any(|part| format!("{path}/").contains(part))) {
        return false;
    }
    let name = path.rsplit('/').next().unwrap_or_default();
    let Some((_, ending)) = name.rsplit_once('.') else { return true };
    !NOT_PAGES.contains(&ending) && !ALSO_NOT_PAGES.contains(&ending)
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
            "https://a.example/%78",
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
            "https://a.example/x#/page",
            "https://a.example:8443/x",
            "https://b.a.example/x",
        ] {
            assert_ne!(key(&url(other)), key(&url("https://a.example/x")), "{other}");
        }
    }

    #[test]
    fn files_are_recognised_by_their_ending() {
        for page in [
            "https://a.example/",
            "https://a.example/v1.2/",
            "https://a.example/a.html",
            "https://pdf.example/a.php",
            "https://a.example/feedback",
            "https://a.example/log",
            "https://a.example/#/files/a.pdf",
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
}
