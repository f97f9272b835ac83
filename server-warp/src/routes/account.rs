//! `/account`

use a11ycheck_api_v1::view::AccountView;
use warp::{http::StatusCode, reply::Response};

use crate::{error::Refusal, reply, request::Admitted};

pub(super) async fn show(Admitted { team, .. }: Admitted) -> Result<Response, Refusal> {
    let account = team.account().await?;
    Ok(reply::data(StatusCode::OK, AccountView::new(&account.team, account.status, &account.usage)))
}
