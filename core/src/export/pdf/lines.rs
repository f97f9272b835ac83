//! Breaks text into lines.

use super::{font::Face, text::Run};

/// A line of text.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) pieces: Vec<Piece>,
    /// The width in points, without the space at its end.
    pub(super) width: f32,
}

/// A part of a line that belongs to one run.
#[derive(Debug)]
pub(super) struct Piece {
    /// The number of the run.
    pub(super) run: usize,
    pub(super) text: String,
    /// The distance from the start of the line, in points.
    pub(super) x: f32,
    /// The width in points.
    pub(super) width: f32,
}

/// The smallest text of a file, in points.
pub(super) const MIN_SIZE: f32 = 9.0;

/// Returns the size in which a font is set beside text of this size: the monospaced font looks larger than it is.
pub(super) fn size_of(face: Face, size: f32) -> f32 {
    match face {
        Face::Regular | Face::Bold => size,
        Face::Mono => (size * 0.92).max(MIN_SIZE),
    }
}

/// Breaks text into lines at most `max_width` points wide: after a space, a hyphen or a sign of addresses and code, or
/// anywhere in a word that is wider than a line. A line that the text continues after keeps the space at its end, so that
/// words stay apart when the text is copied or read aloud.
pub(super) fn broken(runs: &[Run], size: f32, max_width: f32) -> Vec<Line> {
    let signs = signs(runs, size);
    let mut lines = Vec::new();
    let (mut start, mut break_after, mut width) = (0, None, 0.0);
    let mut at = 0;
    while let Some(sign) = signs.get(at) {
        if sign.breaks {
            lines.push(set(&signs[start..=at], runs));
            (start, break_after, width) = (at + 1, None, 0.0);
        } else if width + sign.width > max_width && sign.character != ' ' && at > start {
            // In a word that is wider than a line, a mark that ends a sentence takes the character before it along.
            let marks = signs[start..at].len() > 1 && closes(sign.character);
            let end = break_after.unwrap_or(if marks { at - 1 } else { at });
            lines.push(set(&signs[start..end], runs));
            (start, break_after, width) = (end, None, 0.0);
            // The text after the break is measured again.
            at = end;
            continue;
        } else {
            width += sign.width;
            // A full stop after code must not stand alone on the next line.
            let goes_on = signs.get(at + 1).is_some_and(|next| closes(next.character));
            if matches!(sign.character, ' ' | '-' | '/' | '?' | '&' | '=' | ';' | '>' | ',' | '_')
                && !sign.sticks
                && !goes_on
            {
                break_after = Some(at + 1);
            }
        }
        at += 1;
    }
    if start < signs.len() {
        lines.push(set(&signs[start..], runs));
    }
    lines
}

/// Returns whether a line must not begin with the character, because it ends what stands before it.
const fn closes(character: char) -> bool {
    matches!(character, '.' | ',' | ';' | ':' | '!' | '?' | ')' | ']' | '”' | '“' | '»' | '…')
}

/// A character to be set.
struct Sign {
    character: char,
    run: usize,
    width: f32,
    /// True for a line break, which is shown as a space.
    breaks: bool,
    /// True for a no-break space.
    sticks: bool,
}

fn signs(runs: &[Run], size: f32) -> Vec<Sign> {
    let of_run = |(run, Run { text, face, .. }): (usize, &Run)| {
        let (face, size) = (*face, size_of(*face, size));
        text.chars()
            .map(move |raw| {
                let character = face.shown(raw);
                let width = face.advance(character, size);
                Sign { character, run, width, breaks: raw == '\n', sticks: raw == '\u{A0}' }
            })
            .collect::<Vec<_>>()
    };
    runs.iter().enumerate().flat_map(of_run).collect()
}

fn set(signs: &[Sign], runs: &[Run]) -> Line {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut x = 0.0;
    for sign in signs {
        match pieces.last_mut() {
            Some(piece) if piece.run == sign.run => {
                piece.text.push(sign.character);
                piece.width += sign.width;
            }
            _ => pieces.push(Piece { run: sign.run, text: sign.character.into(), x, width: sign.width }),
        }
        x += sign.width;
    }
    let end = signs.iter().rev().take_while(|sign| sign.character == ' ').map(|sign| sign.width).sum::<f32>();
    debug_assert!(pieces.iter().all(|piece| piece.run < runs.len()));
    Line { pieces, width: (x - end).max(0.0) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(text: &str, width: f32) -> Vec<String> {
        let lines = broken(&[Run::regular(text)], 10.0, width);
        lines.iter().map(|line| line.pieces.iter().map(|piece| piece.text.as_str()).collect()).collect()
    }

    #[test]
    fn lines_break_between_words_and_keep_the_space() {
        assert_eq!(texts("one two three", 40.0), ["one two ", "three"]);
        assert_eq!(texts("", 40.0), [""; 0]);
        assert_eq!(texts("a\n\nb", 40.0), ["a ", " ", "b"]);
    }

    #[test]
    fn a_word_wider_than_a_line_breaks_anywhere() {
        let lines = texts(&"m".repeat(30), 50.0);
        assert!(lines.len() > 1 && lines.concat() == "m".repeat(30), "{lines:?}");
        assert_eq!(texts("mmm", 1.0), ["m", "m", "m"]);
    }

    #[test]
    fn a_full_stop_after_code_does_not_begin_a_line() {
        for width in 20..120 {
            let runs = [Run::regular("Put it into "), Run::mono("<main>"), Run::regular(". Then check again.")];
            for line in broken(&runs, 10.0, width as f32) {
                let text: String = line.pieces.iter().map(|piece| piece.text.as_str()).collect();
                assert!(!text.starts_with('.'), "{width}: {text}");
            }
        }
    }

    #[test]
    fn a_line_may_hold_several_runs() {
        let lines = broken(&[Run::regular("Add "), Run::mono("alt"), Run::regular(" now")], 10.0, 500.0);
        let pieces: Vec<_> = lines[0].pieces.iter().map(|piece| (piece.run, piece.text.as_str())).collect();
        assert_eq!(pieces, [(0, "Add "), (1, "alt"), (2, " now")]);
        assert!((lines[0].pieces[1].x - lines[0].pieces[0].width).abs() < 1e-3);
    }

    proptest! {
        #[test]
        fn no_line_is_too_wide_and_no_character_is_lost(text in "[a-zа-я中 /\u{A0}-]{0,200}", width in 30.0_f32..300.0) {
            let lines = broken(&[Run::regular(text.as_str())], 10.0, width);
            for line in &lines {
                prop_assert!(line.width <= width + 0.01);
            }
            let shown: String = lines.iter().flat_map(|line| &line.pieces).map(|piece| piece.text.as_str()).collect();
            let expected: String = text.chars().map(|character| Face::Regular.shown(character)).collect();
            prop_assert_eq!(shown, expected);
        }
    }
}
