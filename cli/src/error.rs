//! Errors as the program shows them.

use std::error::Error;

/// Returns an error with its sources, in one line.
pub fn whole(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let said = cause.to_string();
        // Transparent errors repeat their source.
        if !said.is_empty() && !text.ends_with(&said) {
            text.push_str(": ");
            text.push_str(&said);
        }
        source = cause.source();
    }
    text.trim_end().to_owned()
}
