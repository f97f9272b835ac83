//! Fields that a team adds to its sites, beside those that every site has.

use std::collections::BTreeMap;

use super::{FieldErrors, Problem};
use crate::id::SiteFieldId;

/// A field that a team has added to its sites.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteField {
    /// The id of the field.
    pub id: SiteFieldId,
    /// The name: one to 40 characters in one line, which no other field of the team has, whatever its case.
    pub name: String,
    /// The values that it takes.
    pub kind: SiteFieldKind,
}

/// The values that a field takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SiteFieldKind {
    /// Any text of one to 200 characters.
    Text,
    /// One of these texts: one to 20, each once and of one to 80 characters, in the order in which they are offered.
    Choice(Vec<String>),
}

/// The values of a site, by field. A field that it has no value of is left out.
pub type SiteValues = BTreeMap<SiteFieldId, String>;

/// Values that a site is to get, by field; `None` takes the value away. What is left out stays as it is.
pub type SiteValueChanges = BTreeMap<SiteFieldId, Option<String>>;

/// The reason why a team can't have a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SiteFieldRefusal {
    /// The team has [as many fields](SiteField::MOST) as it may.
    #[error("a team has at most {} fields", SiteField::MOST)]
    TooMany,
    /// Another field of the team has the name.
    #[error("another field has the name")]
    NameTaken,
}

impl SiteField {
    /// The most fields of a team.
    pub const MOST: usize = 10;
    /// The most characters of a name.
    pub const MAX_NAME: usize = 40;
    /// The most characters of a value.
    pub const MAX_VALUE: usize = 200;
    /// The most choices of a field.
    pub const MOST_CHOICES: usize = 20;
    /// The most characters of a choice.
    pub const MAX_CHOICE: usize = 80;
    /// The columns that the list of sites has as a file, in their order: no field has the name of one of them.
    pub const COLUMNS: [&str; 6] = ["url", "name", "report_language", "tags", "platforms", "standard"];

    /// Returns what distinguishes the name of the field from those of others: it is the same for names that differ in case alone.
    pub fn key(&self) -> String {
        self.name.to_lowercase()
    }

    /// Returns whether a site may carry a value of the field.
    pub fn takes(&self, value: &str) -> bool {
        match &self.kind {
            SiteFieldKind::Text => true,
            SiteFieldKind::Choice(choices) => choices.iter().any(|choice| choice == value),
        }
    }

    /// Reads a value as a person enters it: white space around it and U+0000 are removed, and a blank one is none.
    ///
    /// # Errors
    /// Returns [`Problem::TooLong`], or [`Problem::NotInList`] for what is none of the choices.
    pub fn value(&self, text: &str) -> Result<Option<String>, Problem> {
        let text = text.replace('\0', "");
        let text = text.trim();
        if text.is_empty() {
            return Ok(None);
        }
        if text.chars().count() > Self::MAX_VALUE {
            return Err(Problem::TooLong(Self::MAX_VALUE));
        }
        if self.takes(text) { Ok(Some(text.to_owned())) } else { Err(Problem::NotInList) }
    }

    /// Judges whether a team that has other fields may have this one.
    ///
    /// # Errors
    /// Returns [`SiteFieldRefusal`].
    pub fn beside(&self, others: &[Self]) -> Result<(), SiteFieldRefusal> {
        if others.iter().any(|other| other.key() == self.key()) {
            return Err(SiteFieldRefusal::NameTaken);
        }
        if others.len() >= Self::MOST { Err(SiteFieldRefusal::TooMany) } else { Ok(()) }
    }

    /// Returns the values of a site after changes. What is given for none of the fields, and what its field does not
    /// [take](Self::takes), changes nothing.
    pub fn changed_values(fields: &[Self], before: &SiteValues, changes: &SiteValueChanges) -> SiteValues {
        let mut after = before.clone();
        for field in fields {
            match changes.get(&field.id) {
                Some(Some(value)) if field.takes(value) => drop(after.insert(field.id, value.clone())),
                Some(None) => drop(after.remove(&field.id)),
                Some(Some(_)) | None => {}
            }
        }
        after
    }

    /// Returns the first in the order of their bytes of the values that sites carry and the field does not take, with the number of the
    /// sites that carry it.
    pub fn first_refused(&self, carried: impl IntoIterator<Item = String>) -> Option<(String, u64)> {
        let mut refused: BTreeMap<String, u64> = BTreeMap::new();
        for value in carried.into_iter().filter(|value| !self.takes(value)) {
            *refused.entry(value).or_default() += 1;
        }
        refused.pop_first()
    }
}

/// A field as an owner describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteFieldInput {
    name: String,
    choices: Option<Vec<String>>,
}

impl SiteFieldInput {
    /// Describes a field for texts. White space within its name counts as one blank each, and U+0000 is removed.
    pub fn text(name: &str) -> Self {
        Self { name: in_one_line(name), choices: None }
    }

    /// Describes a field that has one of these choices as its value. Blank ones are left out, and repeated ones count once.
    pub fn choice<'a>(name: &str, choices: impl IntoIterator<Item = &'a str>) -> Self {
        let choices = choices.into_iter().map(in_one_line).filter(|choice| !choice.is_empty());
        let each_once = choices.fold(Vec::new(), |mut seen, choice| {
            if !seen.contains(&choice) {
                seen.push(choice);
            }
            seen
        });
        Self { name: in_one_line(name), choices: Some(each_once) }
    }

    /// Returns the field, with an id.
    ///
    /// # Errors
    /// Returns what is wrong with `name` and `choices`.
    pub fn field(self, id: SiteFieldId) -> Result<SiteField, FieldErrors> {
        let Self { name, choices } = self;
        let mut errors = FieldErrors::default();
        if name.is_empty() {
            errors.add("name", Problem::Required);
        } else if name.chars().count() > SiteField::MAX_NAME {
            errors.add("name", Problem::TooLong(SiteField::MAX_NAME));
        } else if SiteField::COLUMNS.contains(&name.to_lowercase().as_str()) {
            errors.add("name", Problem::Taken);
        }
        if let Some(choices) = &choices {
            if choices.is_empty() {
                errors.add("choices", Problem::Required);
            }
            if choices.len() > SiteField::MOST_CHOICES {
                errors.add("choices", Problem::TooMany(SiteField::MOST_CHOICES));
            }
            if choices.iter().any(|choice| choice.chars().count() > SiteField::MAX_CHOICE) {
                errors.add("choices", Problem::TooLong(SiteField::MAX_CHOICE));
            }
        }
        let kind = choices.map_or(SiteFieldKind::Text, SiteFieldKind::Choice);
        if errors.is_empty() { Ok(SiteField { id, name, kind }) } else { Err(errors) }
    }
}

fn in_one_line(text: &str) -> String {
    text.replace('\0', "").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;

    fn id() -> SiteFieldId {
        SiteFieldId::generate(DateTime::UNIX_EPOCH)
    }

    fn field(input: SiteFieldInput) -> Result<SiteField, String> {
        input.field(id()).map_err(|errors| errors.to_string())
    }

    #[test]
    fn a_field_has_a_name_in_one_line_and_choices_each_once() {
        let region = field(SiteFieldInput::choice(" Sales\n region ", ["North", " South ", "", "North"])).unwrap();
        assert_eq!(region.name, "Sales region");
        assert_eq!(region.kind, SiteFieldKind::Choice(vec!["North".to_owned(), "South".to_owned()]));
        for (input, problem) in [
            (SiteFieldInput::text(" \0"), "name: is required"),
            (SiteFieldInput::text(&"ж".repeat(41)), "name: has more than 40 characters"),
            (SiteFieldInput::text("URL"), "name: is taken"),
            (SiteFieldInput::choice("a", ["", " "]), "choices: is required"),
            (SiteFieldInput::choice("a", ["ж".repeat(81).as_str()]), "choices: has more than 80 characters"),
        ] {
            assert_eq!(field(input), Err(problem.to_owned()));
        }
        let many: Vec<String> = (0..21).map(|number| number.to_string()).collect();
        let many = SiteFieldInput::choice("a", many.iter().map(String::as_str));
        assert_eq!(field(many), Err("choices: has more than 20 items".to_owned()));
    }

    #[test]
    fn a_value_is_a_bounded_text_or_one_of_the_choices() {
        let owner = field(SiteFieldInput::text("Owner")).unwrap();
        assert_eq!(owner.value(" Jo\0 "), Ok(Some("Jo".to_owned())));
        assert_eq!(owner.value(" \0"), Ok(None));
        assert_eq!(owner.value(&"ж".repeat(200)), Ok(Some("ж".repeat(200))));
        assert_eq!(owner.value(&"ж".repeat(201)), Err(Problem::TooLong(200)));
        let region = field(SiteFieldInput::choice("Region", ["North"])).unwrap();
        assert_eq!(region.value("North"), Ok(Some("North".to_owned())));
        assert_eq!(region.value("north"), Err(Problem::NotInList));
    }

    #[test]
    fn names_differ_by_more_than_case_and_there_are_ten_at_most() {
        let owner = field(SiteFieldInput::text("Owner")).unwrap();
        let others: Vec<_> = (0..9).map(|number| field(SiteFieldInput::text(&number.to_string())).unwrap()).collect();
        assert_eq!(owner.beside(&others), Ok(()));
        let same = field(SiteFieldInput::text("OWNER")).unwrap();
        assert_eq!(same.beside(&[owner]), Err(SiteFieldRefusal::NameTaken));
        let full: Vec<_> = others.iter().chain([&same]).cloned().collect();
        let more = field(SiteFieldInput::text("more")).unwrap();
        assert_eq!(more.beside(&full), Err(SiteFieldRefusal::TooMany));
    }

    #[test]
    fn a_choice_that_sites_carry_is_found_with_their_number() {
        let region = field(SiteFieldInput::choice("Region", ["North"])).unwrap();
        let carried = ["South", "North", "East", "East"].map(str::to_owned);
        assert_eq!(region.first_refused(carried), Some(("East".to_owned(), 2)));
        assert_eq!(region.first_refused(["North".to_owned()]), None);
    }
}
