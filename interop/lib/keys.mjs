// A file of API keys, as an operator keeps it.

import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";

/**
 * Writes a file with a key for each name, kept until the test file is over. roles are those of some, by name. Returns
 * {args, keys, write(names)}: args are the gateway's flags for the file, keys the keys by name; write leaves in the file the keys of
 * these names only.
 */
export function keysFile(names, { roles = {} } = {}) {
  const dir = mkdtempSync(join(tmpdir(), "agui-keys-"));
  after(() => rmSync(dir, { recursive: true }));
  const path = join(dir, "keys");
  const keys = Object.fromEntries(names.map((name) => [name, `${name}-${randomBytes(16).toString("hex")}`]));
  const line = (name) => [name, createHash("sha256").update(keys[name]).digest("hex"), ...(roles[name] ? [roles[name].join()] : [])].join(":");
  const write = (left) => {
    // What is half written is nobody's to read.
    writeFileSync(`${path}.new`, `# name:sha256 of the key:roles\n${left.map(line).join("\n")}\n`, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  };
  write(names);
  return { args: ["-auth", "keys", "-keys-file", path], keys, write };
}
