//! What one target is.

use std::path::{Path, PathBuf};

use a11ycheck_core::domain::SiteUrl;
use url::{Host, Url};

/// The reason why a text is no target.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TargetError {
    /// The text is neither an address nor the path of something that is there.
    #[error("`{0}` is neither an address nor a file or folder that is there")]
    Unknown(String),
    /// The text is relative, and there is nothing to join it to.
    #[error("`{0}` has no address to be joined to: name one with --base-url, or a folder with --serve")]
    NoBase(String),
    /// The file is of a kind that names no pages.
    #[error("{} is no page, no sitemap and no list: name an .html, .xml or .txt file, or a folder", .0.display())]
    Kind(PathBuf),
    /// Standard input is named more than once, or is a terminal.
    #[error("standard input can be read once, and is no terminal: pipe the list of addresses into it")]
    StandardInput,
}

/// A target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A page.
    Page(Url),
    /// A sitemap at an address.
    Sitemap(Url),
    /// A sitemap in a file.
    SitemapFile(PathBuf),
    /// A list of addresses in a file, one in a line.
    ListFile(PathBuf),
    /// A page in a file, which is served with its folder.
    PageFile(PathBuf),
    /// A folder, which is served.
    Folder(PathBuf),
    /// A list of addresses on standard input.
    StandardInput,
}

impl Target {
    /// Reads a target of the command line: a path if something is there, unless it begins with a slash and can be joined to
    /// `base`.
    ///
    /// # Errors
    /// [`TargetError`].
    pub fn parse(text: &str, base: Option<&Url>) -> Result<Self, TargetError> {
        let path = Path::new(text);
        let is_relative_address = text.starts_with(['/', '?', '#']) && base.is_some();
        if text == "-" {
            return Ok(Self::StandardInput);
        }
        if !is_relative_address && path.exists() {
            return Self::of_path(path);
        }
        Self::address(text, base)
    }

    /// Reads a target that is an address, or the end of one: `/contact`.
    ///
    /// # Errors
    /// [`TargetError::Unknown`] and [`TargetError::NoBase`].
    pub fn address(text: &str, base: Option<&Url>) -> Result<Self, TargetError> {
        let text = text.trim();
        let url = if text.starts_with(['/', '?', '#']) {
            let base = base.ok_or_else(|| TargetError::NoBase(text.to_owned()))?;
            base.join(text).map_err(|_| TargetError::Unknown(text.to_owned()))?
        } else {
            absolute(text).ok_or_else(|| TargetError::Unknown(text.to_owned()))?
        };
        let path = url.path().to_ascii_lowercase();
        let is_sitemap = [".xml", ".xml.gz"].iter().any(|ending| path.ends_with(ending));
        Ok(if is_sitemap { Self::Sitemap(url) } else { Self::Page(url) })
    }

    fn of_path(path: &Path) -> Result<Self, TargetError> {
        let owned = path.to_owned();
        if path.is_dir() {
            return Ok(Self::Folder(owned));
        }
        let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
        if ends(&[".html", ".htm"]) {
            Ok(Self::PageFile(owned))
        } else if ends(&[".xml", ".xml.gz"]) {
            Ok(Self::SitemapFile(owned))
        } else if ends(&[".txt"]) {
            Ok(Self::ListFile(owned))
        } else {
            Err(TargetError::Kind(owned))
        }
    }
}

/// Reads a list of addresses: one in a line; empty lines, and those that begin with `#`, are ignored.
///
/// # Errors
/// [`TargetError`] of the first line that is no address.
pub(crate) fn read_list(text: &str, base: Option<&Url>) -> Result<Vec<Target>, TargetError> {
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| Target::address(line, base)).collect()
}

/// Returns an address with its scheme: `http` for this machine, where hardly anything speaks TLS, and else `https`.
fn absolute(text: &str) -> Option<Url> {
    let url = SiteUrl::parse(text).ok()?;
    let has_scheme = text.to_ascii_lowercase().starts_with("http");
    let looks_like_address =
        has_scheme || url.domain().contains('.') || url.domain() == "localhost" || url.url().port().is_some();
    // Domains do not end like that, and files that are missing do.
    let is_file = [".html", ".htm", ".xml", ".txt"].iter().any(|ending| url.domain().ends_with(ending));
    if !looks_like_address || (is_file && !has_scheme) {
        return None;
    }
    // A view of an application is a page of its own, which the address of a site does not have.
    let spelled = if has_scheme && text.contains("://") {
        text.to_owned()
    } else {
        format!("{}://{text}", if is_here(url.url()) { "http" } else { "https" })
    };
    Url::parse(&spelled).ok()
}

fn is_here(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn an_address_is_what_looks_like_one() {
        for (text, expected) in [
            ("https://a.example/x", Target::Page(url("https://a.example/x"))),
            ("a.example", Target::Page(url("https://a.example/"))),
            ("localhost:3000", Target::Page(url("http://localhost:3000/"))),
            ("127.0.0.1:8080/x", Target::Page(url("http://127.0.0.1:8080/x"))),
            ("http://[::1]:3000/#/view", Target::Page(url("http://[::1]:3000/#/view"))),
            ("https://a.example/sitemap.xml", Target::Sitemap(url("https://a.example/sitemap.xml"))),
            ("https://a.example/map.xml.gz", Target::Sitemap(url("https://a.example/map.xml.gz"))),
            ("-", Target::StandardInput),
        ] {
            assert_eq!(Target::parse(text, None).unwrap(), expected, "{text}");
        }
        for text in ["no-such-folder", "", "ftp://a.example", "https://me:secret@a.example/"] {
            assert!(matches!(Target::parse(text, None), Err(TargetError::Unknown(_))), "{text}");
        }
    }

    #[test]
    fn what_begins_with_a_slash_is_joined_to_the_base_address() {
        let base = url("http://127.0.0.1:4173/app/");
        assert_eq!(Target::parse("/contact", Some(&base)).unwrap(), Target::Page(url("http://127.0.0.1:4173/contact")));
        assert!(matches!(Target::address("/contact", None), Err(TargetError::NoBase(_))));
        assert!(matches!(Target::parse("/", None), Ok(Target::Folder(_))), "without one, it is a path");
    }

    #[test]
    fn a_list_has_one_address_in_a_line() {
        let list =
            read_list("\u{feff}# pages\n\nhttps://a.example/\r\n /x \n", Some(&url("https://b.example/"))).unwrap();
        assert_eq!(list, [Target::Page(url("https://a.example/")), Target::Page(url("https://b.example/x"))]);
        assert!(read_list("not an address", None).is_err());
    }

    #[test]
    fn files_are_known_by_their_endings() {
        let folder = tempfile::tempdir().unwrap();
        for (name, is_known) in [("a.html", true), ("s.xml", true), ("list.txt", true), ("a.pdf", false)] {
            let path = folder.path().join(name);
            std::fs::write(&path, "").unwrap();
            assert_eq!(Target::parse(path.to_str().unwrap(), None).is_ok(), is_known, "{name}");
        }
        assert!(matches!(Target::parse(folder.path().to_str().unwrap(), None), Ok(Target::Folder(_))));
    }
}
