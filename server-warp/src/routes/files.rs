//! Exports, conformance reports and pictures: what is a file and not an answer.

use a11ycheck_core::{
    id::{ScanId, SiteId},
    service::{AcrRequest, ExportRequest, ExportTarget},
};
use warp::{Filter, filters::BoxedFilter, http::Method, reply::Response};

use crate::{
    error::Refusal,
    reply,
    visit::{Admitted, Visit},
};

pub(super) fn routes(door: &BoxedFilter<(Visit,)>) -> BoxedFilter<(Response,)> {
    let of_site = warp::path!("sites" / String / "export").and(door.clone());
    let of_site = of_site.then(|site: String, visit: Visit| async move {
        let target = ExportTarget::LatestOf(SiteId::presented(&site));
        match visit.method {
            Method::GET | Method::HEAD => visit.answer_file(|admitted| export(admitted, target)).await,
            _ => visit.wrong_method("GET, HEAD").await,
        }
    });
    let of_scan = warp::path!("scans" / String / "export").and(door.clone());
    let of_scan = of_scan.then(|scan: String, visit: Visit| async move {
        let target = ExportTarget::Scan(ScanId::presented(&scan));
        match visit.method {
            Method::GET | Method::HEAD => visit.answer_file(|admitted| export(admitted, target)).await,
            _ => visit.wrong_method("GET, HEAD").await,
        }
    });
    let pdf = warp::path!("scans" / String / "pdf").and(door.clone()).then(|scan: String, visit: Visit| async move {
        let target = ExportTarget::Scan(ScanId::presented(&scan));
        match visit.method {
            Method::GET | Method::HEAD => visit.answer_file(|admitted| report(admitted, target)).await,
            _ => visit.wrong_method("GET, HEAD").await,
        }
    });
    let acr = warp::path!("scans" / String / "acr").and(door.clone()).then(|scan: String, visit: Visit| async move {
        let scan = ScanId::presented(&scan);
        match visit.method {
            Method::GET | Method::HEAD => visit.answer_file(|admitted| conformance(admitted, scan)).await,
            _ => visit.wrong_method("GET, HEAD").await,
        }
    });
    let issue = warp::path!("scans" / String / "evidence" / "issue" / String).and(door.clone());
    let issue = issue.then(|scan: String, id: String, visit: Visit| async move {
        let scan = ScanId::presented(&scan);
        match visit.method {
            Method::GET | Method::HEAD => visit.answer(|admitted| evidence(admitted, scan, id)).await,
            _ => visit.wrong_method("GET, HEAD").await,
        }
    });
    let screen = warp::path!("scans" / String / "evidence" / "screen").and(door.clone());
    let screen = screen.then(|scan: String, visit: Visit| async move {
        let scan = ScanId::presented(&scan);
        match visit.method {
            Method::GET | Method::HEAD => visit.answer(|admitted| first_page(admitted, scan)).await,
            _ => visit.wrong_method("GET, HEAD").await,
        }
    });
    of_site.or(of_scan).unify().or(pdf).unify().or(acr).unify().or(issue).unify().or(screen).unify().boxed()
}

async fn export(Admitted { service, actor, query, .. }: Admitted, target: ExportTarget) -> Result<Response, Refusal> {
    let request = ExportRequest { target, format: query.get("format"), lang: query.get("lang") };
    reply::file(service.export_scan(&actor, &request).await?, service.header_prefix()).await
}

async fn report(Admitted { service, actor, query, .. }: Admitted, target: ExportTarget) -> Result<Response, Refusal> {
    let request = ExportRequest { target, format: Some("pdf".to_owned()), lang: query.get("lang") };
    reply::file(service.export_scan(&actor, &request).await?, service.header_prefix()).await
}

async fn conformance(Admitted { service, actor, query, .. }: Admitted, scan: ScanId) -> Result<Response, Refusal> {
    let request = AcrRequest { scan, format: query.get("format"), lang: query.get("lang") };
    reply::file(service.acr(&actor, &request).await?, service.header_prefix()).await
}

async fn evidence(Admitted { service, actor, .. }: Admitted, scan: ScanId, id: String) -> Result<Response, Refusal> {
    // What is no number is no example: 0 is never one.
    let shot = service.evidence(&actor, scan, id.parse().unwrap_or(0)).await?;
    Ok(reply::picture(shot))
}

async fn first_page(Admitted { service, actor, .. }: Admitted, scan: ScanId) -> Result<Response, Refusal> {
    Ok(reply::picture(service.screen(&actor, scan).await?))
}
