//! Texts without the parts that change from build to build or from visit to visit.

use super::random::{looks_drawn, looks_like_hash};

/// Returns the text up to its first question mark (an address without its query), without digits and long hexadecimal
/// runs.
pub(super) fn text(text: &str) -> String {
    let text = text.split_once('?').map_or(text, |(before, _)| before);
    let mut out = String::with_capacity(text.len());
    let mut run = String::new();
    for character in text.chars().chain(std::iter::once(' ')) {
        if character.is_ascii_hexdigit() {
            run.push(character);
            continue;
        }
        // A run of eight or more that contains a digit is a hash ("3f2a9c1e"); without digits it is a word ("facade").
        if !(run.len() >= 8 && run.bytes().any(|byte| byte.is_ascii_digit())) {
            out.extend(run.chars().filter(|character| !character.is_ascii_digit()));
        }
        run.clear();
        out.push(character);
    }
    out.pop();
    out
}

/// Returns one address, or several as in `srcset`, without the hashes that build tools put into the names of files.
pub(super) fn addresses(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for part in value.split_inclusive([' ', ',']) {
        let address = part.trim_end_matches([' ', ',']);
        out.push_str(&text(&unhashed(address)));
        out.push_str(&part[address.len()..]);
    }
    out
}

/// Returns ids, one or several, with their random parts blanked; digits are removed as in any text.
pub(super) fn ids(value: &str) -> String {
    text(&undrawn(value))
}

/// Returns a selector of axe-core without hashes of files and random ids. Its digits stay, because they distinguish
/// places.
pub(super) fn selector(selector: &str) -> String {
    let mut out = String::with_capacity(selector.len());
    let mut rest = selector;
    // Quoted values are addresses, names and the like; `#` begins an id.
    while let Some(at) = rest.find(['"', '#']) {
        let (before, found) = rest.split_at(at);
        out.push_str(before);
        let (sign, value) = found.split_at(1);
        out.push_str(sign);
        let end = if sign == "\"" { value.find('"') } else { value.find([' ', '>', '.', '[', ':', ',', '+', '~']) };
        let (value, after) = value.split_at(end.unwrap_or(value.len()));
        if sign == "#" {
            out.push_str(&undrawn(value));
            rest = after;
        } else {
            // axe-core escapes the dot before an extension: `img[src$="star-DiwrgTda\.png"]`.
            out.push_str(&unhashed(&value.replace('\\', "")));
            // The closing quote must not be taken for an opening one.
            let closing = usize::from(!after.is_empty());
            out.push_str(&after[..closing]);
            rest = &after[closing..];
        }
    }
    out.push_str(rest);
    out
}

/// Returns a selector without its classes, hashes and random ids: the shape of the path to an element.
pub(super) fn shape(selector: &str) -> String {
    let selector = self::selector(selector);
    let mut out = String::with_capacity(selector.len());
    let (mut in_quotes, mut in_class, mut escaped) = (false, false, false);
    for character in selector.chars() {
        if in_class {
            let is_of_name = escaped
                || character.is_alphanumeric()
                || matches!(character, '-' | '_' | '\\')
                || !character.is_ascii();
            escaped = !escaped && character == '\\';
            if is_of_name {
                continue;
            }
            in_class = false;
        }
        match character {
            '"' => in_quotes = !in_quotes,
            '.' if !in_quotes => {
                in_class = true;
                continue;
            }
            _ => {}
        }
        out.push(character);
    }
    out
}

/// Returns the address without a hash at the end of its file name, before the extension: `/assets/star-DiwrgTda.png`,
/// `app.3f2a9c1e.js`.
fn unhashed(address: &str) -> String {
    let path_end = address.find(['?', '#']).unwrap_or(address.len());
    let (path, tail) = address.split_at(path_end);
    let file = path.rfind('/').map_or(0, |slash| slash + 1);
    let (folder, name) = path.split_at(file);
    let Some((stem, extension)) = name.rsplit_once('.').filter(|(_, extension)| extension.len() <= 5) else {
        return address.to_owned();
    };
    // The hash follows a separator. A hash of Rollup may contain separators itself, and has eight characters.
    let cuts = stem.char_indices().filter(|(_, character)| matches!(character, '-' | '.' | '_')).map(|(at, _)| at);
    let cut = cuts.filter(|at| *at > 0).find(|at| {
        let hash = &stem[at + 1..];
        let is_last = !hash.contains(['-', '.', '_']) || hash.len() == 8;
        is_last && looks_like_hash(hash)
    });
    match cut {
        Some(at) => format!("{folder}{}{}.{extension}{tail}", &stem[..at], &stem[at..=at]),
        None => address.to_owned(),
    }
}

/// Blanks the parts of names that look random. Parts are separated by anything but letters and digits.
fn undrawn(names: &str) -> String {
    let mut out = String::with_capacity(names.len());
    for part in names.split_inclusive(|character: char| !character.is_ascii_alphanumeric()) {
        let word = part.trim_end_matches(|character: char| !character.is_ascii_alphanumeric());
        out.push_str(if looks_drawn(word) { "" } else { word });
        out.push_str(&part[word.len()..]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_a_file_goes_and_its_name_stays() {
        for (before, after) in [
            ("/assets/star-DiwrgTda.png", "/assets/star-BxYzKqLm.png"),
            ("/assets/star-D8f_2-Qw.png", "/assets/star-BxYzKqLm.png"),
            ("/app.3f2a9c1e.js", "/app.77b1c9d2.js"),
            ("/logo-XYZ23ABC.svg", "/logo-ABX77QRS.svg"),
        ] {
            assert_eq!(addresses(before), addresses(after), "{before} {after}");
        }
        for (one, other) in
            [("/star.png", "/moon.png"), ("/team-portrait.jpg", "/team-building.jpg"), ("/a/x.png", "/b/x.png")]
        {
            assert_ne!(addresses(one), addresses(other), "{one} {other}");
        }
        assert_eq!(addresses("/a-DiwrgTda.png 1x, /b-BxYzKqLm.png 2x"), "/a-.png x, /b-.png x");
    }

    #[test]
    fn a_drawn_id_goes_and_a_chosen_one_stays() {
        assert_eq!(ids("q-mvbnt"), ids("q-kqzxw"));
        assert_eq!(ids("q-mvbnt q-abkqw"), ids("q-kqzxw q-zzxwk"));
        assert_ne!(ids("email"), ids("phone"));
        assert_ne!(ids("field-email"), ids("field-phone"));
    }

    #[test]
    fn a_selector_keeps_its_places() {
        assert_eq!(selector(r#"img[src$="star-DiwrgTda.png"]"#), selector(r#"img[src$="star-BxYzKqLm.png"]"#));
        assert_eq!(selector(r#"img[src$="star-DiwrgTda\.png"]"#), r#"img[src$="star-.png"]"#);
        assert_eq!(selector("#q-mvbnt > li:nth-child(3)"), "#q- > li:nth-child(3)");
        assert_ne!(selector("li:nth-child(3)"), selector("li:nth-child(2)"));
        assert_eq!(selector(r##"a[href$="x"] > b[title="#y"]"##), r##"a[href$="x"] > b[title="#y"]"##);
    }

    #[test]
    fn the_shape_of_a_selector_has_no_classes() {
        assert_eq!(shape(r".css-1x2y > img:nth-child(2)"), " > img:nth-child(2)");
        assert_eq!(shape(r"p.md\:flex.a > b"), "p > b");
        assert_eq!(shape(r#"a[href="a.b.c"].x"#), r#"a[href="a.b.c"]"#);
    }
}
