//! The brand on the files of a team.

use a11ycheck_core::{
    domain::{AuditAction, BrandName, Colour, Logo},
    export::Brand,
};
use askama::Template;

use super::{
    context::{InTeam, form_page},
    error::PageError,
};
use crate::{
    form_errors::FormErrors,
    response::Response,
    shell::{Section, Shell},
};

/// The entries of the form, with what was wrong with it.
#[derive(Debug)]
pub(super) struct Entered {
    name: String,
    colour: String,
    errors: FormErrors,
}

#[derive(Template)]
#[template(path = "brand.html")]
struct BrandPage {
    shell: Shell,
    name: String,
    colour: String,
    is_colour: bool,
    /// The name and the colour that files show if none is entered: the team's name, and our own colour.
    unnamed: String,
    uncoloured: Colour,
    is_included: bool,
    /// True if there is a logo; `None` where none can be set.
    logo: Option<bool>,
}

pub(super) async fn show(team: &InTeam<'_, '_>, entered: Option<Entered>) -> Result<Response, PageError> {
    let brand = team.handle().brand().await?;
    let Entered { name, colour, errors } = entered.unwrap_or_else(|| Entered {
        name: brand.name.as_ref().map(|name| name.as_str().to_owned()).unwrap_or_default(),
        colour: brand.colour.map(|colour| colour.to_string()).unwrap_or_default(),
        errors: FormErrors::default(),
    });
    let shell = team.shell(Section::Brand, &team.words().brand.title).with_errors(errors);
    let is_included = team.visit.team.plan.features.white_label;
    let logo = cfg!(feature = "logos").then(|| brand.logo.as_ref().is_some_and(Logo::is_shown));
    let (is_colour, uncoloured) = (colour.parse::<Colour>().is_ok(), Brand::default().colour);
    let unnamed = team.visit.team.name.clone();
    let template = BrandPage { shell, name, colour, is_colour, unnamed, uncoloured, is_included, logo };
    form_page(&template, &template.shell)
}

/// Shows the page with what was wrong with another form on it.
#[cfg(feature = "logos")]
pub(super) async fn with_errors(team: &InTeam<'_, '_>, errors: FormErrors) -> Result<Response, PageError> {
    let brand = team.handle().brand().await?;
    let name = brand.name.map(|name| name.as_str().to_owned()).unwrap_or_default();
    let colour = brand.colour.map(|colour| colour.to_string()).unwrap_or_default();
    show(team, Some(Entered { name, colour, errors })).await
}

/// Saves name and colour; the logo and the head of drafts stay as they are.
pub(super) async fn set(team: &InTeam<'_, '_>) -> Result<Response, PageError> {
    let (form, words) = (team.form(), team.words());
    let (name, colour) = (form.get("name"), form.get("colour"));
    let mut errors = FormErrors::default();
    let parsed_name: Option<Option<BrandName>> = match name {
        "" => Some(None),
        name => name
            .parse()
            .map_err(|_| {
                errors.add_filled("name", &words.problems.brand_name, &[("most", BrandName::MAX_LENGTH.to_string())])
            })
            .ok()
            .map(Some),
    };
    let parsed_colour: Option<Option<Colour>> = match colour {
        "" => Some(None),
        colour => colour.parse().map_err(|_| errors.add("colour", &words.problems.colour)).ok().map(Some),
    };
    let (Some(parsed_name), Some(parsed_colour)) = (parsed_name, parsed_colour) else {
        return show(team, Some(Entered { name: name.to_owned(), colour: colour.to_owned(), errors })).await;
    };
    let brand = team.handle().brand().await?.with_name(parsed_name).with_colour(parsed_colour);
    team.handle().set_brand(brand).await?;
    team.note(AuditAction::BrandChanged, "").await?;
    Ok(team.done("/brand", "brand-saved"))
}
