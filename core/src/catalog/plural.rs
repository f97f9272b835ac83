//! Plural forms.

use serde::Deserialize;

use crate::locale::Locale;

/// A plural category of Unicode CLDR.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "CLDR's own names")]
pub enum Plural {
    One,
    Few,
    Many,
    Other,
}

impl Plural {
    /// Returns the form that goes with `n` in the language, by CLDR's cardinal rules for integers.
    pub const fn of(locale: Locale, n: u64) -> Self {
        let (ones, hundredths) = (n % 10, n % 100);
        let ends_in_2_to_4 = matches!(ones, 2..=4) && !matches!(hundredths, 12..=14);
        match locale {
            Locale::En | Locale::De => match n {
                1 => Self::One,
                _ => Self::Other,
            },
            Locale::Uk | Locale::Ru => {
                if ones == 1 && hundredths != 11 {
                    Self::One
                } else if ends_in_2_to_4 {
                    Self::Few
                } else {
                    Self::Many
                }
            }
            Locale::Pl => {
                if n == 1 {
                    Self::One
                } else if ends_in_2_to_4 {
                    Self::Few
                } else {
                    Self::Many
                }
            }
            Locale::Cs => match n {
                1 => Self::One,
                2..=4 => Self::Few,
                _ => Self::Other,
            },
            Locale::Ro => {
                if n == 1 {
                    Self::One
                } else if n == 0 || matches!(hundredths, 1..=19) {
                    Self::Few
                } else {
                    Self::Other
                }
            }
        }
    }

    /// Returns the categories of integers in the language, in CLDR's order. Fractions have others, but no count is a fraction.
    pub const fn categories(locale: Locale) -> &'static [Self] {
        match locale {
            Locale::En | Locale::De => &[Self::One, Self::Other],
            Locale::Uk | Locale::Ru | Locale::Pl => &[Self::One, Self::Few, Self::Many],
            Locale::Cs | Locale::Ro => &[Self::One, Self::Few, Self::Other],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(locale: Locale, plural: Plural) -> Vec<u64> {
        (0..=25).chain(100..=126).chain([1_000_000]).filter(|n| Plural::of(locale, *n) == plural).collect()
    }

    #[test]
    fn english_and_german_know_one_and_the_rest() {
        for locale in [Locale::En, Locale::De] {
            assert_eq!(numbers(locale, Plural::One), [1]);
        }
    }

    #[test]
    fn ukrainian_and_russian_go_by_the_last_digits() {
        for locale in [Locale::Uk, Locale::Ru] {
            assert_eq!(numbers(locale, Plural::One), [1, 21, 101, 121]);
            assert_eq!(numbers(locale, Plural::Few), [2, 3, 4, 22, 23, 24, 102, 103, 104, 122, 123, 124]);
        }
    }

    #[test]
    fn polish_takes_the_singular_for_1_alone() {
        assert_eq!(numbers(Locale::Pl, Plural::One), [1]);
        assert_eq!(numbers(Locale::Pl, Plural::Few), [2, 3, 4, 22, 23, 24, 102, 103, 104, 122, 123, 124]);
    }

    #[test]
    fn czech_counts_2_to_4_apart() {
        assert_eq!(numbers(Locale::Cs, Plural::One), [1]);
        assert_eq!(numbers(Locale::Cs, Plural::Few), [2, 3, 4]);
    }

    #[test]
    fn romanian_adds_de_from_20_on() {
        assert_eq!(numbers(Locale::Ro, Plural::One), [1]);
        assert_eq!(
            numbers(Locale::Ro, Plural::Other),
            [20, 21, 22, 23, 24, 25, 100, 120, 121, 122, 123, 124, 125, 126, 1_000_000]
        );
    }

    #[test]
    fn every_number_falls_into_a_category_that_the_language_has() {
        for locale in Locale::ALL {
            for n in 0..=200 {
                assert!(Plural::categories(locale).contains(&Plural::of(locale, n)), "{locale} {n}");
            }
        }
    }
}
