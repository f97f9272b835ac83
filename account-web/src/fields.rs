//! Values of form fields that several pages read.

use a11ycheck_core::{
    domain::{EmailAddress, Person, Role},
    locale::Locale,
};
use chrono::{DateTime, Datelike as _, NaiveDate, NaiveTime, Utc};

use crate::{
    form_errors::{FormErrors, missing},
    passwords,
    request::Fields,
    words::Words,
};

/// Reads an e-mail address.
pub(crate) fn email(form: &Fields, errors: &mut FormErrors, words: &Words) -> Option<EmailAddress> {
    let parsed = form.get("email").parse().ok();
    if parsed.is_none() {
        errors.add("email", &words.problems.email);
    }
    parsed
}

/// Reads a new password, and says what is wrong with it. It is taken as it was typed, white space included.
pub(crate) fn new_password<'a>(
    form: &'a Fields,
    email: Option<&EmailAddress>,
    errors: &mut FormErrors,
    words: &Words,
) -> Option<&'a str> {
    let password = form.raw("password");
    let length = password.chars().count();
    let problem = if length < passwords::LEAST {
        Some(&words.problems.password_short)
    } else if length > passwords::MOST {
        Some(&words.problems.password_long)
    } else if email.is_some_and(|email| email.as_str() == password.trim().to_lowercase()) {
        Some(&words.problems.password_same_as_email)
    } else {
        None
    };
    match problem {
        Some(problem) => {
            let numbers = [("least", passwords::LEAST.to_string()), ("most", passwords::MOST.to_string())];
            errors.add_filled("password", problem, &numbers);
            None
        }
        None => Some(password),
    }
}

/// Reads a person's name.
pub(crate) fn person_name<'a>(form: &'a Fields, errors: &mut FormErrors, words: &Words) -> Option<&'a str> {
    let name = form.get("name");
    if name.is_empty() {
        errors.add("name", missing("name", words));
    } else if name.chars().count() > Person::MAX_NAME {
        errors.add_filled("name", &words.problems.too_long, &[("most", Person::MAX_NAME.to_string())]);
    } else {
        return Some(name);
    }
    None
}

/// Reads a role, of those that a form offers.
pub(crate) fn role(form: &Fields, errors: &mut FormErrors, words: &Words) -> Option<Role> {
    let role = Role::KNOWN.iter().copied().find(|role| role.as_str() == form.get("role"));
    if role.is_none() {
        errors.add("role", &words.problems.role);
    }
    role
}

/// Reads a language; English if there is none.
pub(crate) fn language(form: &Fields, name: &str) -> Locale {
    form.get(name).parse().unwrap_or(Locale::En)
}

/// Returns the beginning, in UTC, of a day that was entered; `None` if none was.
pub(crate) fn day(fields: &Fields, name: &str, errors: &mut FormErrors, words: &Words) -> Option<DateTime<Utc>> {
    let entered = fields.get(name);
    if entered.is_empty() {
        return None;
    }
    let day = NaiveDate::parse_from_str(entered, "%Y-%m-%d").ok().filter(|day| (1970..=9999).contains(&day.year()));
    if day.is_none() {
        errors.add(name, &words.problems.not_date);
    }
    Some(day?.and_time(NaiveTime::MIN).and_utc())
}
