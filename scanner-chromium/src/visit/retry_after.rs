//! `Retry-After` (RFC 9110 §10.2.3).

use std::time::{Duration, SystemTime};

/// Returns the time for which a site asks not to be visited: seconds, or a date. `None` if the header is neither.
pub(crate) fn parse_retry_after(value: &str) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(value).ok()?;
    // A date in the past asks for no wait.
    Some(date.duration_since(SystemTime::now()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_may_be_asked_for_in_seconds_or_by_date() {
        assert_eq!(parse_retry_after(" 120 "), Some(Duration::from_secs(120)));
        assert_eq!(parse_retry_after("Fri, 31 Dec 1999 23:59:59 GMT"), Some(Duration::ZERO));
        let later = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(100));
        let wait = parse_retry_after(&later).unwrap();
        assert!((90..=100).contains(&wait.as_secs()), "{wait:?}");
        for nonsense in ["", "-1", "soon", "1.5", "99999999999999999999999"] {
            assert_eq!(parse_retry_after(nonsense), None, "{nonsense}");
        }
    }
}
