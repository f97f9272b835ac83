//! Pages that build themselves after they have loaded, from data that they request.

use a11ycheck_core::domain::Findings;

use super::{Reply, page, pages};

/// A script for the content of a page when it is done: two faults.
pub(crate) const DONE: &str = "state.outerHTML = '<img src=data:,><button></button>'";

/// Returns a page that says "Loading" until `script`, which may wait, has run; `when` begins it.
pub(crate) fn builds(when: &str, script: &str) -> Reply {
    let script = format!("const build = async () => {{ {script} }}; {when}");
    Reply::Html(page("Builds", &format!("<p id=state>Loading</p><script>{script}</script>")))
}

/// Returns the response at `/data/{millis}`, which takes that long.
pub(crate) fn data(path: &str) -> Option<Reply> {
    let millis = path.strip_prefix("/data/")?.split('?').next()?.parse().ok()?;
    Some(Reply::data_after(millis))
}

/// Returns a page that links to these paths.
pub(crate) fn links(paths: impl IntoIterator<Item = impl AsRef<str>>) -> Reply {
    let links: String = paths.into_iter().map(|path| format!("<p><a href={0}>{0}</a>", path.as_ref())).collect();
    Reply::Html(page("Home", &links))
}

/// Returns the number of the page with this path.
pub(crate) fn number(findings: &Findings, path: &str) -> usize {
    let position = pages(findings).iter().position(|page| page == path);
    position.unwrap_or_else(|| panic!("{path} in {:?}", pages(findings)))
}

/// Returns `rule selector` of the findings on the page with this path.
pub(crate) fn found(findings: &Findings, path: &str) -> Vec<String> {
    let number = number(findings, path);
    let of_page = findings.items.iter().filter(|item| item.page == number);
    of_page.map(|item| format!("{} {}", item.rule, item.selector)).collect()
}
