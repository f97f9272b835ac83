//! Distinguishes names that a person chose from names that a program generated at random.

/// For each letter, the letters that often follow it in words: the pairs that occur in at least two dozen of the 9,755
/// different words of our catalogue (seven languages, without Cyrillic, accents removed) and of axe-core's own
/// identifiers, and a few pairs of common names such as `example` and `address`. Of 5,000 random strings of five to
/// eight letters, 90 in 100 contain a pair that is missing here; of these words, 5. A name that is mistaken for a
/// random one (`navbar`) costs its element one distinguishing mark, and no more.
const FOLLOWERS: [&str; 26] = [
    "bcdfghijklmnprstuvwyz",    // a
    "aeilorsuy",                // b
    "acehijklnortuyz",          // c
    "adeiklnoprsuyz",           // d
    "abcdefghijklmnoprstuvwxz", // e
    "aefilortu",                // f
    "aeilnorstu",               // g
    "aeilnortuy",               // h
    "abcdefghijklmnoprstuvwz",  // i
    "aeimnotu",                 // j
    "aceilnorstuy",             // k
    "adeiklnostuy",             // l
    "abeimnopuy",               // m
    "acdefgiknostuyz",          // n
    "abcdefghjklmnoprstuvwxz",  // o
    "aeiloprstu",               // p
    "u",                        // q
    "abcdefghiklmnorstuvwyz",   // r
    "acehiklmnopstuwyz",        // s
    "acefhiklnorstuwyz",        // t
    "abcdefgijklmnprstvz",      // u
    "aeinouy",                  // v
    "aeinosy",                  // w
    "aeiopty",                  // x
    "abcejklmnopstw",           // y
    "adeikmnotuvwy",            // z
];

/// The least number of characters of a name that is judged: `btn`, `col` and `html` are abbreviations.
const LEAST: usize = 5;

/// Returns whether `word`, which consists of ASCII letters and digits, looks random: upper and lower case, or letters
/// and digits, alternate as in no name (`Rl3kD`), or it contains a pair of letters that words do not have (`mvbnt`).
pub(super) fn looks_drawn(word: &str) -> bool {
    word.len() >= LEAST && (alternates(word) || has_odd_pair(word))
}

/// Returns whether `word` looks like the hash of a build tool: eight characters or more, with digits, alternating case
/// or an unlikely pair of letters. A name that a person typed (`Portrait`, `checkout`) does not.
pub(super) fn looks_like_hash(word: &str) -> bool {
    let is_of_hash = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if word.len() < 8 || !word.bytes().all(is_of_hash) {
        return false;
    }
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    // A date or a number is not a hash; it is removed with the other digits.
    letters > 0 && ((has_digit && letters >= 2) || alternates(word) || has_odd_pair(word))
}

/// Returns whether the kind of character (digit, upper or lower case) changes more often than in a name: `item12`,
/// `menuItem` and `h1Title` have one or two such changes.
fn alternates(word: &str) -> bool {
    let kind = |byte: u8| match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let kinds: Vec<u8> = word.bytes().map(kind).collect();
    // A capital before a small letter begins a word, which counts as one change rather than two.
    kinds.windows(2).filter(|pair| pair[0] != pair[1] && *pair != [1, 0]).count() >= 3
}

fn has_odd_pair(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    // The end of one word and the beginning of the next, as in `faqPage`, are not a pair within a word.
    let is_seam = |at: usize| word.as_bytes()[at].is_ascii_lowercase() && word.as_bytes()[at + 1].is_ascii_uppercase();
    lower.as_bytes().windows(2).enumerate().any(|(at, pair)| {
        pair.iter().all(u8::is_ascii_lowercase)
            && !is_seam(at)
            && !FOLLOWERS[usize::from(pair[0] - b'a')].as_bytes().contains(&pair[1])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_people_choose_stay() {
        for name in [
            "email",
            "newsletter",
            "searchForm",
            "menuItem",
            "item12",
            "section3",
            "h1Title",
            "checkout",
            "facebook",
            "address2",
            "btn",
            "html",
            "form",
            "username",
            "impressum",
            "kontakt",
        ] {
            assert!(!looks_drawn(name), "{name}");
        }
        for name in ["portrait", "Portrait", "checkout", "20261122", "produkte", "slideshow", "hero"] {
            assert!(!looks_like_hash(name), "{name}");
        }
    }

    #[test]
    fn names_that_programs_draw_go() {
        for name in ["mvbnt", "kqzxw", "Rl3kD", "x7k2m9", "aB3xY9", "qwzrtp"] {
            assert!(looks_drawn(name), "{name}");
        }
        for hash in ["DiwrgTda", "BxYzKqLm", "D8f_2-Qw", "3f2a9c1e", "XYZ23ABC", "d3adb33f00c4"] {
            assert!(looks_like_hash(hash), "{hash}");
        }
    }
}
