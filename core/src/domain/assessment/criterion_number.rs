//! Numbers of success criteria as they are stored.

use std::{cmp::Ordering, fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// The number of a success criterion, for example `1.4.10`: two to four whole numbers from 1 to 999 with points between them. Ordered
/// as in the standard: `1.4.3` before `1.4.10`.
///
/// That it has the form of one does not mean that there is such a criterion: a later release may know others than this one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CriterionNumber(String);

/// The error for a text that is no number of a criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the number of a success criterion, such as 1.4.10")]
pub struct NotACriterionNumber;

impl CriterionNumber {
    /// Returns the number as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn parts(&self) -> impl Iterator<Item = u16> {
        // What is parsed has no other parts, and no leading zeros: equal parts are equal texts.
        self.0.split('.').map(|part| part.parse().unwrap_or_default())
    }
}

impl FromStr for CriterionNumber {
    type Err = NotACriterionNumber;

    fn from_str(text: &str) -> Result<Self, NotACriterionNumber> {
        let is_part = |part: &str| {
            (1..=3).contains(&part.len()) && !part.starts_with('0') && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        let is_number = (2..=4).contains(&text.split('.').count()) && text.split('.').all(is_part);
        if is_number { Ok(Self(text.to_owned())) } else { Err(NotACriterionNumber) }
    }
}

impl TryFrom<String> for CriterionNumber {
    type Error = NotACriterionNumber;

    fn try_from(text: String) -> Result<Self, NotACriterionNumber> {
        text.parse()
    }
}

impl From<CriterionNumber> for String {
    fn from(number: CriterionNumber) -> Self {
        number.0
    }
}

impl fmt::Display for CriterionNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Ord for CriterionNumber {
    fn cmp(&self, other: &Self) -> Ordering {
        self.parts().cmp(other.parts())
    }
}

impl PartialOrd for CriterionNumber {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> CriterionNumber {
        text.parse().unwrap()
    }

    #[test]
    fn numbers_are_in_the_order_of_the_standard() {
        let mut numbers = ["2.1.1", "1.4.10", "1.4.3", "1.10.1"].map(number);
        numbers.sort();
        assert_eq!(numbers.each_ref().map(CriterionNumber::as_str), ["1.4.3", "1.4.10", "1.10.1", "2.1.1"]);
    }

    #[test]
    fn a_text_of_another_form_is_no_number() {
        for text in ["", "1", "1.", ".1", "1..1", "1.0.1", "1.04.3", "1.4.3 ", "1.4.a", "1.1.1.1.1", "1.1.1000", "٣.٤"]
        {
            assert_eq!(text.parse::<CriterionNumber>(), Err(NotACriterionNumber), "{text:?}");
        }
        let read: CriterionNumber = serde_json::from_str(r#""3.3.8""#).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), r#""3.3.8""#);
        assert!(serde_json::from_str::<CriterionNumber>(r#""3.3.x""#).is_err());
    }
}
