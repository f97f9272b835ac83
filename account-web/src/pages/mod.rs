//! From a request to a page: who asks, whether that is permitted, and which page it is.

mod arrival;
mod audit;
mod brand;
#[cfg(feature = "logos")]
mod brand_logo;
mod bulk;
mod check;
mod context;
mod criteria;
mod decided;
mod deliveries;
mod elements;
mod endpoints;
mod error;
mod first;
mod forgotten;
mod home;
mod join;
mod judge;
mod list;
mod members;
mod no_notices;
mod notices;
mod operator;
mod profile;
#[cfg(feature = "oidc")]
mod provider;
mod roll_up;
mod second_factor;
mod second_step;
mod share;
mod sign_in;
mod site;
mod site_fields;
mod site_form;
mod site_list;
mod sites;
mod tokens;
mod usage;
mod work;

use a11ycheck_core::{Error, id::TeamId};
use http::Method;

use self::{
    context::{Context, InTeam},
    error::PageError,
};
use crate::{
    cookies, forged, locale,
    parts::Parts,
    request::Request,
    response::Response,
    routes::{Access, Found, Page, Verb, find},
};

/// Answers a request.
pub(crate) async fn answer(parts: &Parts, request: Request) -> Response {
    let path = request.path.strip_prefix(parts.places.served_root()).unwrap_or(&request.path).to_owned();
    let secret = cookies::session(&request, &parts.places);
    let mut context = Context::new(parts, &request, secret);
    let answered = route(&mut context, &path).await;
    answered.unwrap_or_else(|error| error.into_response(&context))
}

async fn route(context: &mut Context<'_>, path: &str) -> Result<Response, PageError> {
    let verb = match context.request.method {
        Method::GET | Method::HEAD => Verb::Get,
        Method::POST => Verb::Post,
        _ => return Err(PageError::NotFound),
    };
    // Before anything is read or counted in a person's name.
    let found = find(verb, path);
    let is_one_click = found.as_ref().is_some_and(|found| found.route.is_one_click());
    if verb == Verb::Post && !is_one_click && !forged::is_own(context.request, &context.parts.places) {
        return Err(PageError::Forged);
    }
    let found = found.ok_or(PageError::NotFound)?;
    match found.route.access {
        Access::Anyone => {
            context.recognise().await?;
            outside(context, &found).await
        }
        Access::SignedIn | Access::Operator => {
            context.recognise().await?;
            let Some(signed_in) = &context.signed_in else { return Ok(to_sign_in(context, path)) };
            if found.route.access == Access::Operator && !signed_in.person.kind.operates() {
                return Err(PageError::NotFound);
            }
            inside(context, &found).await
        }
        Access::Viewer | Access::Member | Access::Owner => {
            let Some(secret) = context.secret.clone() else { return Ok(to_sign_in(context, path)) };
            let visit = match context.parts.people.team_of(&secret, TeamId::presented(found.first())).await {
                Ok(visit) => visit,
                Err(error) => {
                    context.recognise().await?;
                    if matches!(error, Error::SecondFactorDemanded) && context.signed_in.is_some() {
                        return Ok(second_factor::demanded(context, found.first()));
                    }
                    let is_signed_in = context.signed_in.is_some();
                    return if is_signed_in { Err(error.into()) } else { Ok(to_sign_in(context, path)) };
                }
            };
            if !context.is_of_request(&visit.signed_in) {
                return Ok(to_sign_in(context, path));
            }
            context.signed_in = Some(visit.signed_in.clone());
            context.locale =
                locale::locale(context.request, &context.parts.places, Some(visit.signed_in.person.locale));
            let may = match found.route.access {
                Access::Member => visit.role.writes(),
                Access::Owner => visit.role.manages(),
                _ => true,
            };
            if !may {
                return Err(PageError::Core(Error::MayNotManage));
            }
            let (failing, unfinished) = if has_navigation(found.route.page) {
                let person = visit.signed_in.person.id;
                (visit.handle.failing_sites().await?, visit.handle.unfinished_assignments(person).await?)
            } else {
                (0, 0)
            };
            of_team(&InTeam { context, visit, failing, unfinished }, &found).await
        }
    }
}

/// Returns whether what a route of a team leads to may be a page, and not always a file.
const fn has_navigation(page: Page) -> bool {
    !matches!(
        page,
        Page::Team | Page::ExportSites | Page::CheckProgress | Page::CheckPicture | Page::CheckFile | Page::BrandLogo
    )
}

/// Returns a redirect to the sign-in, after which the page is shown that was asked for.
fn to_sign_in(context: &Context<'_>, path: &str) -> Response {
    let places = &context.parts.places;
    let is_page = context.request.method != Method::POST;
    let next = url::form_urlencoded::Serializer::new(String::new()).append_pair("next", path).finish();
    Response::see_other(&places.path(&if is_page { format!("/sign-in?{next}") } else { "/sign-in".to_owned() }))
}

async fn outside(context: &Context<'_>, found: &Found<'_>) -> Result<Response, PageError> {
    match found.route.page {
        Page::Home => home::home(context).await,
        Page::Asset => crate::markup::asset(found.first()).ok_or(PageError::NotFound),
        Page::SetLanguage => Ok(home::set_language(context)),
        Page::SignIn => sign_in::show(context).await,
        Page::DoSignIn => sign_in::sign_in(context).await,
        Page::SecondStep => Ok(second_step::show(context)),
        Page::DoSecondStep => second_step::prove(context).await,
        #[cfg(feature = "oidc")]
        Page::Provider => provider::begin(context).await,
        #[cfg(feature = "oidc")]
        Page::ProviderAnswer => provider::answer(context).await,
        Page::First => first::show(context).await,
        Page::DoFirst => first::create(context).await,
        Page::Join => join::show(context).await,
        Page::DoJoin => join::join(context).await,
        Page::Forgotten => forgotten::show(context).await,
        Page::DoForgotten => forgotten::request(context).await,
        Page::NewPassword => forgotten::new_password(context).await,
        Page::DoNewPassword => forgotten::set_password(context).await,
        Page::NoNotices => no_notices::show(context),
        Page::SwitchNoticesOff => no_notices::switch_off(context).await,
        Page::Shared => share::shared(context).await,
        _ => Err(PageError::NotFound),
    }
}

async fn inside(context: &Context<'_>, found: &Found<'_>) -> Result<Response, PageError> {
    match found.route.page {
        Page::DoSignOut => sign_in::sign_out(context).await,
        Page::Teams => home::teams(context).await,
        Page::Profile => profile::show(context, profile::Entered::default()).await,
        Page::SetPassword => profile::set_password(context).await,
        Page::SetNotices => profile::set_notices(context).await,
        Page::SecondFactor => second_factor::show(context).await,
        Page::EnableSecondFactor => second_factor::enable(context).await,
        Page::ReplaceRecoveryCodes => second_factor::replace_codes(context).await,
        Page::DisableSecondFactor => second_factor::disable(context).await,
        Page::EndSession => profile::end_session(context, found.first()).await,
        Page::EndSessions => profile::end_sessions(context).await,
        Page::Operator => operator::show(context, operator::Entered::default()).await,
        Page::CreateTeam => operator::create_team(context).await,
        Page::OperatedTeam => operator::team(context, found.first(), Default::default()).await,
        Page::ChangePlan => operator::change_plan(context, found.first()).await,
        Page::BlockTeam => operator::block(context, found.first()).await,
        Page::UnblockTeam => operator::unblock(context, found.first()).await,
        Page::People => operator::people(context).await,
        Page::OperatorAudit => audit::of_installation(context).await,
        _ => Err(PageError::NotFound),
    }
}

async fn of_team(team: &InTeam<'_, '_>, found: &Found<'_>) -> Result<Response, PageError> {
    let id = found.second();
    match found.route.page {
        Page::Team => Ok(team.to("/sites")),
        Page::Sites => sites::list(team).await,
        Page::AddSite => site_form::add_form(team).await,
        Page::DoAddSite => site_form::add(team).await,
        Page::RollUp => roll_up::show(team).await,
        Page::ExportSites => site_list::export(team).await,
        Page::ImportSites => site_list::form(team).await,
        Page::DoImportSites => site_list::import(team).await,
        Page::SiteFields => site_fields::list(team).await,
        Page::AddSiteField => site_fields::add(team).await,
        Page::SiteField => site_fields::change_form(team, id).await,
        Page::ChangeSiteField => site_fields::change(team, id).await,
        Page::DeleteSiteField => site_fields::delete_form(team, id).await,
        Page::DoDeleteSiteField => site_fields::delete(team, id).await,
        Page::Site => site::show(team, id, Default::default()).await,
        Page::EditSite => site_form::edit_form(team, id).await,
        Page::DoEditSite => site_form::edit(team, id).await,
        Page::StartCheck => site::start_check(team, id).await,
        Page::DeleteSite => site::delete_form(team, id).await,
        Page::DoDeleteSite => site::delete(team, id).await,
        Page::Check => check::show(team, id).await,
        Page::CheckProgress => check::progress(team, id).await,
        Page::CheckPicture => check::picture(team, id, found.third()).await,
        Page::CheckFile => check::file(team, id, found.third()).await,
        Page::Elements => elements::show(team, id).await,
        Page::Share => share::form(team, id).await,
        Page::DoShare => share::share(team, id).await,
        Page::RevokeShare => share::revoke(team, id, found.third()).await,
        Page::SetSharing => share::set_sharing(team, id).await,
        Page::Judge => judge::form(team, id, found.third()).await,
        Page::DoJudge => judge::judge(team, id, found.third()).await,
        Page::Bulk => bulk::form(team, id).await,
        Page::DoBulk => bulk::act(team, id).await,
        Page::UndoBulk => bulk::undo(team, id, found.third()).await,
        Page::Assign => work::form(team, id, found.third()).await,
        Page::DoAssign => work::assign(team, id, found.third()).await,
        Page::Work => work::list(team).await,
        Page::Assignment => work::edit(team, id).await,
        Page::ChangeAssignment => work::change(team, id).await,
        Page::RemoveAssignment => work::remove(team, id).await,
        Page::Judgements => judge::list(team, id).await,
        Page::UndoJudgement => judge::undo(team, id, found.third()).await,
        Page::DropStaleJudgements => judge::drop_stale(team, id).await,
        Page::Criteria => criteria::list(team, id).await,
        Page::AssessCriteria => criteria::form(team, id, found.third()).await,
        Page::DoAssessCriteria => criteria::assess(team, id, found.third()).await,
        Page::Usage => usage::show(team).await,
        Page::Members => members::show(team, members::Entered::default(), None).await,
        Page::Invite => members::invite(team).await,
        Page::SetTwoSteps => members::set_two_steps(team).await,
        Page::ChangeRole => members::change_role(team, id).await,
        Page::RemoveMember => members::remove(team, id).await,
        Page::WithdrawInvitation => members::withdraw(team, id).await,
        Page::Tokens => tokens::show(team, tokens::Entered::default()).await,
        Page::CreateToken => tokens::create(team).await,
        Page::DeleteToken => tokens::delete(team, id).await,
        Page::Endpoints => endpoints::list(team, endpoints::Entered::default()).await,
        Page::CreateEndpoint => endpoints::create(team).await,
        Page::Endpoint => endpoints::show(team, id, Default::default()).await,
        Page::ChangeEndpoint => endpoints::change(team, id).await,
        Page::RotateSecret => endpoints::rotate(team, id).await,
        Page::PingEndpoint => endpoints::ping(team, id).await,
        Page::EnableEndpoint => endpoints::enable(team, id).await,
        Page::DisableEndpoint => endpoints::disable(team, id).await,
        Page::DeleteEndpoint => endpoints::delete(team, id).await,
        Page::ResendFailed => endpoints::resend_failed(team, id).await,
        Page::Deliveries => deliveries::log(team).await,
        Page::Delivery => deliveries::show(team, id).await,
        Page::Resend => deliveries::resend(team, id).await,
        Page::Brand => brand::show(team, None).await,
        Page::SetBrand => brand::set(team).await,
        #[cfg(feature = "logos")]
        Page::BrandLogo => brand_logo::show(team).await,
        #[cfg(feature = "logos")]
        Page::SetBrandLogo => brand_logo::set(team).await,
        Page::Audit => audit::of_team(team).await,
        _ => Err(PageError::NotFound),
    }
}
