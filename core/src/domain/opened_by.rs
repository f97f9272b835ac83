//! The control that made an element appear.

use serde::{Deserialize, Serialize};

use super::{bounded, masked_selector, masked_text};

/// The control that the check pressed before an element appeared, such as the button of a menu (decision 0063). Its texts come
/// from the checked page and are hostile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct OpenedBy {
    /// The accessible name of the control, on one line; empty if it has none.
    #[cfg_attr(feature = "schema", schemars(length(max = Self::MAX_NAME)))]
    pub name: String,
    /// The place of the control on the page: a CSS selector, as [`Finding::selector`](super::Finding::selector).
    #[cfg_attr(feature = "schema", schemars(length(max = Self::MAX_SELECTOR)))]
    pub selector: String,
}

impl OpenedBy {
    /// The greatest number of characters of a name that are kept.
    pub const MAX_NAME: usize = 100;
    /// The greatest number of characters of a selector that are kept.
    pub const MAX_SELECTOR: usize = 2_000;

    /// Makes a control. Personal data in its texts is masked, the texts are cut to their bounds, and white space in the name
    /// becomes single spaces.
    pub fn new(name: &str, selector: &str) -> Self {
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        Self {
            name: bounded(&masked_text(&name), Self::MAX_NAME),
            selector: bounded(&masked_selector(selector), Self::MAX_SELECTOR),
        }
    }

    /// Returns what a reader knows the control by: its name, or its selector if it has none.
    pub fn known_as(&self) -> &str {
        if self.name.is_empty() { &self.selector } else { &self.name }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_is_known_by_its_name_and_tells_nothing_of_people() {
        let menu = OpenedBy::new("  Menu\n of jane@example.org ", "#menu");
        assert_eq!((menu.name.as_str(), menu.known_as()), ("Menu of ***", "Menu of ***"));
        assert_eq!(OpenedBy::new(" ", "[value=\"Jane Doe\"]").known_as(), "[value=\"***\"]");
        assert_eq!(OpenedBy::new(&"ж".repeat(500), "").name.chars().count(), OpenedBy::MAX_NAME);
    }
}
