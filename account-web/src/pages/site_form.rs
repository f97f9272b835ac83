//! Adding and changing a site.

use a11ycheck_core::{
    domain::{
        AuditAction, PlatformKey, Site, SiteField, SiteInput, SiteName, SiteValueChanges, SiteValues, StandardId, Tag,
    },
    id::SiteId,
    locale::Locale,
};
use askama::Template;

use super::{
    context::{InTeam, form_page},
    error::PageError,
    site_fields::{OwnValue, parameter},
};
use crate::{
    fields,
    form_errors::{FormErrors, sentence},
    response::Response,
    shell::{Section, Shell},
    words::own_name,
};

/// The content of the fields.
#[derive(Debug, Default)]
struct Entered {
    url: String,
    name: String,
    language: Option<Locale>,
    tags: String,
    platform: String,
    standard: String,
    /// The entries for the team's own fields.
    own: Vec<OwnValue>,
}

#[derive(Template)]
#[template(path = "site-form.html")]
struct SiteFormPage {
    shell: Shell,
    entered: Entered,
    /// The site that is changed; `None` if one is added.
    site: Option<Site>,
}

impl SiteFormPage {
    /// Returns the path that the form is sent to.
    fn action(&self) -> String {
        let root = self.shell.team_root();
        self.site.as_ref().map_or_else(|| format!("{root}/add-site"), |site| format!("{root}/sites/{}/edit", site.id))
    }

    fn languages(&self) -> impl Iterator<Item = (&'static str, &'static str, bool)> {
        let chosen = self.entered.language.unwrap_or(self.shell.locale);
        Locale::ALL.into_iter().map(move |locale| (locale.code(), own_name(locale), locale == chosen))
    }

    fn standards(&self) -> impl Iterator<Item = (&'static str, &'static str, bool)> {
        let chosen = self.entered.standard.clone();
        StandardId::defaults().map(move |standard| (standard.as_str(), standard.name(), standard.as_str() == chosen))
    }
}

impl Entered {
    fn sent(team: &InTeam<'_, '_>, fields: Vec<SiteField>) -> Self {
        let form = team.form();
        let text = |name: &str| form.get(name).to_owned();
        Self {
            url: text("url"),
            name: text("name"),
            language: Some(fields::language(form, "language")),
            tags: text("tags"),
            platform: text("platform"),
            standard: text("standard"),
            own: fields.into_iter().map(|field| OwnValue { value: text(&parameter(&field)), field }).collect(),
        }
    }

    fn of(site: &Site, fields: Vec<SiteField>, mut values: SiteValues) -> Self {
        let details = &site.details;
        let keys: Vec<_> = details.stack.iter().map(PlatformKey::as_str).collect();
        Self {
            url: details.url.as_str().to_owned(),
            name: details.name.clone().unwrap_or_default(),
            language: Some(details.report_locale),
            tags: details.tags.join(", "),
            platform: keys.join(", "),
            standard: details.standard.map(|standard| standard.as_str().to_owned()).unwrap_or_default(),
            own: fields
                .into_iter()
                .map(|field| OwnValue { value: values.remove(&field.id).unwrap_or_default(), field })
                .collect(),
        }
    }

    /// Returns the site and the values of own fields as the form describes them, or what is wrong with it.
    fn input(&self, team: &InTeam<'_, '_>) -> Result<(SiteInput, SiteValueChanges), FormErrors> {
        let words = &team.words().problems;
        let mut errors = FormErrors::default();
        let input = SiteInput::parse(&self.url).ok();
        if input.is_none() {
            errors.add("url", &words.not_url);
        }
        let name = match self.name.as_str() {
            "" => None,
            name => SiteName::new(name)
                .map_err(|_| errors.add_filled("name", &words.too_long, &[("most", MOST_OF_NAME.to_string())]))
                .ok(),
        };
        let mut tags = Vec::new();
        for tag in parts(&self.tags) {
            match Tag::new(tag) {
                Ok(tag) => tags.push(tag),
                Err(_) => errors.add_filled("tags", &words.too_long, &[("most", MOST_OF_TAG.to_string())]),
            }
        }
        let mut values = SiteValueChanges::new();
        for own in &self.own {
            match own.field.value(&own.value) {
                Ok(value) => drop(values.insert(own.field.id, value)),
                Err(problem) => errors.add(&own.parameter(), &sentence(&problem, team.words())),
            }
        }
        let Some(input) = input.filter(|_| errors.is_empty()) else { return Err(errors) };
        let standard = StandardId::defaults().copied().find(|offered| offered.as_str() == self.standard);
        let input = input.with_report_locale(self.language.unwrap_or(Locale::En)).with_tags(tags);
        let input = name.into_iter().fold(input, SiteInput::with_name);
        let input = standard.into_iter().fold(input, SiteInput::with_standard);
        Ok((input.with_stack(parts(&self.platform).map(PlatformKey::new)), values))
    }
}

/// The most characters of a name (contract §6.3).
const MOST_OF_NAME: usize = 120;
/// The most characters of a tag (contract §6.3).
const MOST_OF_TAG: usize = 40;

/// Returns the parts of a list with commas.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty())
}

fn form(
    team: &InTeam<'_, '_>,
    site: Option<Site>,
    entered: Entered,
    errors: FormErrors,
) -> Result<Response, PageError> {
    let words = team.words();
    let title = if site.is_some() { &words.add_site.edit_title } else { &words.add_site.title };
    let template = SiteFormPage { shell: team.shell(Section::Sites, title).with_errors(errors), entered, site };
    form_page(&template, &template.shell)
}

pub(super) async fn add_form(team: &InTeam<'_, '_>) -> Result<Response, PageError> {
    let fields = team.handle().site_fields().await?.into_iter();
    let own = fields.map(|field| OwnValue { field, value: String::new() }).collect();
    form(team, None, Entered { own, ..Entered::default() }, FormErrors::default())
}

/// Sets the values of own fields, if the team has any.
async fn set_values(team: &InTeam<'_, '_>, site: SiteId, values: SiteValueChanges) -> Result<(), PageError> {
    if !values.is_empty() {
        team.handle().set_site_values(site, values).await?;
    }
    Ok(())
}

/// Adds a site, and leads to it: its first check has been queued.
pub(super) async fn add(team: &InTeam<'_, '_>) -> Result<Response, PageError> {
    let entered = Entered::sent(team, team.handle().site_fields().await?);
    let (input, values) = match entered.input(team) {
        Ok(input) => input,
        Err(errors) => return form(team, None, entered, errors),
    };
    match team.handle().add_site(input).await {
        Ok(added) => {
            set_values(team, added.site.id, values).await?;
            team.note(AuditAction::SiteAdded, added.site.details.url.as_str()).await?;
            Ok(team.done(&format!("/sites/{}", added.site.id), "site-added"))
        }
        Err(error) => form(team, None, entered, FormErrors::of_refusal(error, "url", team.words())?),
    }
}

pub(super) async fn edit_form(team: &InTeam<'_, '_>, id: &str) -> Result<Response, PageError> {
    let site = team.handle().site(SiteId::presented(id)).await?;
    let values = team.handle().site_values(&[site.id]).await?.remove(&site.id).unwrap_or_default();
    let entered = Entered::of(&site, team.handle().site_fields().await?, values);
    form(team, Some(site), entered, FormErrors::default())
}

/// Changes a site except for its address.
pub(super) async fn edit(team: &InTeam<'_, '_>, id: &str) -> Result<Response, PageError> {
    let site = team.handle().site(SiteId::presented(id)).await?;
    let fields = team.handle().site_fields().await?;
    let entered = Entered { url: site.details.url.as_str().to_owned(), ..Entered::sent(team, fields) };
    let (input, values) = match entered.input(team) {
        Ok(input) => input,
        Err(errors) => return form(team, Some(site), entered, errors),
    };
    match team.handle().change_site(site.id, input).await {
        Ok(site) => {
            set_values(team, site.id, values).await?;
            team.note(AuditAction::SiteChanged, site.details.url.as_str()).await?;
            Ok(team.done(&format!("/sites/{}", site.id), "site-changed"))
        }
        Err(error) => form(team, Some(site), entered, FormErrors::of_refusal(error, "name", team.words())?),
    }
}
