//! The one form in which instants reach clients: RFC 3339 in UTC, always with six digits after the point and a `Z`, for
//! example `2027-06-01T12:00:00.000000Z`.
//!
//! The contract requires ISO 8601 with a time zone. Parsers of some platforms accept only one number of digits, so there
//! must be one, and microseconds are what stores keep. Dates in prose, such as those of PDFs, do not have this form.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serializer;

/// Returns the form of an instant.
pub fn text(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Micros, true)
}

/// Writes an instant in its form, for `#[serde(serialize_with = …)]`.
///
/// # Errors
/// Returns those of the serializer.
pub fn serialize<S: Serializer>(at: &DateTime<Utc>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&text(*at))
}

/// Writes an instant in its form, or null if there is none, for `#[serde(serialize_with = …)]`.
///
/// # Errors
/// Returns those of the serializer.
pub fn serialize_option<S: Serializer>(at: &Option<DateTime<Utc>>, serializer: S) -> Result<S::Ok, S::Error> {
    match at {
        Some(at) => serialize(at, serializer),
        None => serializer.serialize_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_seconds_milliseconds_and_microseconds_have_one_form() {
        for (micros, form) in [
            (1_811_851_200_000_000, "2027-06-01T12:00:00.000000Z"),
            (1_811_851_200_072_000, "2027-06-01T12:00:00.072000Z"),
            (1_811_851_200_826_616, "2027-06-01T12:00:00.826616Z"),
        ] {
            assert_eq!(text(DateTime::from_timestamp_micros(micros).unwrap()), form);
        }
    }
}
