//! The names of files: whom they are about, when it was checked, in which language.

use chrono::{DateTime, Utc};
use deunicode::deunicode;

use super::Artifact;
use crate::{domain::SiteDetails, locale::Locale};

/// The greatest number of characters of the part that names the client. With the longest suffix, the name stays far
/// below the 255 bytes of most file systems.
const MAX_CLIENT: usize = 60;

/// The names that Windows keeps for devices, whatever follows their first dot (“Naming Files, Paths, and Namespaces”).
const RESERVED: [&str; 4] = ["con", "prn", "aux", "nul"];

impl Artifact {
    /// Returns the name of the file of a site's check: `{client}-{date}-{language}-{suffix}`, for example
    /// `blumenladen-mueller-2026-11-21-de-accessibility.pdf`.
    ///
    /// The client is the site's name in ASCII letters, digits and hyphens, at most 60 characters, or else its domain. The name
    /// has no character that a file system refuses, and does not say which program made it. No two files of a check
    /// have the same name, in whatever languages they are.
    pub fn file_name(self, site: &SiteDetails, checked_at: DateTime<Utc>, locale: Locale) -> String {
        format!("{}-{}-{locale}-{}", client(site), checked_at.format("%Y-%m-%d"), self.suffix())
    }
}

/// Returns the part of the name that names the client; it is never empty.
fn client(site: &SiteDetails) -> String {
    let name = site.name.as_deref().map(slug).unwrap_or_default();
    let client = if name.is_empty() { of_domain(site.url.domain()) } else { name };
    // A name without a letter or a digit in it, or a host of hyphens.
    let client = if client.is_empty() { "site".to_owned() } else { client };
    let device = client.split('.').next().unwrap_or_default();
    if is_reserved(device) { format!("site-{client}") } else { client }
}

/// Returns the text in lower-case ASCII letters and digits, with a hyphen between its words; empty if it has no such words.
fn slug(text: &str) -> String {
    let mut slug = String::new();
    // A transliteration can be longer than its text, and never much shorter.
    for character in deunicode(&with_german_spelling(text)).chars().take(4 * MAX_CLIENT) {
        match character {
            // Within a word it is an apostrophe, or the sign that stands for a soft sign.
            '\'' | '"' | '`' => {}
            letter if letter.is_ascii_alphanumeric() => slug.push(letter.to_ascii_lowercase()),
            _ if slug.is_empty() || slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
    }
    shortened(slug.trim_end_matches('-'))
}

/// Returns the text with the letters that only German has among the languages of reports as German writes them without
/// dots.
fn with_german_spelling(text: &str) -> String {
    let mut spelled = String::with_capacity(text.len() + 8);
    for character in text.chars().take(4 * MAX_CLIENT) {
        match character {
            'ä' => spelled.push_str("ae"),
            'ö' => spelled.push_str("oe"),
            'ü' => spelled.push_str("ue"),
            'Ä' => spelled.push_str("Ae"),
            'Ö' => spelled.push_str("Oe"),
            'Ü' => spelled.push_str("Ue"),
            other => spelled.push(other),
        }
    }
    spelled
}

/// Returns the first words that fit, or the beginning of a first word that is too long.
fn shortened(slug: &str) -> String {
    // It is ASCII, so bytes are characters.
    let Some(cut) = slug.get(..MAX_CLIENT).filter(|_| slug.len() > MAX_CLIENT) else { return slug.to_owned() };
    let is_between_words = slug.as_bytes().get(MAX_CLIENT) == Some(&b'-');
    match cut.rfind('-') {
        Some(end) if !is_between_words => cut[..end].to_owned(),
        _ => cut.trim_end_matches('-').to_owned(),
    }
}

/// Returns a host as a part of a file's name: a domain keeps its dots, and an IPv6 address loses its brackets and colons.
fn of_domain(domain: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '.' | '-');
    let plain: String =
        domain.chars().map(|character| if is_plain(character) { character } else { '-' }).take(MAX_CLIENT).collect();
    // A leading dot hides a file, and a leading hyphen makes it an option.
    plain.trim_matches(['.', '-']).to_owned()
}

fn is_reserved(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let is_port = |kind: &str| name.strip_prefix(kind).is_some_and(|rest| matches!(rest.as_bytes(), [b'0'..=b'9']));
    RESERVED.contains(&name.as_str()) || is_port("com") || is_port("lpt")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::{domain::SiteUrl, export::ExportFormat};

    fn site(url: &str, name: Option<&str>) -> SiteDetails {
        SiteDetails {
            url: SiteUrl::parse(url).unwrap(),
            name: name.map(str::to_owned),
            report_locale: Locale::En,
            platform: None,
            stack: vec![],
            tags: vec![],
            standard: None,
        }
    }

    fn day() -> DateTime<Utc> {
        DateTime::from_timestamp(1_811_851_200, 0).unwrap()
    }

    fn client_of(name: &str) -> String {
        client(&site("https://shop.example", Some(name)))
    }

    #[test]
    fn a_file_tells_client_day_and_language() {
        let named = site("https://shop.example", Some("Blumenladen Müller"));
        assert_eq!(
            Artifact::ReportPdf.file_name(&named, day(), Locale::De),
            "blumenladen-mueller-2027-06-01-de-accessibility.pdf"
        );
        let json = Artifact::Issues(ExportFormat::Json);
        let unnamed = |url| json.file_name(&site(url, None), day(), Locale::Uk);
        assert_eq!(unnamed("https://example.com"), "example.com-2027-06-01-uk-accessibility-issues.json");
        assert_eq!(unnamed("https://[2001:db8::1]"), "2001-db8--1-2027-06-01-uk-accessibility-issues.json");
    }

    #[test]
    fn no_two_files_of_a_check_overwrite_each_other_when_they_are_saved() {
        let site = site("https://shop.example", Some("Shop"));
        let names = Artifact::all()
            .flat_map(|artifact| Locale::ALL.map(|locale| artifact.file_name(&site, day(), locale)))
            .collect::<HashSet<_>>();
        assert_eq!(names.len(), Artifact::all().count() * Locale::ALL.len());
    }

    #[test]
    fn no_name_tells_the_client_which_program_made_the_file() {
        for artifact in Artifact::all() {
            let name = artifact.file_name(&site("https://shop.example", None), day(), Locale::En);
            assert!(!name.contains("a11ycheck"), "{name}");
        }
    }

    #[test]
    fn names_in_the_languages_of_reports_can_be_read_in_ascii() {
        for (name, expected) in [
            ("Lund & Daughters", "lund-daughters"),
            ("Bob's “Best” Bikes", "bobs-best-bikes"),
            ("Größe und Maß Ökohof", "groesse-und-mass-oekohof"),
            ("Księgarnia Żółw", "ksiegarnia-zolw"),
            ("Květinářství Růže", "kvetinarstvi-ruze"),
            ("Florăria Țăndărică Ştefan", "floraria-tandarica-stefan"),
            ("Квіткова крамниця", "kvitkova-kramnitsia"),
            ("Подъезд и соль", "podezd-i-sol"),
        ] {
            assert_eq!(client_of(name), expected, "{name}");
        }
    }

    #[test]
    fn a_long_name_ends_with_a_whole_word() {
        let name = client_of(&"Blumenladen ".repeat(20));
        assert_eq!(name, ["blumenladen"; 5].join("-"));
        assert_eq!(client_of(&"x".repeat(500)).len(), MAX_CLIENT);
        let exact = format!("{} b", "a".repeat(MAX_CLIENT));
        assert_eq!(client_of(&exact), "a".repeat(MAX_CLIENT));
    }

    #[test]
    fn a_name_without_letters_gives_way_to_the_domain() {
        assert_eq!(client_of(" … / .. "), "shop.example");
    }

    #[test]
    fn no_file_has_the_name_of_a_device() {
        assert_eq!(client_of("CON"), "site-con");
        assert_eq!(client(&site("https://aux.example", None)), "site-aux.example");
        assert_eq!(client(&site("https://com1.example", None)), "site-com1.example");
        assert_eq!(client_of("Company"), "company");
    }

    proptest! {
        #[test]
        fn whatever_a_site_is_called_a_file_can_be_saved(name in "\\PC{0,80}|.{0,20}") {
            let client = client_of(&name);
            let is_safe = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '.');
            prop_assert!(!client.is_empty() && client.len() <= MAX_CLIENT + "site-".len(), "{}", client);
            prop_assert!(client.chars().all(is_safe) && !client.starts_with(['-', '.']), "{}", client);
        }
    }
}
