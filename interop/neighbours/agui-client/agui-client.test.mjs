// @ag-ui/client in the versions that front ends pin, in Node.

import { overheard } from "../../lib/quiet.mjs"; // the first import: it silences the others
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import { describe, test } from "node:test";
import * as client100 from "@ag-ui/client";
import * as client53 from "agui-client-0.0.53";
import * as client57 from "agui-client-0.0.57";
import * as client58 from "agui-client-0.0.58";
import * as client59 from "agui-client-old";
import { until } from "../../lib/until.mjs";
import { startDesk, talk, whereAmI } from "../lib/desk.mjs";
import { runSnippet } from "../lib/snippet.mjs";
import { clientRow } from "../lib/table.mjs";

const desk = await startDesk();

const clients = {
  "0.0.45": createRequire(import.meta.url)("agui-client-0.0.45"), // as a module it does not find fast-json-patch in Node
  "0.0.53": client53,
  "0.0.57": client57,
  "0.0.58": client58,
  "0.0.59": client59,
  "1.0.0": client100,
};

/** What becomes of a run with SUBAGENT_* events, by version. */
const subagents = { "0.0.59": "`?subagents=on`", "1.0.0": "yes" };

const said = (messages) => messages.filter(({ role, content }) => role === "assistant" && content).map(({ content }) => content);
const contents = (messages) => messages.map(({ id, role, content, toolCalls }) => ({ id, role, content, calls: toolCalls?.map(({ id }) => id) }));

for (const [version, { HttpAgent }] of Object.entries(clients)) {
  describe(version, () => {
    const row = clientRow(`@ag-ui/client ${version}`);

    const open = ({ threadId = randomUUID(), query = "" } = {}) => new HttpAgent({ url: desk.url + query, threadId });

    async function run(agent, parameters) {
      const events = [];
      let failed;
      await agent.runAgent(parameters, { onEvent: ({ event }) => void events.push(event), onRunFailed: ({ error }) => void (failed = error) });
      assert.equal(failed, undefined);
      return events;
    }
    const say = (agent, { ask }, parameters) => {
      agent.addMessage({ id: randomUUID(), role: "user", content: ask });
      return run(agent, parameters);
    };
    const agrees = async (agent) => {
      const truth = await desk.thread(agent.threadId);
      assert.deepEqual(contents(agent.messages), contents(truth.messages));
      assert.deepEqual(agent.state, truth.state);
      return truth;
    };

    test("text", async () => {
      const agent = open();
      await say(agent, talk.hello);
      assert.deepEqual(said(agent.messages), talk.hello.says);
      await agrees(agent);
      row.shows("text", "yes");
    });

    test("tools", async () => {
      const agent = open();
      await say(agent, talk.price);
      assert.deepEqual(said(agent.messages), talk.price.says);
      assert.deepEqual(JSON.parse(agent.messages.find(({ role }) => role === "tool").content), talk.price.result);
      await agrees(agent);
      row.shows("tools", "yes");
    });

    test("page's tools", async () => {
      const agent = open();
      await say(agent, talk.where, { tools: [whereAmI] });
      const [call] = agent.messages.at(-1).toolCalls;
      assert.deepEqual([call.function.name, JSON.parse(call.function.arguments)], [whereAmI.name, { precise: true }]);
      agent.addMessage({ id: randomUUID(), role: "tool", toolCallId: call.id, content: "Paris" });
      await run(agent, { tools: [whereAmI] });
      assert.deepEqual(said(agent.messages), talk.where.says);
      await agrees(agent);
      row.shows("page's tools", "yes");
    });

    test("state", async () => {
      const agent = open();
      await say(agent, talk.hello);
      agent.setState({ ...agent.state, address: "Quay 1" });
      await say(agent, talk.hello);
      assert.deepEqual(agent.state, { shop: "Harbour", address: "Quay 1" });
      await agrees(agent);
      row.shows("state", "yes");
    });

    const legacy = version === "0.0.45" || version === "0.0.53"; // they know no outcome
    const query = legacy ? "?interrupts=legacy" : "";

    /** The question that a run ended with, as the client is told of it: its message, and the parameters of the run that answers it. */
    function questionOf(events, payload) {
      if (!legacy) {
        const [{ id, message }] = events.at(-1).outcome.interrupts;
        return { message, answer: { resume: [{ interruptId: id, status: "resolved", payload }] } };
      }
      const { value } = events.find(({ name }) => name === "on_interrupt");
      return { message: JSON.parse(value).message, answer: { forwardedProps: { command: { resume: payload, interruptEvent: value } } } };
    }

    test("question", async () => {
      const agent = open({ query });
      const { message, answer } = questionOf(await say(agent, talk.order), { value: "M" });
      assert.equal(message, talk.order.asks);
      await run(agent, answer);
      assert.deepEqual(said(agent.messages), talk.order.says);
      assert.deepEqual((await agrees(agent)).state.order, { size: "M" });
      row.shows("question", legacy ? "`?interrupts=legacy`" : "yes");
    });

    test("stop", async () => {
      const agent = open();
      const running = say(agent, talk.story);
      await until("the story", () => agent.state?.begun);
      agent.abortRun();
      await running;
      const { status, runs } = await desk.ended(agent.threadId);
      assert.deepEqual([status, runs.map(({ status }) => status)], ["idle", ["cancelled"]]);
      assert.deepEqual(said(agent.messages), [talk.story.begins]);
      row.shows("stop", "yes");
    });

    test("reload", async () => {
      const first = open();
      await say(first, talk.hello);
      const told = say(first, talk.story);
      await until("the story", () => first.state?.begun);
      const second = open(first);
      const joined = run(second);
      await until("what was said", () => second.state?.begun);
      assert.deepEqual(said(second.messages), [...talk.hello.says, talk.story.begins]);
      await fetch(`${desk.gateway.url}/threads/${first.threadId}/stop`, { method: "POST" });
      await Promise.allSettled([told, joined]);
      const third = open(first);
      await run(third);
      await agrees(third);
      await say(third, talk.order);
      assert.equal(questionOf(await run(open({ threadId: third.threadId, query }))).message, talk.order.asks);
      row.shows("reload", "yes");
    });

    test("subagents", async () => {
      const agent = open({ query: subagents[version] === "yes" ? "" : "?subagents=on" });
      if (subagents[version]) {
        const events = await say(agent, talk.hello);
        assert.deepEqual(events.filter(({ type }) => type === "SUBAGENT_STARTED").map(({ name }) => name), ["greeter", "host"]);
        assert.deepEqual(said(agent.messages), talk.hello.says);
      } else {
        await assert.rejects(say(agent, talk.hello), /SUBAGENT_STARTED|discriminator/);
        assert.match(overheard().join(), /Agent execution failed/);
      }
      row.shows("subagents", subagents[version] ?? "no");
    });
  });
}

test("the program in docs/clients.md shows a thread again", async () => {
  assert.equal(await runSnippet("agui-client", desk.gateway, import.meta.url), `${[talk.hello.ask, ...talk.hello.says].join(" ")}\n`);
});
