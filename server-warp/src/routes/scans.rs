//! `/scans/{scan}` and `/scans/{scan}/report`

use a11ycheck_api_v1::view::{ReportView, ScanView, Viewer};
use a11ycheck_core::{Error, id::ScanId};
use warp::{http::StatusCode, reply::Response};

use crate::{error::Refusal, reply, request::Admitted};

pub(super) async fn show(Admitted { links, team, at, .. }: Admitted, scan: &str) -> Result<Response, Refusal> {
    let scan = team.scan(ScanId::presented(scan)).await?;
    let viewer = Viewer { team: &*team.team().await?, at, links: &links };
    Ok(reply::data(StatusCode::OK, ScanView::new(&scan, &viewer)))
}

pub(super) async fn report(Admitted { links, team, query, .. }: Admitted, scan: &str) -> Result<Response, Refusal> {
    // A check that does not exist is refused (404) before a language that does not exist (422).
    let locale = query.file().language();
    let files = team.files_of(ScanId::presented(scan)).await?;
    let report = files.report(locale.map_err(Error::Invalid)?).await?;
    Ok(reply::data(StatusCode::OK, ReportView::new(&report, &links)))
}
