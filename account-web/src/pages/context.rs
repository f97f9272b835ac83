//! What every page needs: the request, the language, and who is signed in.

use a11ycheck_core::{
    Error,
    domain::{AuditAction, PasswordHash, PlainSecret},
    id::PersonId,
    locale::Locale,
    paging::PageRequest,
    service::{Actor, OfTeam, TeamHandle, Visit},
    store::SignedIn,
};
use askama::Template;
use http::{Method, StatusCode};

use super::{error::PageError, notices};
use crate::{
    cookies,
    failed_sign_ins::Origin,
    known_browser, locale,
    parts::Parts,
    request::{Fields, Request},
    response::Response,
    routes::page_above,
    shell::{Counts, Section, Shell},
    words::Words,
};

/// A request on its way to a page.
#[derive(Debug)]
pub(super) struct Context<'a> {
    pub(super) parts: &'a Parts,
    pub(super) request: &'a Request,
    pub(super) secret: Option<PlainSecret>,
    pub(super) locale: Locale,
    pub(super) signed_in: Option<SignedIn>,
}

impl<'a> Context<'a> {
    pub(super) fn new(parts: &'a Parts, request: &'a Request, secret: Option<PlainSecret>) -> Self {
        let locale = locale::locale(request, &parts.places, None);
        Self { parts, request, secret, locale, signed_in: None }
    }

    /// Looks up who is signed in.
    pub(super) async fn recognise(&mut self) -> Result<(), Error> {
        let Some(secret) = &self.secret else { return Ok(()) };
        let found = self.parts.people.signed_in(secret).await?;
        self.signed_in = found.filter(|found| self.is_of_request(found));
        let own = self.signed_in.as_ref().map(|signed_in| signed_in.person.locale);
        self.locale = locale::locale(self.request, &self.parts.places, own);
        Ok(())
    }

    /// Returns whether a session is of who makes the request, where a proxy says who that is: the browser may have another person's, who
    /// has signed out at the proxy alone.
    pub(super) fn is_of_request(&self, signed_in: &SignedIn) -> bool {
        self.request.proven.as_ref().is_none_or(|email| *email == signed_in.person.email)
    }

    pub(super) fn words(&self) -> &'static Words {
        Words::of(self.locale)
    }

    pub(super) const fn form(&self) -> &'a Fields {
        &self.request.form
    }

    /// Returns who is signed in, on pages that nobody else sees.
    ///
    /// # Errors
    /// Returns [`PageError::NotFound`] if nobody is.
    pub(super) fn signed_in(&self) -> Result<&SignedIn, PageError> {
        self.signed_in.as_ref().ok_or(PageError::NotFound)
    }

    /// Returns the person for the audit log.
    pub(super) fn actor(&self) -> Result<Actor, PageError> {
        Ok(Actor::person(&self.signed_in()?.person, self.request.address))
    }

    /// Returns from where somebody tries to sign in as a person with this password.
    pub(super) fn origin(&self, person: Option<(PersonId, &PasswordHash)>) -> Origin {
        let known = person.and_then(|(id, password)| {
            let marks = cookies::marks(self.request, &self.parts.places);
            known_browser::recognised(marks, id, password, self.parts.service.now())
        });
        known.map_or(Origin::Unknown(self.request.address), Origin::Known)
    }

    /// Makes the browser known as one in which a person with this password has signed in.
    pub(super) fn remembered(&self, response: Response, person: PersonId, password: &PasswordHash) -> Response {
        let (places, now) = (&self.parts.places, self.parts.service.now());
        let marks = cookies::marks(self.request, places);
        let replaced = known_browser::recognised(marks, person, password, now);
        let marks = known_browser::with(marks, &known_browser::mark(person, password, now), replaced);
        cookies::with_marks(response, &marks, places)
    }

    pub(super) fn shell(&self, section: Section, title: &str) -> Shell {
        let mut shell = Shell::new(self.locale, &self.parts.places, self.here()).titled(section, title);
        shell.person = self.signed_in.as_ref().map(|signed_in| signed_in.person.clone());
        shell.notice = notices::text(self.request.query.get("done"), self.words());
        shell
    }

    /// Returns the path below the root at which this page can be read again, with its query: of the answer to a form, that of the page
    /// on which the form stands, with its key if it is behind a link.
    fn here(&self) -> String {
        let below = self.request.path.strip_prefix(self.parts.places.served_root()).unwrap_or_default();
        let (path, query) = if self.request.method == Method::POST {
            let mut query = url::form_urlencoded::Serializer::new(String::new());
            if self.form().has("key") {
                query.append_pair("key", self.form().get("key"));
            }
            (page_above(below), query.finish())
        } else {
            (below, self.request.query.without("done"))
        };
        if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
    }

    /// Returns a redirect to a page below the root.
    pub(super) fn to(&self, below: &str) -> Response {
        Response::see_other(&self.parts.places.path(below))
    }

    /// Returns the page of a list that is asked for.
    pub(super) fn page(&self, per_page: u32) -> PageRequest {
        PageRequest::new(self.request.query.get("page").parse().unwrap_or(1), per_page)
    }
}

/// A member on the way to a page of a team.
#[derive(Debug)]
pub(super) struct InTeam<'c, 'a> {
    pub(super) context: &'c Context<'a>,
    pub(super) visit: Visit,
    /// The number of the team's sites whose latest check failed, for the navigation.
    pub(super) failing: u64,
    /// The number of the person's assignments that are not done, for the navigation.
    pub(super) unfinished: u64,
}

impl InTeam<'_, '_> {
    pub(super) const fn handle(&self) -> &TeamHandle {
        &self.visit.handle
    }

    /// Returns the use-cases of people in the team.
    pub(super) fn people(&self) -> Result<OfTeam, PageError> {
        Ok(self.context.parts.people.of_team(&self.visit.handle, self.context.actor()?))
    }

    /// Returns the person as what is made names its maker, for who reads it later.
    pub(super) fn maker(&self) -> Result<String, PageError> {
        let person = &self.context.signed_in()?.person;
        Ok(if person.name.is_empty() { person.email.to_string() } else { person.name.clone() })
    }

    /// Notes in the audit log what was just done. It has been done, whatever becomes of the note: a failure is logged.
    pub(super) async fn note(&self, action: AuditAction, subject: &str) -> Result<(), PageError> {
        if let Err(error) = self.people()?.record(action, subject).await {
            let (team, error) = (self.visit.team.id, &error as &dyn std::error::Error);
            tracing::error!(%team, error, action = action.as_str(), subject, "Something that was done could not be noted in the audit log");
        }
        Ok(())
    }

    pub(super) fn words(&self) -> &'static Words {
        self.context.words()
    }

    pub(super) const fn form(&self) -> &Fields {
        self.context.form()
    }

    pub(super) fn shell(&self, section: Section, title: &str) -> Shell {
        self.context.shell(section, title).in_team(
            &self.visit.team,
            self.visit.role,
            Counts { failing: self.failing, unfinished: self.unfinished },
        )
    }

    /// Returns a redirect to a page of the team.
    pub(super) fn to(&self, below: &str) -> Response {
        self.context.to(&format!("/teams/{}{below}", self.visit.team.id))
    }

    /// Returns a redirect that says what was done, to the element of a page with this id, if that needs no escape.
    pub(super) fn done_at(&self, below: &str, done: &str, id: &str) -> Response {
        let is_plain = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        self.to(&format!("{below}?done={done}{}{}", if is_plain { "#" } else { "" }, if is_plain { id } else { "" }))
    }

    /// Returns a redirect that says what was done.
    pub(super) fn done(&self, below: &str, done: &str) -> Response {
        self.to(&format!("{below}?done={done}"))
    }
}

/// Returns a page.
pub(super) fn page(template: &impl Template) -> Result<Response, PageError> {
    Ok(Response::page(StatusCode::OK, template.render()?))
}

/// Returns a page with a form that was not accepted.
pub(super) fn form_page(template: &impl Template, shell: &Shell) -> Result<Response, PageError> {
    let status = if shell.errors.is_empty() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    Ok(Response::page(status, template.render()?))
}
