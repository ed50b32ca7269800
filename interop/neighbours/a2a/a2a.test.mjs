// Agents of the A2A SDK for JavaScript as members of a team: streaming or not, and in the older version that its server speaks, too.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, describe, test } from "node:test";
import { ask, cancelled, inputOf, thread, user } from "../../lib/client.mjs";
import { startGateway } from "../../lib/gateway.mjs";
import { reservePorts } from "../../lib/ports.mjs";
import { until } from "../../lib/until.mjs";
import { Tab } from "../../models/lib/tab.mjs";
import { row } from "../lib/table.mjs";
import { startAgent } from "./agent.mjs";

const seen = row("A2A SDK for JavaScript 1.3");

/** A team of the agent and one who always speaks after it. */
const teamOf = (url) =>
  JSON.stringify({
    version: 1,
    agents: {
      team: {
        type: "groupchat",
        manager: { type: "sequential" },
        participants: [
          { name: "helper", type: "a2a", url, state: { path: "/helper" } },
          { name: "clerk", type: "script", steps: [{ say: "So be it." }] },
        ],
      },
    },
  });

/** Starts a gateway for the agent, which keeps its threads in a file. again() starts it where it was. */
async function start(agent) {
  const dir = mkdtempSync(join(tmpdir(), "agui-neighbour-"));
  after(() => rmSync(dir, { recursive: true }));
  const [port] = await reservePorts(1);
  const open = () => startGateway({ team: teamOf(agent.url), port, args: ["-store", `file:${join(dir, "threads")}`] });
  const here = { gateway: await open() };
  return Object.assign(here, {
    newTab: () => new Tab(here.gateway, "1.0.0", { agent: "team" }),
    again: async () => void (here.gateway = await open()),
  });
}

/** The messages that an agent was sent. */
const inputs = async (agent) => (await agent.told()).inputs;

const words = ({ parts }) => parts.map(({ content }) => content.value);
/** Fails unless the one task of an agent was cancelled there, once. */
async function cancels(agent) {
  const { inputs, cancellations } = await agent.told();
  assert.deepEqual(cancellations, [inputs[0].taskId]);
}

/** Waits until the slow work of an agent is seen here. */
const begun = (tab) => until("the agent has begun", () => tab.messages.some(({ content }) => content === "One, "));

const errors = (stream) => stream.of("RUN_ERROR").map(({ code }) => code);

for (const [title, options] of [
  ["an agent that streams", {}],
  ["an agent that does not stream", { streaming: false }],
  ["an agent of version 0.3", { version: "0.3" }],
]) {
  const agent = await startAgent(options);
  const { gateway, newTab } = await start(agent);
  describe(title, () => {
    beforeEach(() => agent.reset());

    test("its words are streamed under its name, and it is sent what it has not seen", async () => {
      const tab = newTab();
      const first = await tab.say("Please say hello");
      assert.deepEqual(first.texts, ["Let me think.", "Good day, friend.", "So be it."], first.text);
      assert.deepEqual(first.of("TEXT_MESSAGE_START").map(({ name }) => name), ["helper", "helper", "clerk"]);
      assert.deepEqual(first.last.usage.map(({ totalTokens }) => totalTokens), [15]);
      const second = await tab.say("Now briefly");
      assert.deepEqual(second.texts, ["Briefly, yes.", "So be it."], second.text);
      seen.shows("text", "yes");

      const sent = await inputs(agent);
      assert.deepEqual(sent.map(words), [["Please say hello"], ["clerk: So be it.", "Now briefly"]]);
      const [context, ...others] = new Set(sent.map(({ contextId }) => contextId));
      assert.deepEqual(others, [], "a thread is one context there");
      await newTab().say("Now briefly");
      assert.notEqual((await inputs(agent)).at(-1).contextId, context, "another thread is another");
    });

    test("data is the state and an activity, files are an activity", async () => {
      const tab = newTab();
      const stream = await tab.say("Some data, please");
      assert.deepEqual(tab.state.helper, { finding: { colour: "red" } });
      assert.deepEqual(
        stream.of("ACTIVITY_SNAPSHOT").map(({ activityType, content }) => [activityType, content.artifactId, content.parts]),
        [
          ["a2a.artifact", "found", [{ type: "data", data: { colour: "red" } }]],
          ["a2a.artifact", "picture", [{ type: "image", source: { type: "data", value: "R0lGODlh", mimeType: "image/gif" }, metadata: { filename: "dot.gif" } }]],
        ],
      );
      await tab.say("Now briefly");
      const last = words((await inputs(agent)).at(-1));
      assert.deepEqual(last, [{ finding: { colour: "red" } }, "clerk: So be it.", "Now briefly"], "it is sent its state");
      seen.shows("state", "data of its artifacts");
    });

    test("it asks twice, over a restart of the gateway, and goes on with the same task", async () => {
      const here = await start(agent);
      const tab = here.newTab();
      assert.equal((await tab.say("Which size?")).outcome.type, "interrupt");
      assert.deepEqual(tab.questions.map(({ reason, message }) => [reason, message]), [["input_required", "Which size?"]]);
      await here.gateway.stop();
      await here.again();
      const second = await tab.answer("none of these");
      assert.equal(second.outcome.type, "interrupt", second.text);
      assert.deepEqual(second.texts, [], "a question is no message");
      const third = await tab.answer("M");
      assert.deepEqual(third.texts, ["Noted: M", "So be it."], third.text);
      const [asked, ...answers] = await inputs(agent);
      assert.deepEqual(answers.map(({ taskId, parts }) => [taskId, parts[0].content.value]), [
        [asked.taskId, "none of these"],
        [asked.taskId, "M"],
      ]);
      seen.shows("question", "yes");
      seen.shows("restart", "yes");
    });

    test("a form is filled in, a sign-in is confirmed", async () => {
      const tab = newTab();
      await tab.say("A form, please");
      assert.deepEqual(tab.questions[0].responseSchema.required, ["nights"]);
      assert.deepEqual((await tab.answer({ nights: 3 })).texts[0], 'Noted: {"nights":3}');
      await tab.say("I want to login");
      assert.deepEqual(tab.questions.map(({ reason, message }) => [reason, message]), [["a2a:auth_required", "Sign in at the desk first."]]);
      assert.deepEqual((await tab.answer("Done")).texts[0], "Noted: Done");
    });

    test("a question that is called off cancels the task", async () => {
      const tab = newTab();
      await tab.say("Which size?");
      const stream = await tab.run({ resume: [cancelled(tab.questions[0].id)] });
      assert.deepEqual(stream.texts, ["So be it."], stream.text);
      await cancels(agent);
      assert.equal((await thread(gateway, tab.threadId)).status, "idle");
    });

    test("a stop here cancels the task there", async () => {
      await agent.close();
      const tab = newTab();
      const run = tab.say("Please count slowly");
      await begun(tab);
      assert.equal((await ask(`${gateway.url}/threads/${tab.threadId}/stop`, { method: "POST" })).status, 200);
      assert.equal((await run).outcome.type, "cancelled");
      await until("the task is cancelled", async () => (await agent.told()).cancellations.length > 0);
      await cancels(agent);
    });

    test("a connection that is cut costs nothing, and nothing is said twice", async () => {
      await agent.close();
      const tab = newTab();
      const run = tab.say("Please count slowly");
      await begun(tab);
      await agent.cut();
      await agent.open();
      assert.deepEqual((await run).texts, ["One, two, three.", "So be it."]);
      assert.equal((await inputs(agent)).length, 1);
    });

    test("a gateway that is killed follows the task when it is back", async () => {
      await agent.close();
      const here = await start(agent);
      const input = inputOf("1.0.0", { messages: [user("Please count slowly")] });
      const run = fetch(`${here.gateway.url}/agents/team`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(input) });
      const answer = (await run).body.pipeThrough(new TextDecoderStream());
      for await (const piece of answer) if (piece.includes("One, ")) break;
      await here.gateway.kill();
      await here.again();
      await agent.open();
      await until("the run is over", async () => (await thread(here.gateway, input.threadId)).status === "idle");
      const { messages } = await thread(here.gateway, input.threadId);
      assert.deepEqual(messages.map(({ content }) => content), ["Please count slowly", "One, two, three.", "So be it."]);
      assert.equal((await inputs(agent)).length, 1, "the message is not sent again");
    });

    test("a task that fails or is refused fails the turn, and says why in the log alone", async () => {
      for (const [text, said] of [["It fails", "The engine broke"], ["It rejects", "Not my field"]]) {
        const stream = await newTab().say(text);
        assert.deepEqual(errors(stream), ["remote_failed"], stream.text);
        assert.ok(!stream.text.includes(said), stream.text);
        await until(`the log has "${said}"`, () => gateway.log().includes(said));
      }
    });

    test("an answer to a task that is forgotten fails the turn, and the question can be called off", async () => {
      const tab = newTab();
      await tab.say("Which size?");
      const [question] = tab.questions;
      await agent.forget();
      assert.deepEqual(errors(await tab.answer("M")), ["remote_failed"]);
      await until("the log has the cause", () => gateway.log().includes("task not found"));
      const { interrupts } = await thread(gateway, tab.threadId);
      assert.deepEqual(interrupts.map(({ id }) => id), [question.id], "it can be answered again");
      const stream = await tab.another().run({ resume: [cancelled(question.id)] });
      assert.deepEqual(stream.texts, ["So be it."], stream.text);
    });
  });
}

seen.shows("tools", "A2A has none");
