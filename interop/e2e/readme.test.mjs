// The commands of README.md and docs/get-started.md are run unchanged, except for the port.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startGateway } from "../lib/gateway.mjs";

const run = promisify(execFile);
const interop = fileURLToPath(new URL("..", import.meta.url));
const read = (name) => readFileSync(new URL(`../../${name}`, import.meta.url), "utf8");
const gateway = await startGateway();

/** The code block after <!-- tested: name --> in a page, with the URL of a server. */
function block(name, { url } = gateway, page = "docs/get-started.md") {
  const found = new RegExp(`<!-- tested: ${name} -->\\n\`\`\`\\w*\\n([^]*?)\`\`\``).exec(read(page));
  assert.ok(found, `${page} has no block "${name}"`);
  return found[1].replaceAll("http://127.0.0.1:8080", url);
}

test("the curl command shows the events that the page lists", async () => {
  assert.equal(block("curl", gateway, "README.md"), block("curl"), "README.md has the same command");
  const { stdout } = await run("bash", ["-c", block("curl")]);
  const types = [...stdout.matchAll(/^data: \{"type":"(\w+)"/gm)].map(([, type]) => type);
  const listed = block("events").trim().split("\n").flatMap((line) => {
    const name = /^[A-Z_]+/.exec(line)[0];
    return line.startsWith("TEXT_MESSAGE_START … END") ? [name, "TEXT_MESSAGE_END"] : [name];
  });
  assert.deepEqual(types.filter((type) => type !== "TEXT_MESSAGE_CONTENT"), listed);
});

test("the curl command that answers leads to the next question", async () => {
  const { stdout } = await run("bash", ["-c", block("answer")]);
  assert.match(stdout, /"type":"RUN_FINISHED".*"outcome":\{"type":"interrupt"/);
  const thread = await (await fetch(`${gateway.url}/threads/trip-1`)).json();
  assert.equal(thread.state.itinerary.flight.airline, "KLM");
  assert.match(thread.interrupts[0].message, /hotel/i);
});

test("the Node program plans a trip", async () => {
  const program = block("node");
  assert.ok(program.trim().split("\n").filter(Boolean).length <= 14, "it is meant to stay short");
  const { stdout, stderr } = await run("node", ["--input-type=module", "--eval", program], { cwd: interop });
  assert.equal(stderr, "");
  assert.match(stdout, /KLM/);
  assert.match(stdout, /Hotel Zoe/);
  const { threads } = await (await fetch(`${gateway.url}/threads`)).json();
  assert.equal(threads.find(({ id }) => id === "trip-2").status, "idle");
});

test("the Node program ends when an answer comes to nothing, and says why", async () => {
  const failing = await startGateway({
    team: `version: 1
agents:
  travel:
    type: script
    steps:
      - ask: { key: size, message: "Which size?", options: [ { name: S }, { name: L } ] }
      - fail: { code: sold_out, message: "Nothing is left." }
`,
  });
  const { stdout } = await run("node", ["--input-type=module", "--eval", block("node", failing)], { cwd: interop, timeout: 60_000 });
  assert.match(stdout, /Which size\? → S\n/);
  assert.match(stdout, /sold_out/);
  assert.equal(stdout.match(/Which size/g).length, 1, "it is asked once");
});
