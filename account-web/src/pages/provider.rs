//! Signing in at the provider.

use super::{
    arrival::{self, Arrival},
    context::Context,
    error::PageError,
    sign_in,
};
use crate::{
    cookies,
    oidc::{AuthRequest, Oidc, OidcError},
    response::Response,
};

/// The path below the root to which the provider leads back.
const BACK: &str = "/sign-in/provider/answer";

fn provider<'a>(context: &Context<'a>) -> Result<&'a Oidc, PageError> {
    context.parts.provider.get().ok_or(PageError::NotFound)
}

/// Leads to the provider.
pub(super) async fn begin(context: &Context<'_>) -> Result<Response, PageError> {
    let (provider, places) = (provider(context)?, &context.parts.places);
    let next = context.request.query.get("next");
    match provider.begin(&places.absolute(BACK), next, context.parts.service.now()).await {
        Ok((address, auth_request)) => {
            let response = Response::see_other(&address);
            Ok(cookies::with_auth_request(response, &auth_request.written(), places))
        }
        Err(error) => failed(context, &error).await,
    }
}

/// Takes the provider's answer. It counts for the browser that has asked for it, once.
pub(super) async fn answer(context: &Context<'_>) -> Result<Response, PageError> {
    let (provider, places) = (provider(context)?, &context.parts.places);
    let query = &context.request.query;
    let auth_request = AuthRequest::read(cookies::auth_request(context.request, places))
        .filter(|auth_request| auth_request.is_answered_by(query.get("state")) && provider.is_from(query.get("iss")));
    let words = &context.words().provider;
    let answered = match auth_request {
        None => sign_in::refused(context, &words.over).await?,
        Some(_) if query.get("code").is_empty() => sign_in::refused(context, &words.cancelled).await?,
        Some(auth_request) => {
            let (back, now) = (places.absolute(BACK), context.parts.service.now());
            match provider.identity(&auth_request, query.get("code"), &back, now).await {
                Ok(identity) => {
                    let arrival = Arrival { email: identity.email, name: identity.name, groups: identity.groups };
                    match arrival::let_in(context, arrival, &auth_request.next).await? {
                        Some(response) => response,
                        None => sign_in::refused(context, &words.no_account).await?,
                    }
                }
                Err(error) => failed(context, &error).await?,
            }
        }
    };
    Ok(cookies::without_auth_request(answered, places))
}

async fn failed(context: &Context<'_>, error: &OidcError) -> Result<Response, PageError> {
    let words = &context.words().provider;
    tracing::warn!(error = error as &dyn std::error::Error, "Nobody was signed in by the provider");
    let text = match error {
        OidcError::Unavailable { .. } => &words.unavailable,
        OidcError::Refused(_) => &words.refused,
    };
    sign_in::refused(context, text).await
}
