//! The content of a sitemap (sitemaps.org): pages, or further sitemaps; as XML or as plain text, compressed or not.

use std::io::Read as _;

use flate2::read::MultiGzDecoder;
use quick_xml::{
    Reader,
    events::{BytesRef, Event},
};

/// The greatest size of a file in bytes, both as it arrives and decompressed. The protocol allows five times as much;
/// the addresses that are kept from one file fit into a fraction.
pub(super) const MAX_BYTES: usize = 10 * 1024 * 1024;
/// The number of addresses that are kept from one file.
const MAX_ENTRIES: usize = 2_000;
/// The number of addresses that are kept from a file that somebody named: the protocol's own limit.
const MAX_NAMED_ENTRIES: usize = 50_000;
/// The greatest size of such a file in bytes: the protocol's own limit.
pub(super) const MAX_NAMED_BYTES: usize = 50 * 1024 * 1024;
/// The bound of an address in characters: the protocol's "less than 2,048".
const MAX_ADDRESS: usize = 2_048;
/// The beginning of a gzip file (RFC 1952 §2.3.1).
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The addresses in a sitemap (sitemaps.org), as they are written there. Hostile text.
#[derive(Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sitemap {
    /// The pages, in the order of the file.
    pub pages: Vec<String>,
    /// The sitemaps that it names, if it is an index.
    pub sitemaps: Vec<String>,
}

impl Sitemap {
    /// Reads a file that somebody named, as far as possible: XML or one address in a line, compressed or not. At most 50,000 of
    /// its addresses are kept, and at most 50 MiB of what it contains are read.
    pub fn parse(file: Vec<u8>) -> Self {
        Self::parse_within(file, MAX_NAMED_BYTES, MAX_NAMED_ENTRIES)
    }

    /// Reads a file that a site names.
    pub(super) fn parse_found(file: Vec<u8>) -> Self {
        Self::parse_within(file, MAX_BYTES, MAX_ENTRIES)
    }

    fn parse_within(file: Vec<u8>, max_bytes: usize, max_entries: usize) -> Self {
        let file = decompressed(file, max_bytes);
        let text = String::from_utf8_lossy(&file);
        let text = text.trim_start_matches('\u{feff}').trim_start();
        if text.starts_with('<') { Self::from_xml(text, max_entries) } else { Self::from_lines(text, max_entries) }
    }

    fn from_lines(text: &str, max_entries: usize) -> Self {
        let is_address = |line: &&str| line.len() < MAX_ADDRESS && line.starts_with("http");
        let pages = text.lines().map(str::trim).filter(is_address).take(max_entries).map(str::to_owned).collect();
        Self { pages, sitemaps: Vec::new() }
    }

    fn from_xml(text: &str, max_entries: usize) -> Self {
        let mut found = Self::default();
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        let mut entry = Entry::Other;
        // True inside an image, which has a `loc` of its own.
        let mut in_image = false;
        // The address that is being read, inside `loc`.
        let mut address: Option<String> = None;
        // What comes after a syntax error can't be trusted.
        while let Ok(event) = reader.read_event() {
            match event {
                Event::Start(tag) => match tag.local_name().as_ref() {
                    "url" => (entry, in_image) = (Entry::Page, false),
                    "sitemap" => (entry, in_image) = (Entry::Sitemap, false),
                    "image" => in_image = true,
                    "loc" if entry != Entry::Other && !in_image => address = Some(String::new()),
                    _ => {}
                },
                Event::Text(text) => push(&mut address, &text.xml10_content()),
                Event::CData(text) => push(&mut address, &text.xml10_content()),
                Event::GeneralRef(reference) => push(&mut address, &meaning(&reference)),
                Event::End(tag) => match tag.local_name().as_ref() {
                    "url" | "sitemap" => entry = Entry::Other,
                    "image" => in_image = false,
                    "loc" => {
                        let Some(address) = address.take() else { continue };
                        let list = match entry {
                            Entry::Page => &mut found.pages,
                            Entry::Sitemap => &mut found.sitemaps,
                            Entry::Other => continue,
                        };
                        let address = address.trim();
                        if !in_image && !address.is_empty() && address.len() < MAX_ADDRESS {
                            list.push(address.to_owned());
                        }
                        if list.len() >= max_entries {
                            break;
                        }
                    }
                    _ => {}
                },
                Event::Eof => break,
                _ => {}
            }
        }
        found
    }
}

/// The element that contains a `loc`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    Page,
    Sitemap,
    Other,
}

fn push(address: &mut Option<String>, text: &str) {
    // One character too many is enough to see that it is too long.
    if let Some(address) = address.as_mut().filter(|address| address.len() <= MAX_ADDRESS) {
        address.push_str(&text[..text.floor_char_boundary(MAX_ADDRESS + 1)]);
    }
}

/// Returns the meaning of a reference that XML itself defines; nothing is expanded that a file defines.
fn meaning(reference: &BytesRef<'_>) -> String {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return character.into();
    }
    let character = match &**reference {
        "amp" => "&",
        "lt" => "<",
        "gt" => ">",
        "quot" => "\"",
        "apos" => "'",
        _ => "",
    };
    character.to_owned()
}

/// Returns the file, decompressed up to twice: `sitemap.xml.gz` may come with a `Content-Encoding` in addition. At most
/// `max_bytes`, and the readable beginning of a damaged one.
fn decompressed(mut file: Vec<u8>, max_bytes: usize) -> Vec<u8> {
    for _ in 0..2 {
        if !file.starts_with(&GZIP) {
            break;
        }
        let mut plain = Vec::new();
        // An error leaves what came before it.
        let _ = MultiGzDecoder::new(file.as_slice()).take(max_bytes as u64).read_to_end(&mut plain);
        file = plain;
    }
    file
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::{Compression, write::GzEncoder};
    use proptest::prelude::*;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn pages(text: &str) -> Vec<String> {
        Sitemap::parse_found(text.as_bytes().to_vec()).pages
    }

    const PAGES: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
        <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="urn:image">
          <url><loc> https://a.example/?a=1&amp;b=&#50; </loc><lastmod>2026-01-01</lastmod></url>
          <url><image:image><image:loc>https://a.example/i</image:loc></image:image>
            <loc><![CDATA[https://a.example/c?x&y]]></loc></url>
        </urlset>"#;

    #[test]
    fn pages_are_read_and_pictures_are_not() {
        assert_eq!(pages(PAGES), ["https://a.example/?a=1&b=2", "https://a.example/c?x&y"]);
    }

    #[test]
    fn an_index_names_sitemaps_and_no_pages() {
        let index = "<sitemapindex><sitemap><loc>https://a.example/1.xml.gz</loc></sitemap></sitemapindex>";
        let expected = Sitemap { pages: vec![], sitemaps: vec!["https://a.example/1.xml.gz".to_owned()] };
        assert_eq!(Sitemap::parse_found(index.into()), expected);
    }

    #[test]
    fn images_turn_no_sitemap_into_a_page_wherever_they_are() {
        let index = "<sitemapindex><image></image><loc>https://a.example/0</loc>
            <sitemap><image><loc>https://a.example/i</loc></image><loc>https://a.example/1.xml</loc></sitemap>
            <image><loc>https://a.example/i</loc></image><loc>https://a.example/2</loc>
            <sitemap><image><loc>https://a.example/i</loc></sitemap>
            <sitemap><loc>https://a.example/2.xml</loc></sitemap></sitemapindex>";
        let sitemaps = ["https://a.example/1.xml", "https://a.example/2.xml"].map(str::to_owned).into();
        assert_eq!(Sitemap::parse_found(index.into()), Sitemap { pages: vec![], sitemaps });
    }

    #[test]
    fn a_file_may_be_compressed_once_or_twice_or_be_a_plain_list() {
        let once = gzip(PAGES.as_bytes());
        assert_eq!(Sitemap::parse_found(gzip(&once)).pages, pages(PAGES));
        assert_eq!(Sitemap::parse_found(once).pages, pages(PAGES));
        assert_eq!(
            pages("\u{feff}https://a.example/x\r\nhttps://a.example/y\nno address\n"),
            ["https://a.example/x", "https://a.example/y"]
        );
    }

    #[test]
    fn a_page_that_stands_where_the_sitemap_should_names_nothing() {
        assert_eq!(pages("<!DOCTYPE html><html><body><p>Not found <a href=/x>x</a> & so on</html>"), [""; 0]);
    }

    #[test]
    fn a_damaged_file_gives_what_comes_before_the_damage() {
        let good = "<urlset><url><loc>https://a.example/1</loc></url><url><loc>https://a.exa";
        assert_eq!(pages(good), ["https://a.example/1"]);
        let mut cut = gzip(PAGES.repeat(100).as_bytes());
        cut.truncate(cut.len() - 20);
        assert!(!Sitemap::parse_found(cut).pages.is_empty());
    }

    #[test]
    fn bombs_stay_small() {
        let bomb = gzip(&gzip(&vec![b' '; 4 * MAX_BYTES]));
        assert_eq!(decompressed(bomb, MAX_BYTES).len(), MAX_BYTES);
        let entities = r#"<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>
            <urlset><url><loc>https://a.example/&b;&b;</loc></url></urlset>"#;
        assert_eq!(pages(entities), ["https://a.example/"]);
        let long = format!("<urlset><url><loc>https://a.example/{}</loc></url></urlset>", "a".repeat(1_000_000));
        assert_eq!(pages(&long), [""; 0]);
        let many = "<url><loc>https://a.example/x</loc></url>".repeat(MAX_ENTRIES + 7);
        assert_eq!(pages(&format!("<urlset>{many}")).len(), MAX_ENTRIES);
        assert_eq!(pages(&"<a>".repeat(1_000_000)), [""; 0]);
    }

    proptest! {
        #[test]
        fn any_file_is_read(text in "(<|>|/|url|loc|sitemap|&|;|#|!|\\[|]|CDATA|\u{1f8b}| |[a-z]){0,60}") {
            Sitemap::parse_found(text.into_bytes());
        }

        #[test]
        fn any_address_is_read_back(path in "[ -~&&[^<>&]]{0,40}") {
            let xml = format!("<urlset><url><loc>https://a.example/{path}|</loc></url></urlset>");
            prop_assert_eq!(pages(&xml), [format!("https://a.example/{path}|")]);
        }
    }
}
