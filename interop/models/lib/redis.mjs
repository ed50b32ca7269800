// A Redis of a test file's own.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { reservePorts } from "../../lib/ports.mjs";
import { startProgram } from "./program.mjs";

/** Starts a Redis with nothing in it until the test file is over: {url}. */
export async function startRedis() {
  const dir = mkdtempSync(join(tmpdir(), "agui-redis-"));
  after(() => rmSync(dir, { recursive: true }));
  const [port] = await reservePorts(1);
  await startProgram("redis-server", ["--bind", "127.0.0.1", "--port", String(port), "--dir", dir, "--save", ""], {
    ready: /Ready to accept connections/,
  });
  return { url: `redis://127.0.0.1:${port}` };
}
