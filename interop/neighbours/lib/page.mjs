// Pages of front ends, built for a test file and served by it.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { serveFolder } from "../../browser/lib/servers.mjs";

/**
 * Builds a page with the esbuild of its folder, and serves it until the test file is over; returns its origin. options are more of esbuild's.
 */
export async function servePage({ build }, entry, options) {
  const folder = mkdtempSync(join(tmpdir(), "agui-page-"));
  after(() => rmSync(folder, { recursive: true }));
  await build({
    entryPoints: [entry],
    outfile: join(folder, "page.js"),
    bundle: true,
    format: "esm",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
    loader: Object.fromEntries([".woff", ".woff2", ".ttf", ".svg", ".png"].map((ending) => [ending, "dataurl"])),
    logLevel: "error",
    ...options,
  });
  writeFileSync(join(folder, "index.html"), '<!doctype html><title>Page</title><link rel="icon" href="data:,"><div id="root"></div><script type="module" src="page.js"></script>');
  return serveFolder(folder);
}
