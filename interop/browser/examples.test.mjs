// The two examples do what their README says: its commands start them, and a person plans a trip with the page.
//
// On each push the page is a production build, which a browser loads in less than half the time; every night it is also the one that
// the README's command serves.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startAsker } from "./lib/asker.mjs";
import { openPage } from "./lib/browser.mjs";
import { agrees, choose, idle, say, shows, thread } from "./lib/chat.mjs";
import { nightly } from "./lib/nightly.mjs";
import { ask, serveFolder, startExample, startGateway } from "./lib/servers.mjs";
import { withKey } from "./lib/people.mjs";
import { judgeFrames } from "../copilotkit/frames.mjs";
import { keysFile } from "../lib/keys.mjs";
import { serveTeams } from "../models/lib/teams.mjs";
import { startProxy } from "../lib/proxy.mjs";

const value = (schema, key = "value") => ({ type: "object", properties: { [key]: schema }, required: [key] });

const gateway = await startGateway();
const { args, keys, write } = keysFile(["ada", "bob"]);
const keyed = await startGateway({ args });
const proxy = await startProxy(); // the page finds the gateway of each test where the last one was
const asker = await startGateway({
  team: `
version: 1
agents:
  travel:
    type: agui
    url: "${await startAsker({
      "A size": [{ message: "Which size?", responseSchema: value({ type: "string" }), metadata: { value: { options: ["Small", "Medium"] } } }],
      "A name": [{ message: "Which name?", responseSchema: value({ type: "string" }) }],
      "A number": [{ message: "How many?", responseSchema: value({ type: "integer" }) }],
      "A call": [{ reason: "tool_call", message: "May I call order?", responseSchema: value({ type: "boolean" }, "approved") }],
      "Anything": [{ message: "Anything else?" }],
      "A trip": [{ message: "Which trip?", responseSchema: { type: "object", properties: { day: { type: "string", format: "date" }, class: { enum: ["first", "second"] } }, required: ["class"] } }],
      "A tree": [{ message: "Which tree?", responseSchema: { type: "object", properties: { a: { type: "array", items: { $ref: "#" } } } } }],
      "Two things": [{ message: "Which name?" }, { message: "May I?", responseSchema: value({ type: "boolean" }) }],
    })}"
`,
});

/** The command a README's shell block ends with; what it installs before, CI has installed. */
function lastCommand(folder) {
  const readme = readFileSync(new URL(`../../examples/${folder}/README.md`, import.meta.url), "utf8");
  const [cd, install, start] = /```sh\n([^]*?)```/.exec(readme)[1].trim().split("\n");
  assert.deepEqual([cd, install], [`cd examples/${folder}`, "npm ci"]);
  return start.split(" ");
}

const settings = { VITE_RUNTIME_URL: `${proxy.url}/api/copilotkit` };
const built = await serveFolder(build());

/** Builds the page of copilotkit-react; returns its folder, which goes when the test file is over. */
function build() {
  const folder = mkdtempSync(join(tmpdir(), "agui-react-"));
  after(() => rmSync(folder, { recursive: true }));
  execFileSync("npm", ["run", "--silent", "build", "--", "--outDir", folder, "--logLevel", "warn"], {
    cwd: fileURLToPath(new URL("../../examples/copilotkit-react", import.meta.url)),
    env: { ...process.env, ...settings },
    stdio: ["ignore", "ignore", "pipe"],
  });
  return folder;
}

/** Serves the page of copilotkit-react as its README does; returns its URL. */
const serveReact = () => startExample("copilotkit-react", lastCommand("copilotkit-react"), { env: { PORT: "0", ...settings }, ready: /Local: +(http:\S+)/ });

/** Opens the page of copilotkit-react before a gateway. */
function openReact(t, at, { url = `${built}/`, agent = "travel" } = {}) {
  proxy.gateway = at;
  proxy.hangUp(); // what is connected is connected to another
  return openPage(t, `${url}?agent=${agent}`);
}

test("copilotkit-react plans a trip, and a reload brings the question back", async (t) => plansTrip(await openReact(t, gateway)));

nightly("copilotkit-react plans a trip as its README serves it", async (t) => {
  const page = await openReact(t, gateway, { url: await serveReact() });
  page.allow(/Lit is in dev mode/); // `npm run dev` is a development build, of CopilotKit too
  await plansTrip(page);
});

test("the README's command serves copilotkit-react", async () => {
  const url = await serveReact();
  const served = async (path) => {
    const response = await fetch(new URL(path, url));
    assert.equal(response.status, 200, path);
    return response.text();
  };
  assert.match(await served(""), /src="\/src\/main.jsx"/);
  assert.ok((await served("src/main.jsx")).includes(settings.VITE_RUNTIME_URL));
});

async function plansTrip(page) {
  await say(page, "Plan my trip");
  await page.getByRole("button", { name: /^KLM .*Recommended$/ }).waitFor();
  const id = new URL(page.url()).searchParams.get("thread");
  await page.reload();
  await choose(page, "KLM");
  await choose(page, "Hotel Zoe");
  await shows(page, "Flight: KLM");
  await shows(page, "Hotel: Hotel Zoe");
  const { status } = await agrees(page, gateway, id);
  assert.equal(status, "idle");
  await judgeFrames(page, { least: 3 });
}

const questions = {
  "A size": [(page) => choose(page, "Medium"), '{"value":"Medium"}'],
  "A name": [(page) => answer(page, "Which name?", "Ada"), '{"value":"Ada"}'],
  "A number": [(page) => answer(page, "How many?", "3"), '{"value":3}'],
  "A call": [(page) => choose(page, "Yes"), '{"approved":true}'],
  "Anything": [(page) => answer(page, "Anything else?", "No"), '"No"'],
  "Two things": [
    async (page) => {
      await page.getByRole("region", { name: "Which name?" }).getByRole("textbox").fill("Ada");
      await page.getByRole("region", { name: "May I?" }).getByRole("button", { name: "No" }).click();
      await choose(page, "Send 2 answers");
    },
    '"Ada", {"value":false}',
  ],
};

/** Answers a question in words. */
async function answer(page, question, words) {
  const card = page.getByRole("region", { name: question });
  await card.getByRole("textbox").or(card.getByRole("spinbutton")).fill(words);
  await card.getByRole("button", { name: "Answer" }).click();
}

test("copilotkit-react shows the questions of any team", async (t) => {
  const page = await openReact(t, asker);
  for (const [words, [give, told]] of Object.entries(questions)) {
    await say(page, words);
    await give(page);
    await shows(page, `You said: ${told}`);
  }
});

/** Approves of a call. */
const allow = (page, tool) =>
  page.getByRole("region", { name: `May I call ${tool}?` }).getByRole("button", { name: "Approve", exact: true }).click();

// What is said to an agent of each team of examples/teams, and what is done until it has said the last.
const teams = {
  assistant: ["assistant", "What is two and two?", async () => {}, "Four."],
  planner: [
    "desk",
    "How many piano tuners are there?",
    async (page) => {
      const card = page.getByRole("region", { name: "Shall we go about it like this?" });
      assert.equal(await card.getByLabel("The plan, one step a line").inputValue(), "1. analyst: count");
      await card.getByRole("group", { name: "Go ahead" }).getByRole("button", { name: "Yes" }).click();
      await card.getByRole("button", { name: "Answer" }).click();
    },
    "About three.",
  ],
  "research-desk": [
    "desk",
    "Write about the tides",
    async (page) => {
      const card = page.getByRole("region", { name: "Is the draft all right?" });
      const first = await card.elementHandle();
      await answer(page, "Is the draft all right?", "Shorter, please");
      await page.waitForFunction((element) => !element.isConnected, first);
      await shows(page, "Tides in brief.");
      await card.getByRole("button", { name: "Yes", exact: true }).click(); // an empty answer approves of nothing
      await card.getByRole("button", { name: "Answer" }).click();
      await card.waitFor({ state: "detached" });
    },
    "Tides in brief.",
  ],
  travel: [
    "travel",
    "Plan my trip",
    async (page) => {
      await choose(page, "KLM");
      await choose(page, "Hotel Zoe");
    },
    "Hotel: Hotel Zoe",
  ],
  triage: ["support", "I was charged twice", async () => {}, "You get 12 euros back."],
  panel: ["panel", "Should our bakery close on Mondays?", async () => {}, "Not yet. The contracts decide it: ask each employee for a signature, and try it in January."],
  support: ["support", "I was charged twice for order 1042.", (page) => allow(page, "refund"), "You have 45 euros back for order 1042."],
  delegation: [
    "organiser",
    "Prepare our summer party for 40 people.",
    async (page) => {
      await allow(page, "buyer");
      await allow(page, "book");
    },
    "The boat is booked for 20 June. It costs 1200 euros.",
  ],
  approvals: [
    "claims",
    "Claims 17 and 18",
    async (page) => {
      await allow(page, "pay");
      await allow(page, "pay_exception");
      await choose(page, "Send 2 answers");
    },
    "Claims 17 and 18 are paid.",
  ],
  remote: ["desk", "May I do that?", (page) => choose(page, "Japan"), "You may."],
};

// On each push page_teams.test.mjs has them on the gateway's own page.
nightly("copilotkit-react works with every agent of examples/teams", async (t) => {
  const { gateways } = await serveTeams();
  assert.deepEqual(Object.keys(teams).toSorted(), Object.keys(gateways).toSorted());
  for (const [name, [agent, words, act, last]] of Object.entries(teams)) {
    await t.test(name, async (t) => {
      const page = await openReact(t, gateways[name], { agent });
      await say(page, words);
      await act(page);
      await shows(page, last);
      await idle(page);
      const { status } = await thread(gateways[name], new URL(page.url()).searchParams.get("thread"), agent);
      assert.equal(status, "idle");
    });
  }
});

test("copilotkit-react has a form for what a schema wants, and JSON for what no form shows", async (t) => {
  const page = await openReact(t, asker);
  await say(page, "A trip");
  const card = page.getByRole("region", { name: "Which trip?" });
  await card.getByLabel("Day").fill("2030-01-31");
  await card.getByRole("button", { name: "Answer" }).click();
  await card.getByText("Please answer this.").waitFor();
  await card.getByLabel("Class").selectOption("first");
  await card.getByRole("button", { name: "Answer" }).click();
  await shows(page, 'You said: {"class":"first","day":"2030-01-31"}');
  await say(page, "A tree");
  await page.getByLabel("as JSON").fill('{"a": []}');
  await page.getByRole("button", { name: "Answer" }).click();
  await shows(page, 'You said: {"a":[]}');
});

/** A server that has nothing but an error. */
async function startBroken() {
  const server = createServer((_, response) => response.writeHead(500, { "Access-Control-Allow-Origin": "*" }).end());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${server.address().port}` };
}

const wrong = {
  "is away": async () => {
    const away = await startGateway();
    await away.kill();
    return away;
  },
  "answers an error": startBroken,
  "has no such agent": () => startGateway({ team: "version: 1\nagents:\n  other: { type: script, steps: [ { say: Hello } ] }\n" }),
};

for (const [what, start] of Object.entries(wrong)) {
  test(`copilotkit-react says that something is wrong when the gateway ${what}, and goes on afterwards`, async (t) => {
    const page = await openReact(t, await start());
    page.allow(/./); // what CopilotKit says of it in the console
    await page.getByRole("alert").waitFor();
    proxy.gateway = gateway;
    proxy.hangUp();
    await page.getByRole("button", { name: "Try again" }).click();
    await say(page, "Plan my trip");
    await page.getByRole("button", { name: "KLM" }).waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);
  });
}

test("copilotkit-react asks who one is where the gateway does, and again when the key was withdrawn", async (t) => {
  t.after(() => write(["ada", "bob"]));
  const page = await openReact(t, keyed);
  page.allow(/./); // what CopilotKit says of a refusal in the console
  const alert = (text) => page.getByRole("alert").filter({ hasText: text });
  const signIn = async (key) => {
    await page.getByLabel("Key or token").fill(key);
    await page.getByRole("button", { name: "Sign in" }).click();
  };
  await alert("who you are").waitFor();
  await signIn("not-a-key");
  await alert("not accept").waitFor();
  await signIn(keys.ada);
  await say(page, "Plan my trip");
  await page.getByRole("button", { name: "KLM" }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: "KLM" }).waitFor();
  write(["bob"]);
  await choose(page, "KLM");
  await alert("not accept").waitFor();
  write(["ada", "bob"]);
  await signIn(keys.ada);
  await choose(page, "KLM");
  await choose(page, "Hotel Zoe");
  await shows(page, "Hotel: Hotel Zoe");
  const id = new URL(page.url()).searchParams.get("thread");
  await agrees(page, withKey(keyed, keys.ada), id);
  assert.equal((await ask(`${keyed.url}/threads/${id}`, withKey(keyed, keys.bob))).status, 404);
});

for (const [status, code, message] of [[403, "forbidden", "This is not allowed."], [429, "rate_limited", "Too many requests; try again later."]]) {
  test(`copilotkit-react shows what a ${status} says, and goes on afterwards`, async (t) => {
    const page = await openReact(t, gateway);
    page.allow(/./); // what CopilotKit says of a refusal in the console
    const body = JSON.stringify({ error: code, message, code, requestId: "r" });
    const refusal = { status, body, headers: { "Access-Control-Allow-Origin": "*", "Content-Type": "application/json", "Retry-After": "1" } };
    await page.route("**/agent/travel/run", (route) => route.fulfill(refusal), { times: 1 });
    await say(page, "Plan my trip");
    await page.getByRole("alert").filter({ hasText: message }).waitFor();
    await say(page, "Plan my trip");
    await page.getByRole("button", { name: "KLM" }).waitFor();
  });
}

const node = await startExample("copilotkit-node", lastCommand("copilotkit-node"), {
  env: { PORT: "0", AGENT_URL: `${keyed.url}/agents/travel?refusals=ask`, COPILOTKIT_TELEMETRY_DISABLED: "true" },
  ready: /^runtimeUrl: (http:\S+)\/api\/copilotkit /,
});

test("copilotkit-node serves the gateway's agent on both transports", async () => {
  const { body } = await ask(`${node}/api/copilotkit/info`);
  assert.deepEqual(Object.keys(body.agents), ["travel"]);

  const run = { threadId: randomUUID(), runId: randomUUID(), messages: [], state: {}, tools: [], context: [], forwardedProps: {} };
  run.messages.push({ id: "m1", role: "user", content: "Plan my trip" });
  const response = await fetch(`${node}/api/copilotkit-single`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${keys.ada}` },
    body: JSON.stringify({ method: "agent/run", params: { agentId: "travel" }, body: run }),
  });
  assert.match(await response.text(), /"outcome":\{"type":"interrupt"/);
});

test("copilotkit-node passes on who one is", async () => {
  const run = (name, threadId, what = "run") =>
    fetch(`${node}/api/copilotkit/agent/travel/${what}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${keys[name]}` },
      body: JSON.stringify({ threadId, runId: randomUUID(), messages: [{ id: "m1", role: "user", content: "Plan my trip" }], state: {}, tools: [], context: [], forwardedProps: {} }),
    }).then((response) => response.text());
  const id = randomUUID();
  assert.match(await run("ada", id), /"outcome":\{"type":"interrupt"/);
  assert.match(await run("nobody", randomUUID()), /RUN_ERROR[^]*401/);
  const status = async (name) => (await ask(`${keyed.url}/threads/${id}`, withKey(keyed, keys[name]))).status;
  assert.deepEqual([await status("ada"), await status("bob")], [200, 404]);
  assert.match(await run("bob", id, "connect"), /flight options/, "the runtime itself asks nobody, as the README says");
});

test("the READMEs name what the examples read", () => {
  const read = (path) => readFileSync(new URL(`../../examples/${path}`, import.meta.url), "utf8");
  assert.match(read("copilotkit-react/README.md"), /VITE_RUNTIME_URL[^]*PORT/);
  assert.match(read("copilotkit-react/src/main.jsx"), /VITE_RUNTIME_URL \?\? "http:\/\/localhost:8080\/api\/copilotkit"/);
  assert.match(read("copilotkit-node/server.mjs"), /AGENT_URL \?\? "http:\/\/localhost:8080\/agents\/travel\?refusals=ask"/);
});
