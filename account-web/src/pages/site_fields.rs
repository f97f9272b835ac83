//! The fields that a team adds to its sites.

use a11ycheck_core::{
    domain::{SiteField, SiteFieldInput, SiteFieldKind},
    id::SiteFieldId,
};
use askama::Template;

use super::{
    context::{InTeam, form_page, page},
    error::PageError,
};
use crate::{
    form_errors::FormErrors,
    response::Response,
    shell::{Section, Shell},
};

/// A field of the team with a value of a site, or one that sites are looked for by.
#[derive(Debug)]
pub(super) struct OwnValue {
    pub(super) field: SiteField,
    pub(super) value: String,
}

impl OwnValue {
    pub(super) fn parameter(&self) -> String {
        parameter(&self.field)
    }

    /// Returns the choices of the field, each with whether it is chosen; none for a field that takes any text.
    pub(super) fn choices(&self) -> Vec<(&str, bool)> {
        match &self.field.kind {
            SiteFieldKind::Text => Vec::new(),
            SiteFieldKind::Choice(choices) => {
                choices.iter().map(|choice| (choice.as_str(), *choice == self.value)).collect()
            }
        }
    }
}

/// Returns the name of the parameter that has a value of the field, in forms and in the list of sites.
pub(super) fn parameter(field: &SiteField) -> String {
    format!("field-{}", field.id)
}

/// The content of the form.
#[derive(Debug, Default)]
struct Entered {
    name: String,
    has_choices: bool,
    choices: String,
}

/// A field in the list, with the number of the sites that have a value.
struct Row {
    field: SiteField,
    sites: usize,
}

#[derive(Template)]
#[template(path = "site-fields.html")]
struct SiteFieldsPage {
    shell: Shell,
    rows: Vec<Row>,
    entered: Entered,
    is_full: bool,
}

#[derive(Template)]
#[template(path = "site-field.html")]
struct SiteFieldPage {
    shell: Shell,
    id: SiteFieldId,
    entered: Entered,
}

#[derive(Template)]
#[template(path = "delete-site-field.html")]
struct DeletePage {
    shell: Shell,
    field: SiteField,
    sites: usize,
}

impl SiteFieldsPage {
    fn kind(&self, field: &SiteField) -> String {
        match &field.kind {
            SiteFieldKind::Text => self.shell.words.site_fields.kind_text.clone(),
            SiteFieldKind::Choice(choices) => choices.join(" · "),
        }
    }
}

impl Entered {
    fn sent(team: &InTeam<'_, '_>) -> Self {
        let form = team.form();
        let text = |name: &str| form.get(name).to_owned();
        Self { name: text("name"), has_choices: form.get("kind") == "choice", choices: text("choices") }
    }

    fn of(field: &SiteField) -> Self {
        let choices = match &field.kind {
            SiteFieldKind::Text => None,
            SiteFieldKind::Choice(choices) => Some(choices.join("\n")),
        };
        Self { name: field.name.clone(), has_choices: choices.is_some(), choices: choices.unwrap_or_default() }
    }

    fn input(&self) -> SiteFieldInput {
        if self.has_choices {
            SiteFieldInput::choice(&self.name, self.choices.lines())
        } else {
            SiteFieldInput::text(&self.name)
        }
    }
}

pub(super) async fn list(team: &InTeam<'_, '_>) -> Result<Response, PageError> {
    shown(team, Entered::default(), FormErrors::default()).await
}

async fn shown(team: &InTeam<'_, '_>, entered: Entered, errors: FormErrors) -> Result<Response, PageError> {
    let fields = team.handle().site_fields().await?;
    let values = team.handle().all_site_values().await?;
    let sites = |field: &SiteField| values.values().filter(|values| values.contains_key(&field.id)).count();
    let rows: Vec<Row> = fields.into_iter().map(|field| Row { sites: sites(&field), field }).collect();
    let is_full = rows.len() >= SiteField::MOST;
    let shell = team.shell(Section::Sites, &team.words().site_fields.title).with_errors(errors);
    let template = SiteFieldsPage { shell, rows, entered, is_full };
    form_page(&template, &template.shell)
}

/// Adds a field.
pub(super) async fn add(team: &InTeam<'_, '_>) -> Result<Response, PageError> {
    let entered = Entered::sent(team);
    match team.people()?.add_site_field(entered.input()).await {
        Ok(_) => Ok(team.done("/fields", "field-added")),
        Err(error) => shown(team, entered, FormErrors::of_refusal(error, "name", team.words())?).await,
    }
}

/// Returns a field of the team.
async fn found(team: &InTeam<'_, '_>, id: &str) -> Result<SiteField, PageError> {
    let id = SiteFieldId::presented(id);
    let fields = team.handle().site_fields().await?;
    fields.into_iter().find(|field| field.id == id).ok_or(PageError::NotFound)
}

fn changing(
    team: &InTeam<'_, '_>,
    id: SiteFieldId,
    entered: Entered,
    errors: FormErrors,
) -> Result<Response, PageError> {
    let shell = team.shell(Section::Sites, &team.words().site_fields.change_title).with_errors(errors);
    let template = SiteFieldPage { shell, id, entered };
    form_page(&template, &template.shell)
}

pub(super) async fn change_form(team: &InTeam<'_, '_>, id: &str) -> Result<Response, PageError> {
    let field = found(team, id).await?;
    changing(team, field.id, Entered::of(&field), FormErrors::default())
}

/// Changes the name of a field, or what it takes.
pub(super) async fn change(team: &InTeam<'_, '_>, id: &str) -> Result<Response, PageError> {
    let field = found(team, id).await?;
    let entered = Entered::sent(team);
    match team.people()?.change_site_field(field.id, entered.input()).await {
        Ok(_) => Ok(team.done("/fields", "field-changed")),
        Err(error) => changing(team, field.id, entered, FormErrors::of_refusal(error, "name", team.words())?),
    }
}

pub(super) async fn delete_form(team: &InTeam<'_, '_>, id: &str) -> Result<Response, PageError> {
    let field = found(team, id).await?;
    let values = team.handle().all_site_values().await?;
    let sites = values.values().filter(|values| values.contains_key(&field.id)).count();
    page(&DeletePage { shell: team.shell(Section::Sites, &team.words().site_fields.delete_title), field, sites })
}

/// Deletes a field with its values.
pub(super) async fn delete(team: &InTeam<'_, '_>, id: &str) -> Result<Response, PageError> {
    team.people()?.delete_site_field(SiteFieldId::presented(id)).await?;
    Ok(team.done("/fields", "field-deleted"))
}
