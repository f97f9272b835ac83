//! Successful responses: contract §1 and §1.9.

use a11ycheck_api_v1::{
    headers::{content_disposition, disclaimer},
    view::{Answer, ListView, PagedList},
};
use a11ycheck_core::{
    paging::Page,
    scanner::{Screenshot, ScreenshotFormat},
    service::MadeFile,
    webhook::HeaderPrefix,
};
use serde::Serialize;
use url::Url;
use warp::{
    Reply as _,
    http::{HeaderName, HeaderValue, StatusCode, header},
    reply::Response,
};

use crate::{error::Refusal, request::Query};

/// Returns a JSON body with this status. JSON of our own types can't fail to be written; if it ever does, that is a
/// server error.
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

/// Returns `{"data": …}`.
pub(crate) fn data(status: StatusCode, data: impl Serialize) -> Response {
    json(status, &Answer { data })
}

/// Returns a page of the list at `path`, with links that keep the query's other parameters.
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

/// Returns 204, without a body.
pub(crate) fn no_content() -> Response {
    let mut response = Response::default();
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}

/// Returns a picture. It never changes, but it is the team's own.
pub(crate) fn picture(shot: Screenshot) -> Response {
    let media_type = match shot.format {
        ScreenshotFormat::Png => "image/png",
        ScreenshotFormat::WebP => "image/webp",
    };
    let mut response = Response::new(shot.bytes.into());
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=3600, immutable"));
    response
}

/// Returns a file to be saved, sent while it is made: contract §9.4 and the rows of the exports.
pub(crate) async fn file(file: MadeFile, prefix: &HeaderPrefix) -> Result<Response, Refusal> {
    let file = file.measured().await.map_err(Refusal::File)?;
    let (scan, media_type, disposition) =
        (file.scan().to_string(), file.media_type(), content_disposition(file.file_name()));
    let length = file.length();
    // A body that fails ends the connection, so that no client takes half a file for a whole one. It is begun when it
    // is first polled, which never happens for HEAD.
    let mut response = warp::reply::stream(file.into_stream()).into_response();
    let headers = response.headers_mut();
    headers.extend(length.map(|length| (header::CONTENT_LENGTH, HeaderValue::from(length))));
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // The values were made to fit a header, and a prefix is made of letters, digits and hyphens.
    for (name, value) in [
        (prefix.header("Scan"), scan),
        (prefix.header("Disclaimer"), disclaimer().to_owned()),
        (header::CONTENT_DISPOSITION.to_string(), disposition),
    ] {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            headers.insert(name, value);
        }
    }
    Ok(response)
}
