//! From a path to a response: the table of `a11ycheck-api-v1` says which operation is requested and who is admitted,
//! and each operation is one function in the file of its resource.

mod account;
mod files;
mod scans;
mod sites;

use std::sync::Arc;

use a11ycheck_api_v1::{
    Links, openapi,
    routes::{Access, Found, Operation, find},
};
use a11ycheck_core::Service;
use bytes::Bytes;
use warp::{
    Filter,
    filters::BoxedFilter,
    http::{HeaderValue, header},
    path::Peek,
    reply::Response,
};

use crate::{
    RoutesConfig,
    error::Refusal,
    request::{Admitted, ApiRequest, requests},
};

/// Returns every path of the API, below `/v1`, as a warp filter that never rejects: to be served by
/// [`serve`](crate::serve()), or to be joined to the filters of a host application (as the last one, since it responds
/// to unknown paths with 404).
pub fn routes(service: &Service, config: RoutesConfig) -> BoxedFilter<(Response,)> {
    let links = Arc::new(Links::new(service.base_url()));
    let document = Document(openapi::published(&links, service.header_prefix()).into());
    let requests = requests(service, links, config);
    let api =
        warp::path("v1").and(warp::path::peek()).and(requests.clone()).then(move |path: Peek, request: ApiRequest| {
            let document = document.clone();
            async move { answer(&format!("/{}", path.as_str()), request, &document).await }
        });
    let nowhere = requests.then(ApiRequest::no_path);
    api.or(nowhere).unify().boxed()
}

/// The description of the API, ready to be sent.
#[derive(Clone)]
struct Document(Bytes);

impl Document {
    fn answer(&self) -> Response {
        let mut response = Response::new(self.0.clone().into());
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response
    }
}

async fn answer(path: &str, request: ApiRequest, document: &Document) -> Response {
    let Some(found) = find(path) else { return request.no_path().await };
    let Some(route) = found.route(request.method.as_str()) else { return request.wrong_method(found.allowed()).await };
    match route.access {
        // The description of the API is all that anyone may read.
        Access::Anyone => request.answer_anyone(document.answer()).await,
        Access::Token(class, ability) => {
            let answer = async |admitted: Admitted| {
                admitted.team.require(ability)?;
                carry_out(route.operation, admitted, found, document).await
            };
            request.answer(class, answer).await
        }
    }
}

/// Carries out an operation. A new one is a row of the table, and an arm here.
async fn carry_out(
    operation: Operation,
    admitted: Admitted,
    found: Found<'_>,
    document: &Document,
) -> Result<Response, Refusal> {
    let (first, second) = (found.first(), found.second());
    match operation {
        Operation::ShowAccount => account::show(admitted).await,
        Operation::ListSites => sites::list(admitted).await,
        Operation::AddSite => sites::add(admitted).await,
        Operation::ShowSite => sites::show(admitted, first).await,
        Operation::DeleteSite => sites::delete(admitted, first).await,
        Operation::ListScans => sites::list_scans(admitted, first).await,
        Operation::StartScan => sites::start_scan(admitted, first).await,
        Operation::ExportSite => files::export_site(admitted, first).await,
        Operation::ShowScan => scans::show(admitted, first).await,
        Operation::ShowReport => scans::report(admitted, first).await,
        Operation::DownloadPdf => files::pdf(admitted, first).await,
        Operation::ExportScan => files::export_scan(admitted, first).await,
        Operation::DraftConformanceReport => files::conformance(admitted, first).await,
        Operation::ShowIssueEvidence => files::issue_evidence(admitted, first, second).await,
        Operation::ShowPageEvidence => files::page_evidence(admitted, first, second).await,
        Operation::ShowScreenEvidence => files::screen_evidence(admitted, first).await,
        Operation::DescribeApi => Ok(document.answer()),
    }
}
