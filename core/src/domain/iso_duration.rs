//! Durations in the notation of the contract.

use std::{fmt, str::FromStr};

use chrono::{DateTime, Days, Months, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

/// An ISO 8601 duration of at most a hundred years, for example `PT1H` or `P1M`. Months stay months: one month after 31
/// January is 28 or 29 February, so a duration has no fixed number of seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct IsoDuration {
    months: u32,
    days: u32,
    seconds: u32,
}

/// The error for a text that is not a duration which [`IsoDuration`] can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an ISO 8601 duration such as PT1H, P7D or P1M, of at most a hundred years")]
pub struct ParseDurationError;

impl IsoDuration {
    /// Makes a duration of whole hours.
    pub const fn hours(hours: u16) -> Self {
        Self { months: 0, days: 0, seconds: hours as u32 * 3_600 }
    }

    /// Makes a duration of whole months.
    pub const fn months(months: u16) -> Self {
        Self { months: months as u32, days: 0, seconds: 0 }
    }

    /// Returns the instant this much after `start`, or the last representable instant if the result would be beyond it.
    pub fn after(self, start: DateTime<Utc>) -> DateTime<Utc> {
        start
            .checked_add_months(Months::new(self.months))
            .and_then(|at| at.checked_add_days(Days::new(self.days.into())))
            .and_then(|at| at.checked_add_signed(TimeDelta::seconds(self.seconds.into())))
            .unwrap_or(DateTime::<Utc>::MAX_UTC)
    }

    /// Returns the duration in English, as a person says it: "an hour", "2 days", "a month".
    pub fn in_words(self) -> String {
        let (count, unit) = match self {
            Self { months, days: 0, seconds: 0 } if months > 0 && months.is_multiple_of(12) => (months / 12, "year"),
            Self { months, days: 0, seconds: 0 } if months > 0 => (months, "month"),
            Self { months: 0, days, seconds: 0 } if days > 0 && days.is_multiple_of(7) => (days / 7, "week"),
            Self { months: 0, days, seconds: 0 } if days > 0 => (days, "day"),
            Self { months: 0, days: 0, seconds } if seconds > 0 && seconds.is_multiple_of(3_600) => {
                (seconds / 3_600, "hour")
            }
            Self { months: 0, days: 0, seconds } if seconds > 0 && seconds.is_multiple_of(60) => {
                (seconds / 60, "minute")
            }
            Self { months: 0, days: 0, seconds } => (seconds, "second"),
            mixed => return mixed.to_string(),
        };
        match (count, unit) {
            (1, "hour") => "an hour".to_owned(),
            (1, unit) => format!("a {unit}"),
            (count, unit) => format!("{count} {unit}s"),
        }
    }
}

impl FromStr for IsoDuration {
    type Err = ParseDurationError;

    /// Parses `P[nY][nM][nW][nD][T[nH][nM][nS]]` with whole numbers.
    fn from_str(text: &str) -> Result<Self, ParseDurationError> {
        let rest = text.strip_prefix('P').ok_or(ParseDurationError)?;
        let (date, time) = rest.split_once('T').map_or((rest, None), |(date, time)| (date, Some(time)));
        if time == Some("") || (date.is_empty() && time.is_none()) {
            return Err(ParseDurationError);
        }
        let [years, months, weeks, days] = amounts(date, ['Y', 'M', 'W', 'D'])?;
        let [hours, minutes, seconds] = amounts(time.unwrap_or_default(), ['H', 'M', 'S'])?;
        let duration = Self {
            months: years * 12 + months,
            days: weeks * 7 + days,
            seconds: u32::try_from(u64::from(hours) * 3_600 + u64::from(minutes) * 60 + u64::from(seconds))
                .map_err(|_| ParseDurationError)?,
        };
        if duration.months > 1_200 || duration.days > 36_500 || duration.seconds > 36_500 * 86_400 {
            return Err(ParseDurationError);
        }
        Ok(duration)
    }
}

/// Parses the number before each of `units`, which come in this order, each at most once. A number has at most 7
/// digits, so that no sum of the caller overflows.
fn amounts<const N: usize>(mut text: &str, units: [char; N]) -> Result<[u32; N], ParseDurationError> {
    let mut amounts = [0; N];
    for (amount, unit) in amounts.iter_mut().zip(units) {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 && text[digits..].starts_with(unit) {
            if digits > 7 {
                return Err(ParseDurationError);
            }
            *amount = text[..digits].parse().map_err(|_| ParseDurationError)?;
            text = &text[digits + 1..];
        }
    }
    if text.is_empty() { Ok(amounts) } else { Err(ParseDurationError) }
}

impl fmt::Display for IsoDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("P")?;
        if self.months > 0 {
            write!(f, "{}M", self.months)?;
        }
        if self.days > 0 {
            write!(f, "{}D", self.days)?;
        }
        if self.seconds > 0 || (self.months == 0 && self.days == 0) {
            f.write_str("T")?;
            let (hours, minutes, seconds) = (self.seconds / 3_600, self.seconds / 60 % 60, self.seconds % 60);
            if hours > 0 {
                write!(f, "{hours}H")?;
            }
            if minutes > 0 {
                write!(f, "{minutes}M")?;
            }
            if seconds > 0 || self.seconds == 0 {
                write!(f, "{seconds}S")?;
            }
        }
        Ok(())
    }
}

impl TryFrom<String> for IsoDuration {
    type Error = ParseDurationError;

    fn try_from(text: String) -> Result<Self, ParseDurationError> {
        text.parse()
    }
}

impl From<IsoDuration> for String {
    fn from(duration: IsoDuration) -> Self {
        duration.to_string()
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeZone as _;

    use super::*;

    #[test]
    fn durations_of_the_contract_are_written_as_read() {
        for text in ["PT1H", "P1M", "P7D", "PT0S", "P1M2DT3H4M5S", "PT90M"] {
            let duration: IsoDuration = text.parse().unwrap();
            assert_eq!(duration.to_string().parse(), Ok(duration), "{text}");
        }
        assert_eq!("PT60M".parse::<IsoDuration>().unwrap().to_string(), "PT1H");
        assert_eq!("P1Y".parse::<IsoDuration>().unwrap().to_string(), "P12M");
    }

    #[test]
    fn other_texts_are_refused() {
        for text in
            ["", "P", "PT", "1H", "PT1.5H", "P-1D", "PT1H1H", "P1D1M", "P1H", "PT1", "P99999999D", "PT1Hx", "P1DT"]
        {
            assert_eq!(text.parse::<IsoDuration>(), Err(ParseDurationError), "{text}");
        }
    }

    #[test]
    fn a_month_after_the_last_of_january_is_the_last_of_february() {
        let at = |month, day| Utc.with_ymd_and_hms(2027, month, day, 9, 30, 0).unwrap();
        assert_eq!(IsoDuration::months(1).after(at(1, 31)), at(2, 28));
    }

    #[test]
    fn durations_are_said_as_people_say_them() {
        let words = |text: &str| text.parse::<IsoDuration>().unwrap().in_words();
        assert_eq!(words("PT1H"), "an hour");
        assert_eq!(words("P1M"), "a month");
        assert_eq!(words("P14D"), "2 weeks");
        assert_eq!(words("PT30M"), "30 minutes");
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_the_parser_panic(text in "P?[0-9YMWDTHS]{0,24}") {
            if let Ok(duration) = text.parse::<IsoDuration>() {
                proptest::prop_assert_eq!(duration.to_string().parse(), Ok(duration));
            }
        }
    }
}
