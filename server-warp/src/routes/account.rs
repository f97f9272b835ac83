//! `/account`

use a11ycheck_core::view::AccountView;
use warp::{
    Filter,
    filters::BoxedFilter,
    http::{Method, StatusCode},
    reply::Response,
};

use crate::{
    error::Refusal,
    reply,
    visit::{Admitted, Visit},
};

pub(super) fn routes(door: &BoxedFilter<(Visit,)>) -> BoxedFilter<(Response,)> {
    let account = warp::path!("account").and(door.clone()).then(|visit: Visit| async move {
        match visit.method {
            Method::GET | Method::HEAD => visit.answer(show).await,
            _ => visit.wrong_method("GET, HEAD").await,
        }
    });
    account.boxed()
}

async fn show(Admitted { service, actor, .. }: Admitted) -> Result<Response, Refusal> {
    let account = service.account(&actor).await?;
    Ok(reply::data(StatusCode::OK, AccountView::new(&account.team, account.status, &account.usage)))
}
