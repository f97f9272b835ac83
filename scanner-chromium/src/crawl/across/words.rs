//! The words of names, as they are compared.

/// The words of a name in lower case, without numbers, with a space around each.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Words(String);

impl Words {
    /// Returns the words of a name.
    pub(super) fn of(name: &str) -> Self {
        let words = name.split(|character: char| !character.is_alphanumeric());
        let words = words.filter(|word| word.chars().any(char::is_alphabetic));
        Self(words.map(|word| format!(" {} ", word.to_lowercase())).collect())
    }

    /// Returns whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether neither of the two contains all words of the other in a row. Names without words never differ.
    pub(super) fn differs_from(&self, other: &Self) -> bool {
        !self.is_empty() && !other.is_empty() && !self.0.contains(&other.0) && !other.0.contains(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differ(one: &str, other: &str) -> bool {
        Words::of(one).differs_from(&Words::of(other))
    }

    #[test]
    fn names_differ_if_neither_says_all_that_the_other_does() {
        assert!(differ("Search", "Find") && differ("News today", "News archive"));
        assert!(!differ("Search", "search!") && !differ("Cart (1)", "Cart (2)") && !differ("Shop", "Our shop"));
        assert!(differ("Shop", "Workshop"), "a part of a word is another word");
        assert!(!differ("", "Search") && !differ("…", "123"));
    }
}
