//! Parameters whose value is one of a set of words.

use std::str::FromStr;

use crate::domain::{FieldErrors, Problem};

/// The value of the parameter `field`; `None` where it is missing or blank. A word that is none of the set is added to
/// `errors`.
pub(super) fn choice<T: FromStr>(field: &str, text: Option<&str>, errors: &mut FieldErrors) -> Option<T> {
    let word = text.map(str::trim).filter(|word| !word.is_empty())?;
    let value = word.parse().ok();
    if value.is_none() {
        errors.add(field, Problem::NotInList);
    }
    value
}
