// The two examples do what their README says: its commands start them, and a person plans a trip with the page.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { openPage } from "./lib/browser.mjs";
import { agrees, choose, say, shows } from "./lib/chat.mjs";
import { judgeFrames } from "./lib/frames.mjs";
import { ask, startExample, startGateway } from "./lib/servers.mjs";

const gateway = await startGateway();

/** The command a README's shell block ends with; what it installs before, CI has installed. */
function lastCommand(folder) {
  const readme = readFileSync(new URL(`../../examples/${folder}/README.md`, import.meta.url), "utf8");
  const [cd, install, start] = /```sh\n([^]*?)```/.exec(readme)[1].trim().split("\n");
  assert.deepEqual([cd, install], [`cd examples/${folder}`, "npm ci"]);
  return start.split(" ");
}

test("copilotkit-react plans a trip, and a reload brings the question back", async (t) => {
  const url = await startExample("copilotkit-react", lastCommand("copilotkit-react"), {
    env: { PORT: "0", VITE_RUNTIME_URL: `${gateway.url}/api/copilotkit` },
    ready: /Local: +(http:\S+)/,
  });
  const page = await openPage(t, url);
  page.allow(/Lit is in dev mode/); // `npm run dev` is a development build, of CopilotKit too
  await say(page, "Plan my trip");
  await page.getByRole("button", { name: "KLM (recommended)" }).waitFor();
  const id = new URL(page.url()).searchParams.get("thread");
  await page.reload();
  await choose(page, "KLM");
  await choose(page, "Hotel Zoe");
  await shows(page, "Flight: KLM");
  await shows(page, "Hotel: Hotel Zoe");
  const { status } = await agrees(page, gateway, id);
  assert.equal(status, "idle");
  await judgeFrames(page, { least: 3 });
});

test("copilotkit-node serves the gateway's agent on both transports", async () => {
  const url = await startExample("copilotkit-node", lastCommand("copilotkit-node"), {
    env: { PORT: "0", AGENT_URL: `${gateway.url}/agents/travel?refusals=ask`, COPILOTKIT_TELEMETRY_DISABLED: "true" },
    ready: /^runtimeUrl: (http:\S+)\/api\/copilotkit /,
  });
  const { body } = await ask(`${url}/api/copilotkit/info`);
  assert.deepEqual(Object.keys(body.agents), ["travel"]);

  const run = { threadId: randomUUID(), runId: randomUUID(), messages: [], state: {}, tools: [], context: [], forwardedProps: {} };
  run.messages.push({ id: "m1", role: "user", content: "Plan my trip" });
  const response = await fetch(`${url}/api/copilotkit-single`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ method: "agent/run", params: { agentId: "travel" }, body: run }),
  });
  assert.match(await response.text(), /"outcome":\{"type":"interrupt"/);
});

test("the READMEs name what the examples read", () => {
  const read = (path) => readFileSync(new URL(`../../examples/${path}`, import.meta.url), "utf8");
  assert.match(read("copilotkit-react/README.md"), /VITE_RUNTIME_URL[^]*PORT/);
  assert.match(read("copilotkit-react/src/main.jsx"), /VITE_RUNTIME_URL \?\? "http:\/\/localhost:8080\/api\/copilotkit"/);
  assert.match(read("copilotkit-node/server.mjs"), /AGENT_URL \?\? "http:\/\/localhost:8080\/agents\/travel\?refusals=ask"/);
});
