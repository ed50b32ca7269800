// What the clients say on the console: nothing, or a test fails. Import this before anything that might speak.

import assert from "node:assert/strict";
import { afterEach } from "node:test";
import { format } from "node:util";

let said = [];
for (const level of ["debug", "info", "log", "warn", "error"]) {
  console[level] = (...args) => said.push(`${level}: ${format(...args)}`);
}

/** What was said since this was last asked; asking takes it back. */
export function overheard() {
  const lines = said;
  said = [];
  return lines;
}

afterEach(() => assert.deepEqual(overheard(), [], "the clients must have nothing to complain of"));
