//! `/sites`, `/sites/{site}` and `/sites/{site}/scans`

use a11ycheck_core::{
    domain::Ability,
    id::SiteId,
    service::SitesQuery,
    view::{ScanView, SiteView, Viewer},
};
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
    let all = warp::path!("sites").and(door.clone()).then(|visit: Visit| async move {
        match visit.method {
            Method::GET | Method::HEAD => visit.answer(list).await,
            Method::POST => visit.answer(add).await,
            _ => visit.wrong_method("GET, HEAD, POST").await,
        }
    });
    let one = warp::path!("sites" / String).and(door.clone()).then(|site: String, visit: Visit| async move {
        let site = SiteId::presented(&site);
        match visit.method {
            Method::GET | Method::HEAD => visit.answer(|admitted| show(admitted, site)).await,
            Method::DELETE => visit.answer(|admitted| delete(admitted, site)).await,
            _ => visit.wrong_method("GET, HEAD, DELETE").await,
        }
    });
    let scans =
        warp::path!("sites" / String / "scans").and(door.clone()).then(|site: String, visit: Visit| async move {
            let site = SiteId::presented(&site);
            match visit.method {
                Method::GET | Method::HEAD => visit.answer(|admitted| list_scans(admitted, site)).await,
                Method::POST => visit.answer(|admitted| start_scan(admitted, site)).await,
                _ => visit.wrong_method("GET, HEAD, POST").await,
            }
        });
    all.or(one).unify().or(scans).unify().boxed()
}

async fn list(Admitted { service, actor, query, at, .. }: Admitted) -> Result<Response, Refusal> {
    let wanted = SitesQuery { tag: query.get("tag"), page: query.page() };
    let page = service.sites(&actor, &wanted).await?;
    let is_served = actor.team().is_served(at);
    reply::list(&page, &service.links().sites(), &query, |site| SiteView::new(site, is_served))
}

async fn add(mut admitted: Admitted) -> Result<Response, Refusal> {
    // Who may not add sites is told so before the body is read.
    admitted.actor.require(Ability::Write)?;
    let body = admitted.json().await?;
    let Admitted { service, actor, at, .. } = admitted;
    let site = service.add_site(&actor, body).await?;
    Ok(reply::data(StatusCode::CREATED, SiteView::new(&site, actor.team().is_served(at))))
}

async fn show(Admitted { service, actor, at, .. }: Admitted, site: SiteId) -> Result<Response, Refusal> {
    let site = service.site(&actor, site).await?;
    Ok(reply::data(StatusCode::OK, SiteView::new(&site, actor.team().is_served(at))))
}

async fn delete(Admitted { service, actor, .. }: Admitted, site: SiteId) -> Result<Response, Refusal> {
    service.delete_site(&actor, site).await?;
    Ok(reply::no_content())
}

async fn list_scans(Admitted { service, actor, query, at, .. }: Admitted, site: SiteId) -> Result<Response, Refusal> {
    let page = service.scans(&actor, site, &query.page()).await?;
    let viewer = Viewer { team: actor.team(), at, links: service.links() };
    reply::list(&page, &service.links().site_scans(site), &query, |scan| ScanView::new(scan, &viewer))
}

async fn start_scan(Admitted { service, actor, at, .. }: Admitted, site: SiteId) -> Result<Response, Refusal> {
    let scan = service.start_scan(&actor, site).await?;
    let viewer = Viewer { team: actor.team(), at, links: service.links() };
    Ok(reply::data(StatusCode::ACCEPTED, ScanView::new(&scan, &viewer)))
}
