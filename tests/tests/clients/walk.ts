// Walks the whole workflow with a client of openapi-fetch over the types that openapi-typescript has generated from the served document.
//
// The address of the service and a token come as arguments. That this compiles is half of the test.

import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

declare const process: { argv: string[] };

const [address = "", token = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: address, headers: { Authorization: `Bearer ${token}` } });

function insist(holds: unknown, what: unknown): asserts holds {
  if (!holds) throw new Error(JSON.stringify(what));
}

/** Returns what an answer brought; a refusal ends the walk. */
function done<T>(answer: { data?: T; error?: unknown; response: Response }): T {
  insist(answer.data !== undefined, [answer.response.status, answer.error]);
  return answer.data;
}

const account = done(await client.GET("/account")).data;
insist(account.team.name === "Blue Team", account);

// Neither `scan` nor anything else that has a default has to be said.
const site: components["schemas"]["Site"] = done(
  await client.POST("/sites", { body: { url: "example.com", report_locale: "de" } }),
).data;
insist(site.report_locale === "de" && site.status === "active", site);

// The check that was queued with the site.
const ofSite = { params: { path: { site: site.id } } };
let scan = done(await client.GET("/sites/{site}/scans", ofSite)).data[0];
insist(scan, "no check is queued");
const path = { scan: scan.id };
for (let attempt = 0; attempt < 600 && ["queued", "running"].includes(scan.status); attempt++) {
  await new Promise((resolve) => setTimeout(resolve, 100));
  scan = done(await client.GET("/scans/{scan}", { params: { path } })).data;
}
insist(scan.status === "completed" && scan.error === null, scan);
insist(scan.links.exports?.json.endsWith("format=json"), scan.links);

const report = done(await client.GET("/scans/{scan}/report", { params: { path, query: { lang: "uk" } } })).data;
insist(report.locale === "uk" && report.total === 1 && report.totals.critical === 1, report);
const example = report.groups[0]?.examples[0];
insist(example, report);

/** Returns the first bytes of a file as Latin-1. */
function beginning(file: ArrayBuffer): string {
  return String.fromCharCode(...new Uint8Array(file.slice(0, 40)));
}

const bytes = { parseAs: "arrayBuffer" } as const;
for (const [format, begins] of [
  ["json", '{\n  "format": "a11ycheck.issues/1"'],
  ["csv", "\u00ef\u00bb\u00bfrule,"],
  ["github", "# "],
  ["jira", "Summary,"],
  ["pdf", "%PDF-"],
] as const) {
  const file = done(await client.GET("/scans/{scan}/export", { params: { path, query: { format } }, ...bytes }));
  insist(beginning(file).startsWith(begins), [format, beginning(file)]);
}
const text: string = done(
  await client.GET("/scans/{scan}/export", { params: { path, query: { format: "csv" } }, parseAs: "text" }),
);
insist(text.includes("image-alt"), text);
const pdf = done(await client.GET("/scans/{scan}/pdf", { params: { path, query: { lang: "de" } }, ...bytes }));
insist(beginning(pdf).startsWith("%PDF-"), beginning(pdf));
const draft = done(await client.GET("/scans/{scan}/acr", { params: { path, query: { format: "pdf" } }, ...bytes }));
insist(beginning(draft).startsWith("%PDF-"), beginning(draft));
const screen = done(await client.GET("/scans/{scan}/evidence/screen", { params: { path }, ...bytes }));
const shown = { params: { path: { ...path, id: example.id } }, ...bytes };
const element = done(await client.GET("/scans/{scan}/evidence/issue/{id}", shown));
for (const picture of [screen, element]) insist(beginning(picture).startsWith("\u0089PNG"), beginning(picture));

// A manual check, and a second one right away.
insist(done(await client.POST("/sites/{site}/scans", ofSite)).data.kind === "manual", "it is not a manual check");
const again = await client.POST("/sites/{site}/scans", ofSite);
insist(again.response.status === 422 && again.error && "errors" in again.error && again.error.errors["site"], again.error);

// Page by page, to the end of the list.
for (let count = 0; count < 2; count++) {
  done(await client.POST("/sites", { body: { url: "example.com", report_locale: "en", scan: false, tags: ["second"] } }));
}
let [found, page, total] = [0, 1, -1];
for (let more = true; more; page++) {
  const list = done(await client.GET("/sites", { params: { query: { per_page: 1, page, tag: "second" } } }));
  found += list.data.length;
  total = list.meta.total;
  more = list.links.next !== null;
}
insist(found === 2 && total === 2, [found, total]);

const refused = await client.POST("/sites", { body: { url: "", report_locale: "en" } });
insist(refused.response.status === 422 && refused.error && "errors" in refused.error, refused.error);
insist(refused.error.errors["url"]?.[0] === "The url field is required.", refused.error);
// An id is any text: the service says that there is no such thing.
const nothing = await client.GET("/scans/{scan}", { params: { path: { scan: "scan_x" } } });
insist(nothing.response.status === 404 && nothing.error?.message === "Not found.", nothing.error);
insist((await client.DELETE("/sites/{site}", ofSite)).response.status === 204, "the site was not deleted");
