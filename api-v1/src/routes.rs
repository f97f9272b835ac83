//! The paths of the API, in one table. From it a frontend makes its routes, the header `Allow` and the labels of its metrics, and the
//! published document its paths.

use std::fmt;

use a11ycheck_core::{
    domain::{Ability, RequestClass},
    id::{ScanId, SiteId},
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::samples;

/// # The operations of the API
///
/// Add a site (`POST /sites`), wait for its check (`GET /scans/{scan}`, or the event `scan.completed`), then read the report or
/// download its issues.
///
/// Every result is an automated check: not a full audit, and not legal advice.
///
/// - Requests and answers are JSON in UTF-8, except files. Timestamps are ISO 8601 in UTC, always with six digits after the point and
///   a `Z`. Ids are opaque.
/// - A later release may add fields to answers, and words to those that a field is known to have.
/// - All data is scoped to the team of the token; what belongs to another team is not found.
/// - Refusals come in this order: 401, 429, 403 of team and plan, 403 of the ability, 404, 422 or 403 of a tool that the plan lacks,
///   409.
/// - A path that is not listed answers 404, and a method that is not listed for its path 405 with `Allow`. `HEAD` is answered like
///   `GET`, without the body. All are counted like any other request.
/// - Within a minute a token has 60 requests, 20 of them for files (PDF, exports, ACR); a plan may set other numbers. Requests without
///   a valid token are counted by address.
/// - The major version is the last segment of the base address. Only status codes and fields are contractual; the wording of `message`
///   may change.
// The published document has these comments, those of the variants with their headings, and the names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub enum Operation {
    /// # The account
    /// The team of the token, its plan with its limits, and how much of it is used.
    ShowAccount,
    /// # The sites
    /// The team's sites, alphabetically by domain.
    ListSites,
    /// # Adds a site
    /// Adds a site, and queues its first check unless `scan` is false. The same address may be added twice.
    AddSite,
    /// # A site
    /// One site.
    ShowSite,
    /// # Deletes a site
    /// Deletes a site with all its checks, reports and screenshots. This can't be undone.
    DeleteSite,
    /// # The checks of a site
    /// Newest first, within the plan's history; the latest completed check stays available even when it is older.
    ListScans,
    /// # Starts a check
    /// Queues a manual check of the site. A body is not read. A check that fails through a fault of the service
    /// (`worker_lost`, `browser_crashed`, `engine_error`, `proxy`) does not count for the interval between two manual
    /// checks, once per interval.
    StartScan,
    /// # The issues of a site as a file
    /// A file made of the site's latest completed check. `csv` is UTF-8 with BOM and has one row per element, `github` and `jira`
    /// have one issue per rule. `pdf` is in every plan with the API, the other formats need a plan with exports. The first PDF of a
    /// language takes up to a minute: clients should wait 120 seconds.
    ExportSite,
    /// # A check
    /// One check: ask for it until its status is `completed` or `failed`, or wait for the event `scan.completed`.
    ShowScan,
    /// # The report of a check
    /// The findings of the check, by rule, in one language. An automated check is no full audit and no legal advice.
    ShowReport,
    /// # The report of a check as a PDF
    /// The same file as the export with `format=pdf`; `detail=full` gives its long form, a file of its own. The first PDF of a language takes up to a minute: clients should
    /// wait 120 seconds.
    DownloadPdf,
    /// # The issues of a check as a file
    /// GitHub and Jira files list problems (WCAG A and AA) only, one issue per rule; CSV (UTF-8 with BOM, one row per element) and
    /// JSON add the recommendations. `pdf` is in every plan with the API; the other formats need a plan with exports, or an express
    /// report that was bought for the check.
    ExportScan,
    /// # The draft of a conformance report
    /// An automated draft that a person has to complete: no criterion is called supported by automation alone. The
    /// first request for the PDF in a language prepares it, which takes up to a minute; later ones get the stored file.
    /// Needs a plan with `acr_drafts`.
    #[schemars(rename = "draftAcr")]
    DraftConformanceReport,
    /// # The picture of an element
    /// The screenshot that `shot` of a report's example names.
    ShowIssueEvidence,
    /// # The picture of a page
    /// The screenshot that `picture.url` of a report's page names. `number` counts the pages of the report from 1.
    #[schemars(rename = "showPagePicture")]
    ShowPageEvidence,
    /// # The picture of the first page
    /// The screenshot that `screen.url` of a report names.
    #[schemars(rename = "showScreen")]
    ShowScreenEvidence,
    /// # This document
    /// The description of this API in OpenAPI 3.1, with this service's own address.
    #[schemars(rename = "showDocument")]
    DescribeApi,
}

/// The groups of operations in the published document.
#[derive(Clone, Copy, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Group {
    /// The team behind the token.
    Account,
    /// The web sites of the team.
    Sites,
    /// Checks and their reports.
    Scans,
    /// PDF, issue exports and conformance drafts: 20 a minute.
    Files,
    /// Screenshots.
    Evidence,
    /// About this API.
    Meta,
    /// The events that the service sends to the team's webhook endpoints.
    Events,
}

/// The parameters of paths, by their names in braces.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "parameters of paths are read by their places")]
pub(crate) struct PathParameters {
    /// The check's id.
    #[schemars(example = samples::SCAN)]
    scan: ScanId,
    /// The site's id.
    #[schemars(example = samples::SITE)]
    site: SiteId,
    /// The example's number in the report.
    #[schemars(range(min = 1), example = 1)]
    id: u64,
    /// The page's number in the report's list of pages.
    #[schemars(range(min = 1), example = 2)]
    number: u64,
}

/// A method of HTTP that the API knows. `HEAD` is answered as `GET` is, without the body, and stands in no row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are those of RFC 9110")]
pub enum Method {
    Get,
    Post,
    Delete,
}

/// Who is let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anyone. A request without a valid token is counted by its address.
    Anyone,
    /// Who has a token with this ability. The request counts in this class.
    Token(RequestClass, Ability),
}

/// One row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// What is asked for.
    pub operation: Operation,
    /// The method.
    pub method: Method,
    /// The path below the base address. A name in braces is a parameter: one segment, which is not empty.
    pub path: &'static str,
    /// Who is let in.
    pub access: Access,
}

const READ: Access = Access::Token(RequestClass::General, Ability::Read);
const WRITE: Access = Access::Token(RequestClass::General, Ability::Write);
const FILE: Access = Access::Token(RequestClass::File, Ability::Read);

const fn row(method: Method, path: &'static str, access: Access, operation: Operation) -> Route {
    Route { operation, method, path, access }
}

/// All rows. Those of one path follow each other, in the order in which `Allow` names their methods.
pub const ROUTES: &[Route] = &[
    row(Method::Get, "/account", READ, Operation::ShowAccount),
    row(Method::Get, "/sites", READ, Operation::ListSites),
    row(Method::Post, "/sites", WRITE, Operation::AddSite),
    row(Method::Get, "/sites/{site}", READ, Operation::ShowSite),
    row(Method::Delete, "/sites/{site}", WRITE, Operation::DeleteSite),
    row(Method::Get, "/sites/{site}/scans", READ, Operation::ListScans),
    row(Method::Post, "/sites/{site}/scans", WRITE, Operation::StartScan),
    row(Method::Get, "/sites/{site}/export", FILE, Operation::ExportSite),
    row(Method::Get, "/scans/{scan}", READ, Operation::ShowScan),
    row(Method::Get, "/scans/{scan}/report", READ, Operation::ShowReport),
    row(Method::Get, "/scans/{scan}/pdf", FILE, Operation::DownloadPdf),
    row(Method::Get, "/scans/{scan}/export", FILE, Operation::ExportScan),
    row(Method::Get, "/scans/{scan}/acr", FILE, Operation::DraftConformanceReport),
    row(Method::Get, "/scans/{scan}/evidence/issue/{id}", READ, Operation::ShowIssueEvidence),
    row(Method::Get, "/scans/{scan}/evidence/page/{number}", READ, Operation::ShowPageEvidence),
    row(Method::Get, "/scans/{scan}/evidence/screen", READ, Operation::ShowScreenEvidence),
    row(Method::Get, "/openapi.json", Access::Anyone, Operation::DescribeApi),
];

/// A path of the table that a request has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found<'a> {
    routes: &'static [Route],
    parameters: [&'a str; 2],
}

/// Finds a path below the base address, as it stands in the request line. One slash at its end does not matter.
pub fn find(path: &str) -> Option<Found<'_>> {
    let path = path.strip_prefix('/')?;
    let path = path.strip_suffix('/').unwrap_or(path);
    let first = ROUTES.iter().position(|route| parameters(route.path, path).is_some())?;
    let template = ROUTES[first].path;
    let length = ROUTES[first..].iter().take_while(|route| route.path == template).count();
    Some(Found { routes: &ROUTES[first..first + length], parameters: parameters(template, path)? })
}

/// The parameters of a path that fits the template; those that the template does not have are empty.
fn parameters<'a>(template: &str, path: &'a str) -> Option<[&'a str; 2]> {
    let (mut found, mut count) = ([""; 2], 0);
    let mut segments = path.split('/');
    for part in template.split('/').skip(1) {
        let segment = segments.next()?;
        if part.starts_with('{') {
            if segment.is_empty() {
                return None;
            }
            *found.get_mut(count)? = segment;
            count += 1;
        } else if part != segment {
            return None;
        }
    }
    segments.next().is_none().then_some(found)
}

impl<'a> Found<'a> {
    /// Returns the path as the table has it, with the names of its parameters: a label for metrics.
    pub const fn template(&self) -> &'static str {
        self.routes[0].path
    }

    /// Returns the row for a method by its name; `HEAD` has that of `GET`.
    pub fn route(&self, method: &str) -> Option<&'static Route> {
        let method = if method == "HEAD" { "GET" } else { method };
        self.routes.iter().find(|route| route.method.as_str() == method)
    }

    /// Returns the value of `Allow`, and what a refusal says of it: the methods of the path, `HEAD` after `GET`.
    pub fn allowed(&self) -> String {
        let names = self.routes.iter().map(|route| match route.method {
            Method::Get => "GET, HEAD",
            other => other.as_str(),
        });
        names.collect::<Vec<_>>().join(", ")
    }

    /// Returns the path's first parameter as it was sent; empty where it has none.
    pub const fn first(&self) -> &'a str {
        self.parameters[0]
    }

    /// Returns the path's second parameter as it was sent; empty where it has none.
    pub const fn second(&self) -> &'a str {
        self.parameters[1]
    }
}

impl Method {
    /// Returns the name of the method.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Delete => "DELETE",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn found(path: &str) -> Option<(&'static str, &str, &str)> {
        find(path).map(|found| (found.template(), found.first(), found.second()))
    }

    #[test]
    fn a_path_is_found_with_its_parameters_and_nothing_else_is() {
        assert_eq!(found("/account"), Some(("/account", "", "")));
        assert_eq!(found("/account/"), Some(("/account", "", "")));
        assert_eq!(found("/sites/site_1/scans"), Some(("/sites/{site}/scans", "site_1", "")));
        assert_eq!(found("/scans/a/evidence/issue/7"), Some(("/scans/{scan}/evidence/issue/{id}", "a", "7")));
        assert_eq!(found("/scans/a/evidence/page/2"), Some(("/scans/{scan}/evidence/page/{number}", "a", "2")));
        assert_eq!(found("/scans/a/evidence/screen"), Some(("/scans/{scan}/evidence/screen", "a", "")));
        for nowhere in [
            "",
            "/",
            "//",
            "account",
            "/account//",
            "//account",
            "/sites//",
            "/sites//scans",
            "/sites/a/b",
            "/scans",
            "/Sites",
        ] {
            assert_eq!(found(nowhere), None, "{nowhere}");
        }
    }

    #[test]
    fn the_methods_of_a_path_are_those_of_its_rows_and_head() {
        fn of(path: &str) -> Found<'_> {
            find(path).unwrap()
        }
        assert_eq!(of("/sites").allowed(), "GET, HEAD, POST");
        assert_eq!(of("/sites/a").allowed(), "GET, HEAD, DELETE");
        assert_eq!(of("/sites").route("HEAD").unwrap().operation, Operation::ListSites);
        assert_eq!(of("/sites").route("POST").unwrap().operation, Operation::AddSite);
        assert_eq!(of("/sites").route("PUT"), None);
    }

    #[test]
    fn rows_of_one_path_follow_each_other_and_no_row_stands_twice() {
        let mut seen = HashSet::new();
        for (index, route) in ROUTES.iter().enumerate() {
            assert!(seen.insert((route.method, route.path)), "{route:?}");
            let path = route.path.replace(['{', '}'], "");
            let found = find(&path).unwrap();
            assert_eq!(found.route(route.method.as_str()), Some(&ROUTES[index]));
        }
    }
}
