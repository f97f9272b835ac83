//! What the document says of each operation beside what the route table and the comments on [`Operation`] say.

use a11ycheck_core::{
    export::{Artifact, acr::AcrFormat},
    service::{SitesQuery, TeamHandle},
};
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value, json};

use super::parts::{answer, parameters, shared, words};
use crate::{
    DraftQuery, FileQuery, PageQuery, SiteFilter,
    file_query::{acr_format, export_format},
    refusals::Refusal as No,
    routes::{Group, Operation, ROUTES},
    samples::Samples,
    site_body::NewSite,
    view::{AccountView, Answer, Document, ListView, ReportView, ScanView, SiteView},
};

const JSON: &str = "application/json";

type Account = Answer<AccountView<'static>>;
type Site = Answer<SiteView<'static>>;
type Sites = ListView<SiteView<'static>>;
type Scan = Answer<ScanView<'static>>;
type Scans = ListView<ScanView<'static>>;
type Report = Answer<ReportView<'static>>;

/// The description of an operation: what it takes and answers with.
pub(super) struct Description(pub(super) Value);

/// Describes an operation. A new one is described here or does not compile.
pub(super) fn describe(operation: Operation, generator: &mut SchemaGenerator, samples: &Samples) -> Description {
    let to = &mut Writer { generator, samples };
    match operation {
        Operation::ShowAccount => {
            to.json::<Account>(Group::Account, 200, "The account.", &[("account", samples.account())])
        }
        Operation::ListSites => to
            .json::<Sites>(Group::Sites, 200, "A page of sites.", &[("sites", samples.sites())])
            .with_query([to.query::<SiteFilter>(), to.pages(SitesQuery::PER_PAGE)].concat())
            .refused(&[No::InvalidPage]),
        Operation::AddSite => to
            .json::<Site>(Group::Sites, 201, "The site.", &[("site", samples.site())])
            .with_body(to.content::<NewSite>(&samples.new_sites()))
            .linked(201, links("site", "/data/id"))
            .refused(&[No::BodyTimeout, No::BodyTooLarge, No::NotJsonBody, No::InvalidSite]),
        Operation::ShowSite => to.json::<Site>(Group::Sites, 200, "The site.", &[("site", samples.site())]),
        Operation::DeleteSite => Description::new(Group::Sites, 204, answer("The site is gone.", &[], Value::Null)),
        Operation::ListScans => to
            .json::<Scans>(Group::Scans, 200, "A page of checks.", &[("scans", samples.scans())])
            .with_query(to.pages(TeamHandle::PER_PAGE))
            .linked(200, links("scan", "/data/0/id"))
            .refused(&[No::InvalidPage]),
        Operation::StartScan => to
            .json::<Scan>(Group::Scans, 202, "The queued check.", &[("queued", samples.queued())])
            .linked(202, links("scan", "/data/id"))
            .refused(&[No::ScanRefused]),
        Operation::ExportSite => to
            .files("A file with the issues of a check, or its report as a PDF or a web page.", export_format)
            .refused(&[No::ForbiddenExport, No::NothingToExport, No::InvalidFile, No::PdfUnavailable]),
        Operation::ShowScan => to.json::<Scan>(Group::Scans, 200, "The check.", &samples.checks()),
        Operation::ShowReport => to
            .json::<Report>(Group::Scans, 200, "The report.", &[("report", samples.report())])
            .with_query(to.language())
            .refused(&[No::NotCompleted, No::InvalidLang]),
        Operation::DownloadPdf => to
            .files("The report as a PDF.", |file| (file == Artifact::ReportPdf).then_some("pdf"))
            .with_query(to.file_query(&["lang", "detail"]))
            .refused(&[No::NotCompleted, No::InvalidPdf, No::PdfUnavailable]),
        Operation::ExportScan => to
            .files("A file with the issues of a check, or its report as a PDF or a web page.", export_format)
            .refused(&[No::ForbiddenExport, No::NotCompleted, No::InvalidFile, No::PdfUnavailable]),
        Operation::DraftConformanceReport => to
            .files("The draft of a conformance report, which a person has to complete.", acr_format)
            .without_query("detail")
            .and_query(to.query::<DraftQuery>())
            .refused(&[No::ForbiddenAcr, No::NotCompleted, No::InvalidFile, No::PdfUnavailable]),
        Operation::ShowIssueEvidence | Operation::ShowPageEvidence | Operation::ShowScreenEvidence => {
            let picture = json!({"schema": {"type": "string", "format": "binary"}});
            let content = json!({"image/png": picture, "image/webp": picture});
            Description::new(Group::Evidence, 200, answer("The picture.", &["Content-Length"], content))
        }
        Operation::DescribeApi => to.json::<Document>(Group::Meta, 200, "The document.", &[]),
    }
}

impl Description {
    fn new(group: Group, status: u16, answer: Value) -> Self {
        Self(json!({"tags": [group], "responses": {status.to_string(): answer}}))
    }

    fn with_query(mut self, query: Vec<Value>) -> Self {
        self.0["parameters"] = query.into();
        self
    }

    fn without_query(mut self, name: &str) -> Self {
        if let Some(parameters) = self.0["parameters"].as_array_mut() {
            parameters.retain(|parameter| parameter["name"] != name);
        }
        self
    }

    fn and_query(mut self, query: Vec<Value>) -> Self {
        if let Some(parameters) = self.0["parameters"].as_array_mut() {
            parameters.extend(query);
        }
        self
    }

    fn with_body(mut self, content: Value) -> Self {
        self.0["requestBody"] = json!({"required": true, "description": "At most 64 KiB.", "content": {JSON: content}});
        self
    }

    fn linked(mut self, status: u16, links: Value) -> Self {
        self.0["responses"][status.to_string()]["links"] = links;
        self
    }

    /// Adds refusals to those that all operations with this access have.
    fn refused(mut self, refusals: &[No]) -> Self {
        for refusal in refusals {
            self.0["responses"][refusal.status().to_string()] = shared("responses", refusal.name());
        }
        self
    }
}

/// Returns links to the operations on the thing whose id is at this place of an answer: those whose path has no parameter but it.
fn links(parameter: &str, place: &str) -> Value {
    let is_on_it = |path: &str| path.contains(&format!("{{{parameter}}}")) && path.matches('{').count() == 1;
    let (mut links, words) = (json!({}), words::<Operation>());
    for route in ROUTES.iter().filter(|route| is_on_it(route.path)) {
        let (words, source) = (&words[route.operation as usize], format!("$response.body#{place}"));
        links[words["const"].as_str().unwrap_or_default()] =
            json!({"operationId": words["const"], "description": words["title"], "parameters": {parameter: source}});
    }
    links
}

struct Writer<'a> {
    generator: &'a mut SchemaGenerator,
    samples: &'a Samples,
}

impl Writer<'_> {
    fn content<T: JsonSchema>(&mut self, examples: &[(&str, Value)]) -> Value {
        let mut content = json!({"schema": self.generator.subschema_for::<T>()});
        for (name, example) in examples {
            content["examples"][name] = json!({"value": example});
        }
        content
    }

    fn json<T: JsonSchema>(&mut self, group: Group, status: u16, text: &str, all: &[(&str, Value)]) -> Description {
        Description::new(group, status, answer(text, &[], json!({JSON: self.content::<T>(all)})))
    }

    /// Describes the answer of an operation with one of the files that have a word there, as a download.
    fn files(&mut self, text: &str, word: fn(Artifact) -> Option<&'static str>) -> Description {
        let mut content = json!({});
        let words: Vec<_> = Artifact::all().filter_map(word).collect();
        for artifact in Artifact::all().filter(|artifact| word(*artifact).is_some()) {
            let body = &mut content[artifact.media_type().split(';').next().unwrap_or_default()];
            body["schema"] = match artifact {
                Artifact::ReportPdf | Artifact::FullReportPdf | Artifact::AcrPdf | Artifact::Acr(AcrFormat::Docx) => {
                    json!({"type": "string", "format": "binary"})
                }
                _ => artifact.schema(self.generator).map_or_else(|| json!({"type": "string"}), Value::from),
            };
            if let (Some(word), Some(sample)) = (word(artifact), self.samples.file(artifact)) {
                body["examples"][word] = json!({"summary": format!("`format={word}`"), "value": sample});
            }
        }
        let headers = ["Content-Disposition", "Content-Length", "Svc-Disclaimer", "Svc-Scan"];
        let query = self.query_with::<FileQuery>("format", "enum", json!(words));
        Description::new(Group::Files, 200, answer(text, &headers, content)).with_query(query)
    }

    /// Describes the parameters of a list that has so many items per page where no number is given.
    fn pages(&mut self, per_page: u32) -> Vec<Value> {
        self.query_with::<PageQuery>("per_page", "default", json!(per_page))
    }

    fn language(&mut self) -> Vec<Value> {
        self.file_query(&["lang"])
    }

    /// Describes those parameters of requests for files that have one of these names.
    fn file_query(&mut self, names: &[&str]) -> Vec<Value> {
        let is_named = |parameter: &Value| names.iter().any(|name| parameter["name"] == *name);
        self.query::<FileQuery>().into_iter().filter(is_named).collect()
    }

    fn query<T: JsonSchema>(&mut self) -> Vec<Value> {
        parameters::<T>("query", self.generator).into_iter().map(|(_, parameter)| parameter).collect()
    }

    /// Describes the parameters that are the fields of a type, one of which has a rule of the operation's own.
    fn query_with<T: JsonSchema>(&mut self, name: &str, rule: &str, value: Value) -> Vec<Value> {
        let mut query = self.query::<T>();
        query.iter_mut().filter(|field| field["name"] == name).for_each(|field| field["schema"][rule] = value.clone());
        query
    }
}
