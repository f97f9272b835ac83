//! Successful answers: contract, "Conventions" and "List envelope".

use a11ycheck_core::{
    page::Page,
    view::{ListView, PagedList},
};
use serde::Serialize;
use url::Url;
use warp::{
    Reply as _,
    http::{HeaderValue, StatusCode, header},
    reply::Response,
};

use crate::{error::Refusal, visit::Query};

/// A JSON body with this status. JSON of our own types can't fail to be written; if it ever does, that is a server error.
pub(crate) fn json(status: StatusCode, body: &impl Serialize) -> Response {
    match serde_json::to_vec(body) {
        Ok(bytes) => {
            let mut response = Response::new(bytes.into());
            *response.status_mut() = status;
            response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
            response
        }
        Err(error) => {
            tracing::error!(error = &error as &dyn std::error::Error, "Could not write an answer as JSON");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

/// `{"data": …}`
pub(crate) fn data(status: StatusCode, data: impl Serialize) -> Response {
    #[derive(Serialize)]
    struct Data<T> {
        data: T,
    }
    json(status, &Data { data })
}

/// A page of the list at `path`, with links that keep the query's other parameters.
pub(crate) fn list<'a, I, T: Serialize>(
    page: &'a Page<I>,
    path: &str,
    query: &Query,
    item: impl Fn(&'a I) -> T,
) -> Result<Response, Refusal> {
    let path = Url::parse(path).map_err(Refusal::BaseUrl)?;
    let list = PagedList::new(path, query.pairs());
    Ok(json(StatusCode::OK, &ListView::new(page, &list, item)))
}

/// 204, without a body.
pub(crate) fn no_content() -> Response {
    let mut response = Response::default();
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}
