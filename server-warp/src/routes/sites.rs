//! `/sites`, `/sites/{site}` and `/sites/{site}/scans`

use a11ycheck_api_v1::{
    site_input,
    view::{ScanView, SiteView, Viewer},
};
use a11ycheck_core::{
    Error,
    id::SiteId,
    service::{SitesQuery, TeamHandle},
};
use warp::{http::StatusCode, reply::Response};

use crate::{error::Refusal, reply, request::Admitted};

pub(super) async fn list(Admitted { links, team, query, at, .. }: Admitted) -> Result<Response, Refusal> {
    let wanted = SitesQuery::page(query.page().parse(SitesQuery::PER_PAGE).map_err(Error::from)?);
    let wanted = query.filter().tag.iter().fold(wanted, |wanted, tag| wanted.with_tag(tag));
    let page = team.sites(&wanted).await?;
    let is_served = team.team().await?.is_served(at);
    reply::list(&page, &links.sites(), &query, |site| SiteView::new(site, is_served))
}

pub(super) async fn add(mut admitted: Admitted) -> Result<Response, Refusal> {
    let body = admitted.json().await?;
    let Admitted { team, at, .. } = admitted;
    let added = team.add_site(site_input(&body).map_err(Error::from)?).await?;
    Ok(reply::data(StatusCode::CREATED, SiteView::new(&added.site, team.team().await?.is_served(at))))
}

pub(super) async fn show(Admitted { team, at, .. }: Admitted, site: &str) -> Result<Response, Refusal> {
    let site = team.site(SiteId::presented(site)).await?;
    Ok(reply::data(StatusCode::OK, SiteView::new(&site, team.team().await?.is_served(at))))
}

pub(super) async fn delete(Admitted { team, .. }: Admitted, site: &str) -> Result<Response, Refusal> {
    team.delete_site(SiteId::presented(site)).await?;
    Ok(reply::no_content())
}

pub(super) async fn list_scans(
    Admitted { links, team, query, at, .. }: Admitted,
    site: &str,
) -> Result<Response, Refusal> {
    let site = SiteId::presented(site);
    let wanted = match query.page().parse(TeamHandle::PER_PAGE) {
        Ok(wanted) => wanted,
        // A site that does not exist is reported before invalid parameters.
        Err(fields) => return Err(team.site(site).await.map_or_else(|error| error, |_| fields.into()).into()),
    };
    let page = team.scans(site, wanted).await?;
    let viewer = Viewer { team: &*team.team().await?, at, links: &links };
    reply::list(&page, &links.site_scans(site), &query, |scan| ScanView::new(scan, &viewer))
}

pub(super) async fn start_scan(Admitted { links, team, at, .. }: Admitted, site: &str) -> Result<Response, Refusal> {
    let scan = team.start_scan(SiteId::presented(site)).await?;
    let viewer = Viewer { team: &*team.team().await?, at, links: &links };
    Ok(reply::data(StatusCode::ACCEPTED, ScanView::new(&scan, &viewer)))
}
