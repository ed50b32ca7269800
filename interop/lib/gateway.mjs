// The real server: the binary of cmd/gateway on a port of its own, for as long as a test file needs it.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

// A test file that takes too long is ended from outside, and then runs no hooks.
const running = new Set();
process.once("SIGTERM", () => process.exit(143));
process.on("exit", () => running.forEach((server) => server.kill("SIGKILL")));

/**
 * Starts a gateway and stops it when the test file is over; a server that does not end with code 0 fails the file.
 *
 * team is the text of a team file, args are more flags, race builds a binary with the race detector, port is a port
 * of reservePorts, if the gateway is to be started again on the same one. Returns
 * {url, log(), stop(), kill()}: log is what the server has written so far; stop asks it to end, and waits until it has;
 * kill ends it as a crash does.
 */
export async function startGateway({ team, args = [], race = false, port = 0 } = {}) {
  const dir = mkdtempSync(join(tmpdir(), "agui-e2e-"));
  after(() => rmSync(dir, { recursive: true }));
  if (team !== undefined) {
    writeFileSync(join(dir, "team.yaml"), team);
    args = ["-config", join(dir, "team.yaml"), ...args];
  }
  const server = spawn(binary(dir, race), ["-addr", `127.0.0.1:${port}`, "-voice-delay", "1ms", ...args], {
    stdio: ["ignore", "ignore", "pipe"],
    // Whoever has a model of their own would pay for its part in the demo, whose words would not be the tests'.
    env: { ...process.env, OPENAI_BASE_URL: undefined, OPENAI_API_KEY: undefined, OPENAI_MODEL: undefined, GORACE: "halt_on_error=0" },
  });
  const exited = once(server, "exit");
  running.add(server);
  server.once("exit", () => running.delete(server));
  const lines = [];
  let killed = false;
  const kill = async () => {
    killed = true;
    server.kill("SIGKILL");
    await exited;
  };
  const stop = async () => {
    if (killed) return;
    server.kill("SIGTERM");
    const [code, signal] = await exited;
    assert.deepEqual({ code, signal }, { code: 0, signal: null }, lines.join("\n"));
  };
  let url;
  after(async () => {
    await Promise.allSettled((visitors.get(url) ?? []).map((leave) => leave())); // a failure is told by its own test
    await stop();
  });
  url = await new Promise((resolve, reject) => {
    createInterface({ input: server.stderr }).on("line", (line) => {
      lines.push(line);
      const found = /\blistening\b.*?\b(http:\/\/[\d.]+:\d+)/.exec(line);
      if (found) resolve(found[1]);
    });
    exited.then(([code]) => reject(new Error(`the gateway ended with code ${code}:\n${lines.join("\n")}`)), reject);
  });
  return { url, log: () => lines.join("\n"), stop, kill };
}

// Who has to leave before a gateway stops, by its URL. Hooks run in the order in which they were added, and a gateway is there before
// the page that it is asked by: a page that still asks would be refused.
const visitors = new Map();

/** Calls leave before the gateway at url stops at the end of its test. */
export function leaveBefore(url, leave) {
  const { origin } = new URL(url);
  visitors.set(origin, [...(visitors.get(origin) ?? []), leave]);
}

// CI builds the binary once; without that each file builds its own, which costs a link.
function binary(dir, race) {
  if (!race && process.env.GATEWAY_BIN) return process.env.GATEWAY_BIN;
  const path = join(dir, "gateway");
  const env = race ? { ...process.env, CGO_ENABLED: "1" } : process.env; // the race detector is C
  execFileSync("go", ["build", ...(race ? ["-race"] : []), "-o", path, "./cmd/gateway"], { cwd: root, env });
  return path;
}
