//! The logo of a team's brand.

use a11ycheck_core::{
    domain::{AuditAction, Logo},
    export::pdf::{LogoError, decoded_logo},
};

use super::{brand, context::InTeam, error::PageError};
use crate::{form_errors::FormErrors, response::Response};

/// Sends the logo as it is stored, for the page of the brand.
pub(super) async fn show(team: &InTeam<'_, '_>) -> Result<Response, PageError> {
    let logo = team.handle().brand().await?.logo.filter(Logo::is_shown).ok_or(PageError::NotFound)?;
    Ok(Response::logo(&logo))
}

/// Replaces the logo by a file, or takes it away; name, colour and the head of drafts stay as they are.
pub(super) async fn set(team: &InTeam<'_, '_>) -> Result<Response, PageError> {
    let words = &team.words().brand;
    let brand = team.handle().brand().await?;
    let logo = if team.form().has("remove") {
        None
    } else {
        let file = team.context.request.file("file").map(|file| file.to_vec()).unwrap_or_default();
        // Decoding takes a while for a large picture.
        let decoded = tokio::task::spawn_blocking(move || decoded_logo(file)).await;
        let problem = match decoded {
            Ok(Ok(logo)) => Ok(logo),
            Ok(Err(LogoError::TooManyBytes)) => Err(&words.logo_bytes),
            Ok(Err(LogoError::TooManyPixels)) => Err(&words.logo_pixels),
            Ok(Err(LogoError::UnknownFormat)) => Err(&words.logo_format),
            Ok(Err(_)) | Err(_) => Err(&words.logo_damaged),
        };
        match problem {
            Ok(logo) => Some(logo),
            Err(text) => {
                let mut errors = FormErrors::default();
                let numbers =
                    [("kilobytes", (Logo::MAX_BYTES / 1_024).to_string()), ("pixels", Logo::MAX_EDGE.to_string())];
                errors.add_filled("file", text, &numbers);
                return brand::with_errors(team, errors).await;
            }
        }
    };
    team.handle().set_brand(brand.with_logo(logo)).await?;
    team.note(AuditAction::BrandChanged, "").await?;
    Ok(team.done("/brand", "brand-saved"))
}
