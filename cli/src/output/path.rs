//! Pages as paths, for formats that know files only.

use a11ycheck_core::reexport::Url;

use crate::run::Page;

/// Returns the path that stands for a page in formats of code scanning: the file that was served, or else host and path of the
/// address. It is relative, has no empty part and none of dots, and no scheme: GitHub refuses a whole SARIF file for one `https://`.
///
/// `https://shop.example/` is `shop.example/index`, `http://localhost:3000/a?b=1` is `localhost-3000/a%3Fb=1`.
pub(super) fn path_of(page: &Page) -> String {
    if let Some(file) = &page.file {
        return joined(file.split(['/', '\\']), "index");
    }
    let Ok(url) = Url::parse(&page.url) else { return joined(page.url.split('/'), "page") };
    let host = url.host_str().unwrap_or("page").trim_matches(['[', ']']).replace(':', "-");
    let port = url.port().map(|port| format!("-{port}")).unwrap_or_default();
    let folder = if url.path().ends_with('/') { Some("index") } else { None };
    let mut path = joined(url.path().split('/').chain(folder), "index");
    for (mark, part) in [("%3F", url.query()), ("%23", url.fragment())] {
        if let Some(part) = part.filter(|part| !part.is_empty()) {
            path.push_str(mark);
            path.push_str(&encoded(part).replace('/', "%2F"));
        }
    }
    format!("{host}{port}/{path}")
}

fn joined<'a>(parts: impl Iterator<Item = &'a str>, empty: &str) -> String {
    let parts: Vec<_> = parts.filter(|part| !matches!(*part, "" | "." | "..")).map(encoded).collect();
    if parts.is_empty() { empty.to_owned() } else { parts.join("/") }
}

/// Returns a part with everything percent-encoded that a relative URI cannot hold (RFC 3986, 3.3), and with the colon of schemes.
fn encoded(part: &str) -> String {
    let mut out = String::with_capacity(part.len());
    for byte in part.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => out.push(char::from(byte)),
            b'-' | b'.' | b'_' | b'~' | b'!' | b'$' | b'&' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=' | b'@'
            | b'%' => {
                out.push(char::from(byte));
            }
            b'/' => out.push('/'),
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::run::PageState;

    fn page(url: &str, file: Option<&str>) -> Page {
        Page {
            url: url.to_owned(),
            final_url: None,
            file: file.map(str::to_owned),
            title: String::new(),
            state: PageState::Checked,
            failure: None,
            failure_message: None,
            linked_from: None,
            problems: 0,
            recommendations: 0,
            passed: [].into(),
            inapplicable: [].into(),
            left_out: [].into(),
            frames_not_checked: 0,
            unchecked_frames: Vec::new(),
            still_changing: false,
            unanswered: Vec::new(),
            cover: None,
            picture: None,
        }
    }

    #[test]
    fn a_page_is_host_and_path_or_its_file() {
        for (url, path) in [
            ("https://shop.example/", "shop.example/index"),
            ("https://shop.example", "shop.example/index"),
            ("http://localhost:3000/a/?b=1/2", "localhost-3000/a/index%3Fb=1%2F2"),
            ("http://[::1]:80/x", "--1/x"),
            ("https://a.example//https://b.example/../c", "a.example/https%3A/c"),
            ("not an address", "not%20an%20address"),
        ] {
            assert_eq!(path_of(&page(url, None)), path, "{url}");
        }
        assert_eq!(path_of(&page("http://127.0.0.1:1/a", Some("./dist/a b.html"))), "dist/a%20b.html");
    }

    proptest! {
        #[test]
        fn no_path_has_a_scheme_or_leads_upwards(rest in "[a-z:/.?#%\\\\ é]{0,30}", is_file: bool) {
            let url = format!("https://a.example:8443/{rest}");
            let path = path_of(&page(&url, is_file.then_some(rest.as_str())));
            prop_assert!(!path.is_empty() && !path.contains(':') && !path.starts_with('/'), "{}", path);
            prop_assert!(path.split('/').all(|part| !matches!(part, "" | "." | "..")), "{}", path);
            prop_assert!(path.is_ascii() && !path.contains([' ', '?', '#', '\\']), "{}", path);
        }
    }
}
