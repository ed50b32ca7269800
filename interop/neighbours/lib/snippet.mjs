// What docs/clients.md shows is run as it stands, but for the gateway's address.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const page = readFileSync(new URL("../../../docs/clients.md", import.meta.url), "utf8");

/** Runs the program behind <!-- tested: name --> in the folder of a test file, given by its URL, and returns what it writes. */
export async function runSnippet(name, { url }, testFile) {
  const found = new RegExp(`<!-- tested: ${name} -->\\n\`\`\`js\\n([^]*?)\`\`\``).exec(page);
  assert.ok(found, `docs/clients.md has no program "${name}"`);
  const program = found[1].replaceAll("http://127.0.0.1:8080", url);
  const { stdout, stderr } = await promisify(execFile)("node", ["--input-type=module", "--eval", program], {
    cwd: fileURLToPath(new URL(".", testFile)),
    timeout: 60_000,
  });
  assert.equal(stderr, "");
  return stdout;
}
