//! One file per resource; a handler is a path, one use-case and a reply.

mod account;
mod files;
mod scans;
mod sites;

use a11ycheck_core::Service;
use warp::{Filter, filters::BoxedFilter, reply::Response};

use crate::{
    RoutesConfig, openapi,
    visit::{Visit, door},
};

/// Every path of the API, below `/v1`, as a warp filter that never rejects: to be served by [`serve`](crate::serve()), or
/// to be joined to the filters of a host application (as the last one, since it answers unknown paths with 404).
pub fn routes(service: &Service, config: RoutesConfig) -> BoxedFilter<(Response,)> {
    let door = door(service, config);
    let api = account::routes(&door).or(sites::routes(&door)).unify();
    let api = api.or(scans::routes(&door)).unify().or(files::routes(&door)).unify();
    let api = api.or(openapi::routes(&door, service)).unify();
    let nowhere = door.then(Visit::no_path);
    warp::path("v1").and(api).or(nowhere).unify().boxed()
}
