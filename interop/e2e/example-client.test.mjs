// @agui-gateway/client and examples/ag-ui-client: what a reader has in the end is the thread, wherever its connections were cut.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { inputOf, post, thread, user, versions } from "../lib/client.mjs";
import { installClient, packClient } from "../lib/package.mjs";
import { startGateway } from "../lib/gateway.mjs";
import { keysFile } from "../lib/keys.mjs";
import { before, behind, startProxy } from "../lib/proxy.mjs";
import { overheard } from "../lib/quiet.mjs";
import { startHeldModel } from "../lib/held.mjs";
import { until } from "../lib/until.mjs";

const example = fileURLToPath(new URL("../../examples/ag-ui-client", import.meta.url));
const modules = fileURLToPath(new URL("../node_modules", import.meta.url));
const packed = packClient();
const proxy = await startProxy();
const gateway = await startGateway();
const model = await startHeldModel();
// A run of this gateway is live until the model is released.
const held = await startGateway({ team: JSON.stringify({ version: 1, models: model.models, agents: { desk: { type: "llm", model: "held" } } }), args: ["-disconnect", "detach"] });
proxy.gateway = gateway;
beforeEach(() => proxy.reset());

const folders = Object.fromEntries(versions.map((version) => [version, installed(version)]));

/** A copy of the example with that client and the package beside it, as `npm install` would leave it. */
function installed(version) {
  const dir = mkdtempSync(join(tmpdir(), "agui-example-"));
  after(() => rmSync(dir, { recursive: true }));
  cpSync(example, dir, { recursive: true, filter: (path) => !path.includes("node_modules") });
  mkdirSync(join(dir, "node_modules/@ag-ui"), { recursive: true });
  const client = version === "1.0.0" ? "@ag-ui/client" : "agui-client-old";
  symlinkSync(join(modules, client), join(dir, "node_modules/@ag-ui/client"));
  installClient(packed, dir);
  return dir;
}

const deltas = (nth, bytes = 20) => behind('"type":"TEXT_MESSAGE_CONTENT"', { nth, bytes });
const again = (at, times) => Array.from({ length: times }, () => at);

for (const version of versions) {
  const { AnswerError, answerFor, GatewayAgent } = await import(join(folders[version], "node_modules/@agui-gateway/client/dist/index.js"));

  /** An agent behind the bad network, and what its application was told. */
  function reader({ threadId = randomUUID(), path = "/agents/travel", backoff = again(2, 20) } = {}) {
    const agent = new GatewayAgent({ url: proxy.url + path, threadId, backoff });
    const told = [];
    agent.subscribe({ onEvent: ({ event }) => void told.push(event) });
    const say = (content, parameters) => {
      agent.addMessage(user(content));
      return agent.runAgent(parameters);
    };
    const answer = (payload) =>
      agent.runAgent({ resume: agent.pendingInterrupts.map(({ id }) => ({ interruptId: id, status: "resolved", payload })) });
    return { agent, told, say, answer };
  }

  /** Fails unless the agent holds the thread, and was told every piece of the newest run's texts exactly once. */
  async function agrees({ agent, told }, server = gateway) {
    const truth = await thread(server, agent.threadId);
    assert.deepEqual(agent.messages, truth.messages);
    assert.deepEqual(agent.state, truth.state);
    assert.deepEqual(agent.pendingInterrupts.map(({ id }) => id), truth.interrupts.map(({ id }) => id));
    const ids = agent.messages.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    const spoken = {};
    for (const { type, messageId, delta } of told.slice(told.findLastIndex(({ type }) => type === "RUN_STARTED"))) {
      if (type === "TEXT_MESSAGE_START") spoken[messageId] = "";
      if (type === "TEXT_MESSAGE_CONTENT") spoken[messageId] += delta;
    }
    for (const [id, text] of Object.entries(spoken)) assert.equal(text, agent.messages.find((m) => m.id === id).content);
    return truth;
  }

  const posted = () => proxy.asked.filter((request) => request.startsWith("POST")).length;
  const joined = () => proxy.asked.filter((request) => request.endsWith("/events")).length;
  const statuses = ({ runs }) => runs.map(({ status }) => status);

  describe(version, () => {
    for (const [name, cuts] of Object.entries({
      "in the middle of a text": [deltas(8)],
      "in the middle of an event id": [behind("\nid: ", { nth: 12, bytes: 6 })],
      "between two events": [behind("\n\n", { nth: 9 })],
      "right before the terminal event": [before('data: {"type":"RUN_FINISHED"')],
      "in the middle of the terminal event": [behind('"type":"RUN_FINISHED"')],
      "again and again": again(deltas(3), 12),
    })) {
      test(`a run that is cut ${name}`, async () => {
        const tab = reader();
        proxy.cuts = [...cuts];
        const { newMessages } = await tab.say("Plan my trip");
        assert.deepEqual([posted(), joined()], [1, cuts.length]);
        assert.deepEqual(newMessages, tab.agent.messages.slice(1));
        assert.equal(tab.told.filter(({ type }) => type === "RUN_STARTED").length, 1);
        assert.equal(tab.told.at(-1).type, "RUN_FINISHED");
        const { runs } = await agrees(tab);
        assert.deepEqual(runs.map(({ status }) => status), ["interrupt"]);
      });
    }

    for (const [name, cut] of Object.entries({
      "its request was received": () => 0,
      "its first event was whole": behind('"type":"RUN_STARTED"'),
    })) {
      test(`a run that is cut when ${name} is not run twice`, async () => {
        const tab = reader();
        proxy.cuts = [cut];
        await tab.say("Plan my trip");
        assert.deepEqual([posted(), joined()], [2, 0]);
        proxy.cuts = [cut];
        await tab.answer({ airline: "KLM" });
        assert.deepEqual([posted(), joined()], [4, 0]);
        assert.deepEqual(statuses(await agrees(tab)), ["interrupt", "interrupt"]);
      });
    }

    test("a trip over bad connections all the way", async () => {
      const tab = reader();
      proxy.cuts = [deltas(8)];
      await tab.say("Plan my trip");
      proxy.hangUp(); // between runs
      proxy.cuts = [deltas(4), before('data: {"type":"RUN_FINISHED"')];
      await tab.answer({ airline: "KLM" });
      await agrees(tab);
      proxy.hangUp();
      proxy.cuts = again(deltas(6), 3);
      await tab.answer({ name: "The Ritz-Carlton" });
      assert.deepEqual(statuses(await agrees(tab)), ["success", "interrupt", "interrupt"]);
      assert.equal(tab.agent.state.itinerary.hotel.name, "The Ritz-Carlton");
    });

    for (const [name, cut] of Object.entries({
      "in the middle of a text": deltas(8),
      "behind the first event": behind("\n\n", { nth: 2 }),
      "right before the terminal event": before('data: {"type":"RUN_FINISHED"'),
    })) {
      test(`a reader that is cut ${name} and whose place is lost is told everything anew`, async () => {
        const tab = reader();
        proxy.cuts = [cut];
        proxy.rewrite = (request) => request.replace(/last-event-id: \S+/i, "last-event-id: 1-1");
        const { newMessages } = await tab.say("Plan my trip");
        assert.equal(posted(), 1);
        assert.equal(tab.told.filter(({ type }) => type === "RUN_STARTED").length, 2);
        assert.deepEqual(newMessages, tab.agent.messages.slice(1));
        await agrees(tab);
        await tab.answer({ airline: "KLM" });
        await agrees(tab);
      });
    }

    test("a page that reloads in the middle of a run", async (t) => {
      const behindProxy = (server) => {
        proxy.gateway = server;
        proxy.hangUp(); // connections that are kept open lead to the other gateway
      };
      behindProxy(held);
      t.after(() => behindProxy(gateway));
      const first = reader({ path: "/agents/desk" });
      const middle = new Promise((resolve) => {
        first.agent.subscribe({ onTextMessageContentEvent: () => resolve() });
      });
      const run = first.say("Go");
      await middle;
      first.agent.abortRun();
      await run;
      const tab = reader({ threadId: first.agent.threadId, path: "/agents/desk" });
      proxy.cuts = [deltas(1)];
      const shown = tab.agent.connectAgent();
      await until("the page joins again", () => joined() === 2);
      await model.release();
      await shown;
      assert.equal(joined(), 2);
      await agrees(tab, held);
      await tab.say("Hello");
      assert.deepEqual(statuses(await agrees(tab, held)), ["success", "success"]);
    });

    test("a thread at rest is shown, with what it asks", async () => {
      const tab = reader();
      await tab.say("Plan my trip");
      const other = reader({ threadId: tab.agent.threadId });
      await other.agent.connectAgent();
      await agrees(other);
      await tab.agent.connectAgent(); // asks nobody to answer first
      await agrees(tab);
      await other.answer({ airline: "KLM" });
      assert.notDeepEqual(tab.agent.messages, other.agent.messages);
      await tab.agent.connectAgent();
      await agrees(tab);
    });

    test("stop() in the middle of a text, after a cut", async () => {
      const tab = reader();
      assert.equal(joined(), 0);
      proxy.cuts = [deltas(3)];
      const middle = new Promise((resolve) => {
        tab.agent.subscribe({ onTextMessageContentEvent: () => joined() > 0 && resolve() });
      });
      const run = tab.say("Tell me everything about San Francisco");
      await middle;
      assert.equal(await tab.agent.stop(), true);
      await run;
      assert.deepEqual(statuses(await agrees(tab)), ["cancelled"]);
      assert.equal(await tab.agent.stop(), false);
    });

    test("waits while the gateway cannot go on, and no longer than it was told to", async () => {
      const body = 'data: {"type":"RUN_ERROR","code":"draining","message":"Try again."}\n\n';
      const busy = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
      const drained = `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n${body}`;
      const patient = reader();
      [proxy.cuts, proxy.answers] = [[deltas(8)], [busy, drained, busy]];
      await patient.say("Plan my trip");
      assert.equal(joined(), 4);
      await agrees(patient);

      const hasty = reader({ backoff: [1, 1] });
      [proxy.cuts, proxy.answers] = [[deltas(8)], [busy, drained, busy]];
      await assert.rejects(hasty.say("Plan my trip"));
      assert.equal(hasty.agent.isRunning, false);
      assert.deepEqual(overheard().length, 1, "the client has said why");
      proxy.answers = [];
      await hasty.agent.connectAgent();
      await agrees({ agent: hasty.agent, told: [] });
    });

    test("a gateway that has too many requests is left alone for as long as it says", async (t) => {
      const { setTimeout } = globalThis;
      const later = t.mock.method(globalThis, "setTimeout", (then, ms, ...rest) => setTimeout(then, ms === 7000 ? 0 : ms, ...rest));
      const tab = reader();
      const busy = "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
      [proxy.cuts, proxy.answers] = [[deltas(8)], [busy]];
      await tab.say("Plan my trip");
      assert.equal(joined(), 2);
      assert.equal(later.mock.calls.filter(({ arguments: [, ms] }) => ms === 7000).length, 1);
      await agrees(tab);
    });

    test("is told that there is nothing more, and that there is no such thread", async () => {
      const tab = reader();
      [proxy.cuts, proxy.answers] = [[before('data: {"type":"RUN_FINISHED"')], ["HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"]];
      await tab.say("Plan my trip");
      assert.equal(joined(), 2, "how the run ended is asked for");
      await agrees(tab);

      const lost = reader();
      await assert.rejects(lost.agent.connectAgent(), { status: 404 });
      await assert.rejects(lost.agent.stop(), { status: 404 });
      assert.deepEqual([joined(), overheard().length], [3, 1]);
    });

    test("a reader that hangs up while it waits does not come back", async () => {
      const tab = reader({ backoff: [60_000] });
      proxy.cuts = [deltas(3)];
      const cut = new Promise((resolve) => {
        tab.agent.fetch = async (...args) => {
          const response = await fetch(...args);
          const [mine, theirs] = response.body.tee();
          mine.pipeTo(new WritableStream()).catch(resolve);
          return new Response(theirs, response);
        };
      });
      const run = tab.say("Plan my trip");
      await cut;
      tab.agent.abortRun();
      await run;
      assert.equal(joined(), 0);
      assert.equal(tab.told.at(-1).code, "abort");
    });

    test("a tab that reloads comes back to its thread, and a new tab has none", async () => {
      const kept = new Map();
      const storage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value), removeItem: (key) => kept.delete(key) };
      const load = () => new GatewayAgent({ url: `${proxy.url}/agents/travel`, session: "trip", storage });
      const first = load();
      assert.equal(await first.open(), false);
      first.addMessage(user("Plan my trip"));
      await first.runAgent();
      const second = load();
      assert.deepEqual([second.threadId, second.cursor], [first.threadId, first.cursor]);
      assert.equal(await second.open(), true);
      await agrees({ agent: second, told: [] });
      second.reset();
      assert.equal(await load().open(), false);
      kept.set("agui-gateway trip", JSON.stringify({ threadId: "no-such-thread" }));
      assert.equal(await load().open(), false);
    });

    test("a run continues when its reader has gone, and ends by stop()", async () => {
      const tab = reader();
      const middle = new Promise((resolve) => {
        tab.agent.subscribe({ onTextMessageContentEvent: () => resolve() });
      });
      const run = tab.say("Plan my trip");
      await middle;
      tab.agent.abortRun();
      await run;
      const again = reader({ threadId: tab.agent.threadId });
      await again.agent.open();
      assert.deepEqual(statuses(await agrees(again)), ["interrupt"]);
      assert.match(tab.agent.url, /\?disconnect=detach$/);
    });

    test("a refused answer has its problems, and the question stays open", async () => {
      const tab = reader();
      await tab.say("Plan my trip");
      const [question] = tab.agent.pendingInterrupts;
      const wrong = { interruptId: question.id, status: "resolved", payload: { airline: 7 } };
      await assert.rejects(tab.agent.answer([wrong]), (error) => {
        assert.ok(error instanceof AnswerError, String(error));
        assert.equal(error.code, "resume_invalid");
        assert.equal(error.problems[0]?.interruptId, question.id);
        return true;
      });
      overheard(); // the client has said why
      assert.deepEqual(tab.agent.pendingInterrupts.map(({ id }) => id), [question.id]);
      await tab.agent.answer([answerFor(question).recommended()]);
      await agrees(tab);
    });

    test("a clone is one too", async () => {
      const tab = reader();
      await tab.say("Plan my trip");
      const other = { agent: tab.agent.clone(), told: [] };
      await other.agent.connectAgent();
      await agrees(other);
    });
  });
}

describe("where the gateway asks who one is", async () => {
  const { args, keys, write } = keysFile(["ada", "bob"]);
  const keyed = await startGateway({ args });

  for (const version of versions) {
    const { GatewayAgent } = await import(join(folders[version], "node_modules/@agui-gateway/client/dist/index.js"));
    const agentOf = (key, threadId = randomUUID()) => {
      const headers = { Authorization: `Bearer ${key}` };
      return new GatewayAgent({ url: `${keyed.url}/agents/travel?disconnect=detach`, threadId, headers });
    };

    test(`an agent with a key runs, comes back and stops; without it, it is refused at once (${version})`, async () => {
      const mine = agentOf(keys.ada);
      mine.addMessage(user("Plan my trip"));
      await mine.runAgent();
      const later = agentOf(keys.ada, mine.threadId);
      await later.connectAgent();
      assert.deepEqual(later.messages, mine.messages);
      assert.equal(await later.stop(), false);

      for (const [key, status] of [[keys.bob, 404], ["nobody", 401]]) {
        const other = agentOf(key, mine.threadId);
        await assert.rejects(other.connectAgent(), { status });
        await assert.rejects(other.stop(), { status });
      }
      overheard(); // the client has said why
    });

    test(`an agent whose key was withdrawn goes on with a new one (${version})`, async (t) => {
      t.after(() => write(["ada", "bob"]));
      const mine = agentOf(keys.ada);
      mine.addMessage(user("Plan my trip"));
      await mine.runAgent();
      const resume = mine.pendingInterrupts.map(({ id }) => ({ interruptId: id, status: "resolved", payload: { airline: "KLM" } }));
      write(["bob"]);
      await assert.rejects(mine.runAgent({ resume }), { status: 401 });
      write(["ada", "bob"]);
      await mine.connectAgent();
      await mine.runAgent({ resume });
      assert.equal(mine.state.itinerary.flight.airline, "KLM");
      overheard();
    });
  }

  test("the trip of its README, with a key", async () => {
    const env = { ...process.env, GATEWAY_URL: keyed.url, GATEWAY_KEY: keys.ada };
    const { stdout } = await promisify(execFile)("node", ["trip.mjs"], { cwd: folders[versions[0]], env });
    assert.match(stdout, /Hotel Zoe/);
  });
});

test("the package has what its exports name, and no more than it needs", () => {
  const { exports, sources, files, size } = packed;
  const built = sources.filter((path) => !/\.test\.|testing\.ts$|\.css$/.test(path)).flatMap((path) => {
    const name = path.replace(/^src/, "dist").replace(/\.tsx?$/, "");
    return [`${name}.d.ts`, `${name}.js`];
  });
  const styles = sources.filter((path) => path.endsWith(".css"));
  assert.deepEqual(files, ["LICENSE", "README.md", "package.json", ...built, ...styles].toSorted());
  for (const path of exports) assert.ok(files.includes(path), path);
  assert.ok(size < 200_000, `${size} bytes`);
});

const run = promisify(execFile);
const readme = readFileSync(join(example, "README.md"), "utf8");
const block = (language) => new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(readme)[1];

for (const version of versions) {
  describe(`what its README shows, with ${version}`, () => {
    const cwd = folders[version];

    test("the commands", async () => {
      const lines = block("sh").trim().split("\n");
      assert.deepEqual(lines.slice(0, 3), ["(cd clients/js && npm ci && npm run build)", "cd examples/ag-ui-client", "npm install"]);
      const env = { ...process.env, GATEWAY_URL: gateway.url };
      const { stdout, stderr } = await run("bash", ["-ec", lines.slice(3).join("\n")], { cwd, env });
      assert.equal(stderr, "");
      assert.match(stdout, /Hotel Zoe/);
    });

    test("the page that was reloaded", async () => {
      const input = inputOf(version, { threadId: `trip-${version}`, messages: [user("Plan my trip")] });
      await post(gateway, version, input);
      const program = block("js").replace("http://127.0.0.1:8080", gateway.url).replace("trip-1", input.threadId);
      const { stdout, stderr } = await run("node", ["--input-type=module", "--eval", program], { cwd });
      assert.equal(stderr, "");
      assert.match(stdout, /Plan my trip[^]*Amsterdam[^]*int_/);
    });
  });
}
