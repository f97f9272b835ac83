"""Walks the whole workflow with the client that openapi-python-client has generated from the served document.

The address of the service and a token come as arguments. Each step insists on the type that the generated client promises.
"""

import sys
import time

from a11ycheck_client import AuthenticatedClient
from a11ycheck_client.api.account import show_account
from a11ycheck_client.api.evidence import show_issue_evidence, show_screen
from a11ycheck_client.api.files import download_pdf, draft_acr, export_scan
from a11ycheck_client.api.scans import list_scans, show_report, show_scan, start_scan
from a11ycheck_client.api.sites import add_site, delete_site, list_sites, show_site
from a11ycheck_client.models import (
    AccountAnswer,
    DraftAcrFormat,
    Error,
    ExportScanFormat,
    FieldErrors,
    Language,
    NewSite,
    ReportAnswer,
    ScanAnswer,
    ScanList,
    SiteAnswer,
    SiteList,
)
from a11ycheck_client.types import File

address, token = sys.argv[1:]
client = AuthenticatedClient(base_url=address, token=token, timeout=120)


def done(response, status, kind):
    """Returns what was parsed of an answer, which has to be of this status and type."""
    assert response.status_code == status, (response.status_code, response.content)
    assert isinstance(response.parsed, kind), response.parsed
    return response.parsed


account = done(show_account.sync_detailed(client=client), 200, AccountAnswer).data
assert account.team.name == "Blue Team", account

# Neither `scan` nor anything else that has a default has to be said.
new = NewSite(url="example.com", report_locale=Language.DE)
site = done(add_site.sync_detailed(client=client, body=new), 201, SiteAnswer).data
assert site.report_locale == "de" and site.status == "active", site
assert done(show_site.sync_detailed(site.id, client=client), 200, SiteAnswer).data == site

# The check that was queued with the site.
scan = done(list_scans.sync_detailed(site.id, client=client), 200, ScanList).data[0]
for _ in range(600):
    scan = done(show_scan.sync_detailed(scan.id, client=client), 200, ScanAnswer).data
    if scan.status not in ("queued", "running"):
        break
    time.sleep(0.1)
assert scan.status == "completed" and scan.error is None, scan
assert scan.links.exports.json.endswith("format=json"), scan

report = done(show_report.sync_detailed(scan.id, client=client, lang=Language.UK), 200, ReportAnswer).data
assert report.locale == "uk" and report.total == report.totals.critical == 1, report
example = report.groups[0].examples[0]


def content(response):
    """Returns the bytes of a file."""
    return done(response, 200, File).payload.read()


beginnings = {
    ExportScanFormat.JSON: b'{\n  "format": "a11ycheck.issues/1"',
    ExportScanFormat.CSV: b"\xef\xbb\xbfrule,",
    ExportScanFormat.GITHUB: b"# ",
    ExportScanFormat.JIRA: b"Summary,",
    ExportScanFormat.PDF: b"%PDF-",
    ExportScanFormat.HTML: b"<!DOCTYPE html>",
}
assert set(beginnings) == set(ExportScanFormat)
for wanted, beginning in beginnings.items():
    file = content(export_scan.sync_detailed(scan.id, client=client, format_=wanted))
    assert file.startswith(beginning), (wanted, file[:80])
assert content(download_pdf.sync_detailed(scan.id, client=client, lang=Language.DE)).startswith(b"%PDF-")
drafts = {DraftAcrFormat.JSON: b"{", DraftAcrFormat.HTML: b"<!doctype html>", DraftAcrFormat.PDF: b"%PDF-"}
for wanted, beginning in drafts.items():
    file = content(draft_acr.sync_detailed(scan.id, client=client, format_=wanted))
    assert file.lower().startswith(beginning.lower()), (wanted, file[:80])
for picture in (
    show_screen.sync_detailed(scan.id, client=client),
    show_issue_evidence.sync_detailed(scan.id, example.id, client=client),
):
    assert content(picture).startswith(b"\x89PNG"), picture

# A manual check, and a second one right away.
assert done(start_scan.sync_detailed(site.id, client=client), 202, ScanAnswer).data.kind == "manual"
assert done(start_scan.sync_detailed(site.id, client=client), 422, FieldErrors).errors["site"]

# Page by page, to the end of the list.
for _ in range(2):
    body = NewSite(url="example.com", report_locale=Language.EN, scan=False, tags=["second"])
    done(add_site.sync_detailed(client=client, body=body), 201, SiteAnswer)
found, page = [], 1
while page:
    sites = done(list_sites.sync_detailed(client=client, per_page=1, page=page, tag="second"), 200, SiteList)
    found += sites.data
    page = page + 1 if sites.links.next_ else None
assert len(found) == sites.meta.total == 2, found

refused = done(add_site.sync_detailed(client=client, body=NewSite(url="", report_locale=Language.EN)), 422, FieldErrors)
assert refused.errors["url"] == ["The url field is required."], refused
# An id is any text: the service says that there is no such thing.
assert done(show_scan.sync_detailed("scan_x", client=client), 404, Error).message == "Not found."
assert delete_site.sync_detailed(site.id, client=client).status_code == 204
