//! Switching notices off from a mailbox, without a sign-in: by the link in a notice, with one click where the program for mail has such a
//! button (RFC 8058).

use a11ycheck_core::{Error, domain::PlainSecret};
use askama::Template;

use super::{
    context::{Context, page},
    error::PageError,
};
use crate::{
    response::Response,
    shell::{Section, Shell},
};

#[derive(Template)]
#[template(path = "no-notices.html")]
struct NoNoticesPage {
    shell: Shell,
    key: String,
}

#[derive(Template)]
#[template(path = "message.html")]
struct Message<'a> {
    shell: Shell,
    text: &'a str,
}

/// Asks whether notices are to be switched off, and changes nothing: what looks for viruses follows links, too.
pub(super) fn show(context: &Context<'_>) -> Result<Response, PageError> {
    let mut shell = context.shell(Section::Outside, &context.words().no_notices.title);
    let key = context.request.key().reveal().to_owned();
    let here = url::form_urlencoded::Serializer::new(String::new()).append_pair("key", &key).finish();
    shell.here = format!("/no-notices?{here}");
    page(&NoNoticesPage { shell, key })
}

/// Switches them off. A program for mail sends what stood in the head of the mail, whose address has the secret, and is no page of the
/// interface: the secret alone says who it is that asks.
pub(super) async fn switch_off(context: &Context<'_>) -> Result<Response, PageError> {
    let words = &context.words().no_notices;
    let key = match context.form().get("key") {
        "" => PlainSecret::presented(context.request.query.get("key")),
        key => PlainSecret::presented(key),
    };
    let (title, text) = match context.parts.people.switch_notices_off(&key).await {
        Ok(()) => (&words.done_title, &words.done_text),
        Err(Error::NotFound) => (&words.gone_title, &words.gone_text),
        Err(error) => return Err(error.into()),
    };
    let mut shell = context.shell(Section::Outside, title);
    "/sign-in".clone_into(&mut shell.here);
    page(&Message { shell, text })
}
