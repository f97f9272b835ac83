//! The fonts, which cover all seven languages, and the widths of their text.

use std::{
    collections::BTreeMap,
    sync::{LazyLock, OnceLock},
};

use printpdf::{FontId, ParsedFont, PdfFont};

use super::PdfError;

/// A font.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Face {
    /// For text.
    Regular,
    /// For headings and labels.
    Bold,
    /// For code.
    Mono,
}

/// The character shown in place of one for which the font has no glyph. Glyph 0 must not be shown (ISO 14289-1, 7.21.8).
pub(super) const REPLACEMENT: char = '\u{FFFD}';

impl Face {
    const ALL: [Self; 3] = [Self::Regular, Self::Bold, Self::Mono];

    /// Returns the name of the resource; its six letters are also the tag of the subset (ISO 32000-1, 9.6.4).
    pub(super) fn id(self) -> FontId {
        FontId(
            match self {
                Self::Regular => "REGULA",
                Self::Bold => "BOLDFA",
                Self::Mono => "MONOSP",
            }
            .to_owned(),
        )
    }

    /// Returns the character as it is shown: itself, a space for spaces of all widths, or [`REPLACEMENT`].
    pub(super) fn shown(self, character: char) -> char {
        // The no-break space shares the space's glyph, and a glyph has only one character when text is copied.
        if character.is_whitespace() {
            ' '
        } else if self.metrics().width(character).is_some() {
            character
        } else {
            REPLACEMENT
        }
    }

    /// Returns the advance, in points, of a character that [`shown`](Self::shown) returned.
    pub(super) fn advance(self, character: char, size: f32) -> f32 {
        let width = self.metrics().width(character).unwrap_or_default();
        f32::from(width) * size / 1_000.0
    }

    /// Returns the width of a line of text, in points.
    pub(super) fn width(self, text: &str, size: f32) -> f32 {
        text.chars().map(|character| self.advance(self.shown(character), size)).sum()
    }

    fn file(self) -> &'static [u8] {
        match self {
            Self::Regular => dejavu::sans_condensed::regular(),
            Self::Bold => dejavu::sans_condensed::bold(),
            Self::Mono => dejavu::sans_mono::regular(),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Regular => "DejaVu Sans Condensed",
            Self::Bold => "DejaVu Sans Condensed Bold",
            Self::Mono => "DejaVu Sans Mono",
        }
    }

    fn metrics(self) -> &'static Metrics {
        static METRICS: [LazyLock<Metrics>; 3] = [
            LazyLock::new(|| Metrics::read(Face::Regular)),
            LazyLock::new(|| Metrics::read(Face::Bold)),
            LazyLock::new(|| Metrics::read(Face::Mono)),
        ];
        // The variants are numbered from 0 in the order of the list.
        &METRICS[self as usize]
    }
}

/// Returns all fonts, for embedding. They are parsed once per process.
pub(super) fn resources() -> Result<BTreeMap<FontId, PdfFont>, PdfError> {
    static PARSED: OnceLock<[Option<ParsedFont>; 3]> = OnceLock::new();
    let parsed = PARSED.get_or_init(|| Face::ALL.map(|face| ParsedFont::from_bytes(face.file(), 0, &mut Vec::new())));
    let fonts = Face::ALL.iter().zip(parsed).map(|(face, parsed)| {
        let parsed = parsed.clone().ok_or(PdfError::Font { name: face.name() })?;
        Ok((face.id(), PdfFont::new(parsed)))
    });
    fonts.collect()
}

/// Widths in thousandths of the size, rounded down as the PDF library does when it writes them into the file.
struct Metrics {
    /// The widths of the characters up to the end of Cyrillic, by code point.
    common: Vec<Option<u16>>,
    face: Option<ttf_parser::Face<'static>>,
}

impl Metrics {
    const COMMON: u32 = 0x530;

    fn read(face: Face) -> Self {
        let mut metrics = Self { common: Vec::new(), face: ttf_parser::Face::parse(face.file(), 0).ok() };
        metrics.common =
            (0..Self::COMMON).map(|code| char::from_u32(code).and_then(|code| metrics.look_up(code))).collect();
        metrics
    }

    fn width(&self, character: char) -> Option<u16> {
        let common = usize::try_from(u32::from(character)).ok().and_then(|code| self.common.get(code));
        common.copied().unwrap_or_else(|| self.look_up(character))
    }

    fn look_up(&self, character: char) -> Option<u16> {
        let face = self.face.as_ref()?;
        let glyph = face.glyph_index(character).filter(|glyph| glyph.0 != 0)?;
        let advance = u32::from(face.glyph_hor_advance(glyph)?);
        u16::try_from(advance * 1_000 / u32::from(face.units_per_em())).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_fonts_can_be_embedded() {
        assert_eq!(resources().unwrap().len(), 3);
    }

    #[test]
    fn every_letter_of_the_seven_languages_and_our_signs_has_a_glyph() {
        let letters = "ABCXYZabcxyzÄÖÜäöüß ĄĆĘŁŃÓŚŹŻąćęłńóśźż ÁČĎÉĚÍŇÓŘŠŤÚŮÝŽáčďéěíňóřšťúůýž ĂÂÎȘȚăâîșțŞŢşţ \
                       АБВГҐДЕЄЖЗИІЇЙКЛМНОПРСТУФХЦЧШЩЬЮЯабвгґдеєжзиіїйклмнопрстуфхцчшщьюя ЁЪЫЭёъыэ \
                       0123456789 „“”«»‚‘’–—…·•→≥≤×№§€\u{2011}\u{FFFD}";
        for face in Face::ALL {
            for letter in letters.chars() {
                assert!(face.shown(letter) == letter, "{face:?} has no {letter}");
                assert!(letter == ' ' || face.advance(letter, 10.0) > 0.0);
            }
        }
    }

    #[test]
    fn letters_that_look_alike_keep_glyphs_of_their_own() {
        // Otherwise text that is copied or read aloud would change its script.
        for face in Face::ALL {
            let parsed = ttf_parser::Face::parse(face.file(), 0).unwrap();
            for (latin, cyrillic) in "AaBEeKMHOoPpCcTyXxiI".chars().zip("АаВЕеКМНОоРрСсТуХхіІ".chars())
            {
                assert_ne!(parsed.glyph_index(latin), parsed.glyph_index(cyrillic), "{face:?} {latin}");
            }
            assert_ne!(parsed.glyph_index('-'), parsed.glyph_index('\u{2011}'));
        }
    }

    #[test]
    fn the_notices_name_the_fonts_that_are_compiled_in_and_their_owners() {
        let notices = include_str!("../../../../NOTICES.md");
        for face in Face::ALL {
            let parsed = ttf_parser::Face::parse(face.file(), 0).unwrap();
            let entry = |id| {
                let entries = parsed.names().into_iter().filter(|entry| entry.name_id == id);
                entries.filter_map(|entry| entry.to_string()).next().unwrap()
            };
            assert!(notices.contains(face.name()), "{face:?}");
            let owners = entry(ttf_parser::name_id::COPYRIGHT_NOTICE);
            for line in owners.lines().filter(|line| !line.is_empty()) {
                assert!(notices.contains(line), "{face:?}: {line}");
            }
            // The font itself carries the licence that must accompany every copy.
            let licence = entry(ttf_parser::name_id::LICENSE);
            assert!(licence.contains("Bitstream Vera Fonts Copyright"), "{face:?}");
            assert_eq!(licence.contains("Arev Fonts Copyright"), owners.contains("Tavmjong Bah"), "{face:?}");
        }
    }

    #[test]
    fn a_character_without_a_glyph_is_replaced_visibly() {
        assert_eq!(Face::Regular.shown('中'), REPLACEMENT);
        assert_eq!(Face::Mono.shown('🦄'), REPLACEMENT);
        assert_eq!(Face::Bold.shown('\u{00A0}'), ' ');
        assert!(Face::Regular.width("中", 10.0) > 0.0);
    }
}
