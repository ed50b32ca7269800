// Checks the built site: each link and each image leads to a file of the site, each anchor to an element, and there is an index for
// the search.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";

const site = fileURLToPath(new URL("../../bin/site/", import.meta.url));
const files = readdirSync(site, { recursive: true });
const pages = files.filter((name) => name.endsWith(".html") && name !== "404.html");
const read = (name) => readFileSync(site + name, "utf8");
const ids = new Map(pages.map((name) => [name, new Set([...read(name).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]));

const problems = [];
let links = 0;
for (const page of pages) {
  for (const [, href] of read(page).matchAll(/ (?:href|src)="([^"]+)"/g)) {
    if (/^(https?|mailto|data):/.test(href)) continue;
    links++;
    const [path, anchor] = href.split("#");
    let target = path === "" ? page : posix.join(path.startsWith("/") ? "" : posix.dirname(page), path).replace(/^\//, "");
    if (target === "" || target.endsWith("/")) target += "index.html";
    if (!existsSync(site + target)) problems.push(`${page}: ${href} does not exist`);
    else if (anchor && !ids.get(target)?.has(decodeURIComponent(anchor))) problems.push(`${page}: ${href} has no such anchor`);
  }
}
if (pages.length < 60 || links < 1000) problems.push(`the site has ${pages.length} pages with ${links} links, want those of all documents`);
if (!files.some((name) => /localSearchIndex/.test(name))) problems.push("the site has no index for the search");
console.log(`${pages.length} pages, ${links} links`);
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exit(1);
}
