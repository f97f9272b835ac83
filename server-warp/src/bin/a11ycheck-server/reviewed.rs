//! The declaration that a person has read the texts of a language: `--reviewed-language`.

use std::{collections::BTreeSet, str::FromStr};

use a11ycheck_core::{
    catalog::{Review, ReviewError},
    locale::Locale,
};
use chrono::{Days, NaiveDate};
use serde::Deserialize;

/// A language with its review, written as `de=Anna Müller,2026-11-20`. The name may have commas in it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct ReviewedLanguage {
    pub(crate) locale: Locale,
    pub(crate) review: Review,
}

/// The reason why a text declares no review.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoReview {
    #[error("`{0}` is not of the form LANGUAGE=NAME,DATE, for example de=Anna Müller,2026-11-20")]
    Form(String),
    #[error("`{language}` is no language of reports; these are: {}", Locale::ALL.map(Locale::code).join(" "))]
    Language { language: String },
    #[error("`{0}` is no date of the form 2026-11-20")]
    Date(String),
    #[error("`{0}`: {1}")]
    Name(String, ReviewError),
}

/// An error in declarations that are right by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ReviewsError {
    #[error("--reviewed-language: `{0}` is declared twice")]
    Twice(Locale),
    #[error("--reviewed-language {locale}: the review can't have ended on {on}, which is still to come")]
    ToCome { locale: Locale, on: NaiveDate },
}

/// Checks declarations as of `today`, a day in UTC.
pub(crate) fn checked(languages: &[ReviewedLanguage], today: NaiveDate) -> Result<&[ReviewedLanguage], ReviewsError> {
    // Where the reviewer is, it may be tomorrow already.
    let latest = today.checked_add_days(Days::new(1)).unwrap_or(today);
    let mut seen = BTreeSet::new();
    for ReviewedLanguage { locale, review } in languages {
        if !seen.insert(locale) {
            return Err(ReviewsError::Twice(*locale));
        }
        if review.on() > latest {
            return Err(ReviewsError::ToCome { locale: *locale, on: review.on() });
        }
    }
    Ok(languages)
}

impl FromStr for ReviewedLanguage {
    type Err = NoReview;

    fn from_str(text: &str) -> Result<Self, NoReview> {
        let form = || NoReview::Form(text.to_owned());
        let (language, review) = text.split_once('=').ok_or_else(form)?;
        let (name, date) = review.rsplit_once(',').ok_or_else(form)?;
        let (language, date) = (language.trim(), date.trim());
        let locale = language.parse().map_err(|_| NoReview::Language { language: language.to_owned() })?;
        // chrono's own reading takes days and months of one digit, too.
        let on: NaiveDate = date.parse().map_err(|_| NoReview::Date(date.to_owned()))?;
        if on.to_string() != date {
            return Err(NoReview::Date(date.to_owned()));
        }
        let review = Review::new(name, on).map_err(|error| NoReview::Name(name.to_owned(), error))?;
        Ok(Self { locale, review })
    }
}

impl TryFrom<String> for ReviewedLanguage {
    type Error = NoReview;

    fn try_from(text: String) -> Result<Self, NoReview> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn refused(text: &str) -> String {
        text.parse::<ReviewedLanguage>().unwrap_err().to_string()
    }

    #[test]
    fn a_declaration_names_language_reviewer_and_day() {
        let parsed: ReviewedLanguage = " de = Müller, Anna , 2026-11-20 ".parse().unwrap();
        assert_eq!(parsed.locale, Locale::De);
        assert_eq!((parsed.review.by(), parsed.review.on()), ("Müller, Anna", day("2026-11-20")));
    }

    #[test]
    fn what_is_wrong_with_a_declaration_is_said_with_what_would_be_right() {
        for text in ["de", "de=Anna", ""] {
            assert!(refused(text).contains("LANGUAGE=NAME,DATE, for example de="), "{}", refused(text));
        }
        assert_eq!(refused("fr=Anna,2026-11-20"), "`fr` is no language of reports; these are: en uk de pl cs ro ru");
        for date in ["20.11.2026", "2026-11-31", "2026-1-2", ""] {
            assert_eq!(refused(&format!("de=Anna,{date}")), format!("`{date}` is no date of the form 2026-11-20"));
        }
        assert_eq!(refused("de= ,2026-11-20"), "` `: the name is blank");
    }

    #[test]
    fn a_language_is_reviewed_once_and_not_in_the_future() {
        let declared = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<_>>();
        let (today, twice) = (day("2026-11-23"), declared(&["de=A,2026-11-20", "uk=B,2026-11-21", "de=C,2026-11-22"]));
        assert_eq!(checked(&twice, today), Err(ReviewsError::Twice(Locale::De)));
        assert!(checked(&declared(&["de=A,2026-11-24"]), today).is_ok(), "east of Greenwich it may be that day");
        let to_come = ReviewsError::ToCome { locale: Locale::De, on: day("2026-11-25") };
        assert_eq!(checked(&declared(&["de=A,2026-11-25"]), today), Err(to_come));
    }
}
