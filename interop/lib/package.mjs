// The client package, as it would be published.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

const client = fileURLToPath(new URL("../../clients/js", import.meta.url));
const name = "@agui-gateway/client";

/**
 * Builds and packs the client: {dir, files, size, exports, sources}. dir has the unpacked package, until the test file is over; files are
 * its files, exports the paths of its exports, sources the files of clients/js/src.
 */
export function packClient() {
  const work = mkdtempSync(join(tmpdir(), "agui-package-"));
  after(() => rmSync(work, { recursive: true }));
  const npm = (...args) => execFileSync("npm", args, { cwd: client, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  npm("run", "--silent", "build");
  const [{ files, size }] = JSON.parse(npm("pack", "--dry-run", "--json", "--ignore-scripts"));
  const dir = join(work, "package");
  for (const { path } of files) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    cpSync(join(client, path), join(dir, path));
  }
  const sources = readdirSync(join(client, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(client, join(entry.parentPath, entry.name)));
  const { exports } = JSON.parse(readFileSync(join(client, "package.json"), "utf8"));
  const paths = Object.values(exports).flatMap((to) => (typeof to === "string" ? [to] : Object.values(to)));
  return { dir, files: files.map(({ path }) => path).toSorted(), size, exports: paths.map((path) => path.slice(2)), sources };
}

/** Puts the packed client into node_modules of a folder, with the packages that it depends on. */
export function installClient({ dir }, folder) {
  const modules = join(folder, "node_modules");
  cpSync(dir, join(modules, name), { recursive: true });
  const { dependencies } = JSON.parse(readFileSync(join(dir, "package.json"), "utf8"));
  for (const dependency of Object.keys(dependencies)) {
    mkdirSync(dirname(join(modules, dependency)), { recursive: true });
    symlinkSync(join(client, "node_modules", dependency), join(modules, dependency));
  }
}
