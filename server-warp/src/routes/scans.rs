//! `/scans/{scan}` and `/scans/{scan}/report`

use a11ycheck_core::{
    id::ScanId,
    service::ReportRequest,
    view::{ScanView, Viewer},
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
    let one = warp::path!("scans" / String).and(door.clone()).then(|scan: String, visit: Visit| async move {
        let scan = ScanId::presented(&scan);
        match visit.method {
            Method::GET | Method::HEAD => visit.answer(|admitted| show(admitted, scan)).await,
            _ => visit.wrong_method("GET, HEAD").await,
        }
    });
    let report =
        warp::path!("scans" / String / "report").and(door.clone()).then(|scan: String, visit: Visit| async move {
            let scan = ScanId::presented(&scan);
            match visit.method {
                Method::GET | Method::HEAD => visit.answer(|admitted| report(admitted, scan)).await,
                _ => visit.wrong_method("GET, HEAD").await,
            }
        });
    one.or(report).unify().boxed()
}

async fn show(Admitted { service, actor, at, .. }: Admitted, scan: ScanId) -> Result<Response, Refusal> {
    let scan = service.scan(&actor, scan).await?;
    let viewer = Viewer { team: actor.team(), at, links: service.links() };
    Ok(reply::data(StatusCode::OK, ScanView::new(&scan, &viewer)))
}

async fn report(Admitted { service, actor, query, .. }: Admitted, scan: ScanId) -> Result<Response, Refusal> {
    let report = service.report(&actor, &ReportRequest { scan, lang: query.get("lang") }).await?;
    Ok(reply::data(StatusCode::OK, report))
}
