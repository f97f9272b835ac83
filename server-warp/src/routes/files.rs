//! Exports, conformance reports and pictures: responses that are files.

use a11ycheck_api_v1::Wanted;
use a11ycheck_core::{
    Error,
    domain::FieldErrors,
    export::ExportFormat,
    id::{ScanId, SiteId},
    report::PictureId,
    service::ScanTarget,
};
use warp::reply::Response;

use crate::{error::Refusal, reply, request::Admitted};

pub(super) async fn export_site(admitted: Admitted, site: &str) -> Result<Response, Refusal> {
    let wanted = admitted.query.file().export();
    file(admitted, ScanTarget::LatestOf(SiteId::presented(site)), wanted).await
}

pub(super) async fn export_scan(admitted: Admitted, scan: &str) -> Result<Response, Refusal> {
    let wanted = admitted.query.file().export();
    file(admitted, ScanTarget::Scan(ScanId::presented(scan)), wanted).await
}

pub(super) async fn pdf(admitted: Admitted, scan: &str) -> Result<Response, Refusal> {
    let wanted = admitted.query.file().report_pdf();
    file(admitted, ScanTarget::Scan(ScanId::presented(scan)), wanted).await
}

pub(super) async fn conformance(admitted: Admitted, scan: &str) -> Result<Response, Refusal> {
    let (wanted, options) = (admitted.query.file().acr(), admitted.query.draft().options());
    let Admitted { service, team, .. } = admitted;
    let files = team.files_of(ScanTarget::Scan(ScanId::presented(scan))).await?;
    let (artifact, locale) = wanted.map_err(Error::Invalid)?;
    let options = options.map_err(Error::Invalid)?;
    reply::file(files.make_with(artifact, locale, options).await?, service.header_prefix()).await
}

/// Makes a file. A target that does not exist is refused (404) before invalid parameters (422).
async fn file(
    Admitted { service, team, links, .. }: Admitted,
    target: ScanTarget,
    wanted: Result<Wanted, FieldErrors>,
) -> Result<Response, Refusal> {
    let files = team.files_of(target).await?;
    let (artifact, locale) = wanted.map_err(Error::Invalid)?;
    // Of this check, even if the latest of a site was asked for: a ticket is read long after it.
    let rest = links.export(files.scan(), ExportFormat::Csv.as_str());
    let files = files.with_rest(rest);
    reply::file(files.make(artifact, locale).await?, service.header_prefix()).await
}

pub(super) async fn issue_evidence(
    Admitted { team, .. }: Admitted,
    scan: &str,
    issue: &str,
) -> Result<Response, Refusal> {
    // A text that is no number names no example: 0 is never one.
    let picture = PictureId::Example(issue.parse().unwrap_or(0));
    Ok(reply::picture(team.picture(ScanId::presented(scan), picture).await?))
}

pub(super) async fn page_evidence(
    Admitted { team, .. }: Admitted,
    scan: &str,
    number: &str,
) -> Result<Response, Refusal> {
    // As above: pages count from 1, too.
    let picture = PictureId::Page(number.parse().unwrap_or(0));
    Ok(reply::picture(team.picture(ScanId::presented(scan), picture).await?))
}

pub(super) async fn screen_evidence(Admitted { team, .. }: Admitted, scan: &str) -> Result<Response, Refusal> {
    Ok(reply::picture(team.picture(ScanId::presented(scan), PictureId::Screen).await?))
}
