//! Bounds for texts from untrusted sources.

/// Returns the first `max` characters without U+0000, which PostgreSQL text cannot hold.
pub(crate) fn bounded(text: &str, max: usize) -> String {
    text.chars().filter(|character| *character != '\0').take(max).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_bounded_by_characters_and_loses_nul() {
        assert_eq!(bounded("a\0бв", 2), "aб");
    }
}
