// Pages of front ends, built for a test file and served by it.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after } from "node:test";
import { serveFolder } from "../../browser/lib/servers.mjs";

const fonts = Object.fromEntries([".woff", ".woff2", ".ttf"].map((ending) => [ending, "dataurl"]));

/** Builds a page with its folder's esbuild and the packages of a folder, its own by default, and serves it until the test file is over; returns its origin. */
export async function servePage({ build }, page, packages = dirname(page)) {
  const folder = mkdtempSync(join(tmpdir(), "agui-page-"));
  after(() => rmSync(folder, { recursive: true }));
  await build({
    stdin: { contents: readFileSync(page, "utf8"), resolveDir: packages, sourcefile: page, loader: "jsx" },
    outfile: join(folder, "page.js"),
    bundle: true,
    format: "esm",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
    loader: fonts,
    logLevel: "error",
  });
  writeFileSync(join(folder, "index.html"), '<!doctype html><title>Page</title><link rel="icon" href="data:,"><div id="root"></div><script type="module" src="page.js"></script>');
  return serveFolder(folder);
}
