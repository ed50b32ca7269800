// Agents of a team file that ask two questions at once, call tools of the page's, set a deadline, and fail.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, test } from "node:test";
import { Tab, ask, cancelled, inputOf, post, resolved, thread, user, versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";
import { until } from "../lib/until.mjs";

const gateway = await startGateway({
  team: `
version: 1
agents:
  form:
    type: script
    steps:
      - say: "Two questions first."
      - ask_many: [ { key: size, message: "Which size?", options: [S, M, L] }, { key: colour, message: "Which colour?", options: [red, blue] } ]
      - set: { path: /order, value: { size: "\${answers.size}", colour: "\${answers.colour}" } }
      - say: "Ordered \${answers.size}, \${answers.colour}."
  map:
    type: script
    steps:
      - say: "Look at this."
      - tool: { name: show_map, arguments: { city: Paris } }
      - set: { path: /seen, value: "\${answers.show_map}" }
      - say: "You saw \${answers.show_map}."
  hasty:
    type: script
    steps:
      - ask: { key: name, message: "Who are you?", ttl: 3s }
      - say: "Hello, \${answers.name}."
  patient:
    type: script
    steps:
      - ask: { key: name, message: "Who are you?", ttl: 1h }
      - say: "Hello, \${answers.name}."
  fragile:
    type: script
    steps:
      - say: "Trying."
      - set: { path: /tried, value: 1 }
      - fail: { code: out_of_paper, message: "The printer is out of paper." }
  careful:
    type: script
    steps:
      - ask: { key: go, message: "Shall I?", options: ["yes", "no"] }
      - fail: { code: tool_failed }
`,
});

const refused = (stream, code) => {
  assert.deepEqual(stream.types, ["RUN_STARTED", "RUN_ERROR"]);
  assert.equal(stream.last.code, code);
};

async function opened(version, agent, path) {
  const tab = new Tab(gateway, version, { agent, path });
  await tab.say("Go");
  return tab;
}

// The only way to see that a question has expired is to look.
const expired = (tab) => until("the question has expired", async () => (await thread(gateway, tab.threadId)).interrupts.length === 0);

for (const version of versions) {
  describe(version, () => {
    describe("two questions at once", () => {
      test("are answered together", async () => {
        for (const [size, colour] of [
          [{ value: "M" }, { value: "red" }],
          ["M", "red"],
          ['{"value":"M"}', '"red"'],
        ]) {
          const tab = await opened(version, "form");
          assert.deepEqual(tab.questions.map(({ message }) => message), ["Which size?", "Which colour?"]);
          assert.deepEqual(tab.questions[0].metadata.value.options, ["S", "M", "L"]);
          const stream = await tab.answer(size, colour);
          assert.deepEqual(stream.outcome, { type: "success" }, stream.text);
          const after = await tab.agrees();
          assert.deepEqual(after.state.order, { size: "M", colour: "red" });
          assert.deepEqual(after.messages.map(({ content }) => content), ["Go", "Two questions first.", "Ordered M, red."]);
        }
      });

      test("are not answered by halves", async () => {
        const tab = await opened(version, "form");
        const before = await tab.agrees();
        const [size, colour] = tab.questions.map(({ id }) => id);
        refused(await tab.another().run({ resume: [resolved(size, "M")] }), "resume_incomplete");
        refused(await tab.another().run({ resume: [resolved(size, "M"), resolved("int_nobody", "red")] }), "resume_incomplete");
        refused(await tab.another().run({ resume: [resolved(size, "M"), resolved(colour, "green")] }), "resume_invalid");
        assert.deepEqual(await thread(gateway, tab.threadId), before);
        await tab.run({ resume: [resolved(colour, "blue"), resolved(size, "L")] });
        assert.deepEqual((await tab.agrees()).state.order, { size: "L", colour: "blue" });
      });

      test("may be called off", async () => {
        for (const resume of [
          ([size, colour]) => [cancelled(size), cancelled(colour)],
          ([size, colour]) => [resolved(size, "M"), cancelled(colour)],
        ]) {
          const tab = await opened(version, "form");
          const stream = await tab.run({ resume: resume(tab.questions.map(({ id }) => id)) });
          assert.deepEqual(stream.outcome, { type: "success" });
          assert.equal((await tab.agrees()).state.order, undefined);
          assert.equal((await tab.say("Again")).outcome.type, "interrupt");
        }
      });

      test("are asked and answered in the older dialect", async () => {
        const tab = await opened(version, "form", "/agents/form?interrupts=legacy");
        const before = await tab.agrees();
        const legacy = (resume) => tab.run({ forwardedProps: { command: { resume } } });
        const ambiguous = await legacy("M");
        assert.equal(ambiguous.of("CUSTOM")[0].value.code, "resume_ambiguous");
        assert.deepEqual(await tab.agrees(), before);
        const [size, colour] = ambiguous.of("CUSTOM").slice(1).map(({ value }) => JSON.parse(value));
        assert.deepEqual([size.message, colour.message], ["Which size?", "Which colour?"]);
        const stream = await legacy([resolved(colour.id, "red"), resolved(size.id, { value: "S" })]);
        assert.equal(stream.last.outcome, undefined);
        assert.deepEqual((await tab.agrees()).state.order, { size: "S", colour: "red" });
      });

      test("are answered by a script without a stream", async () => {
        const tab = await opened(version, "form");
        const ids = tab.questions.map(({ id }) => id);
        const url = `${gateway.url}/threads/${tab.threadId}/resume`;
        const send = (resume) => ask(url, { method: "POST", body: { resume } });
        const half = await send([resolved(ids[0], "M")]);
        assert.deepEqual([half.status, half.body.error.code], [409, "resume_incomplete"]);
        const all = [resolved(ids[0], "M"), resolved(ids[1], "red")];
        const started = await send(all);
        assert.equal(started.status, 202);
        assert.equal(typeof started.body.runId, "string");
        await until("the run ends", async () => (await thread(gateway, tab.threadId)).status !== "running");
        const replay = await send(all);
        assert.deepEqual([replay.status, replay.body], [200, { status: "idle" }]);
        const other = new Tab(gateway, version, { agent: "form", threadId: tab.threadId });
        await other.run();
        assert.deepEqual((await other.agrees()).state.order, { size: "M", colour: "red" });
      });
    });

    describe("a tool of the page's", () => {
      const answer = (tab, content, id = randomUUID()) => {
        const { id: toolCallId } = tab.messages.findLast(({ toolCalls }) => toolCalls)?.toolCalls[0] ?? {};
        tab.client.addMessage({ id, role: "tool", toolCallId, content });
      };

      test("ends the run, and its result goes on with it", async () => {
        const tab = new Tab(gateway, version, { agent: "map" });
        const first = await tab.say("Where is Paris?");
        const [{ toolCallId, toolCallName }] = first.of("TOOL_CALL_START");
        assert.equal(toolCallName, "show_map");
        assert.deepEqual(JSON.parse(first.of("TOOL_CALL_ARGS").map(({ delta }) => delta).join("")), { city: "Paris" });
        assert.deepEqual(first.of("TOOL_CALL_RESULT"), []);
        assert.deepEqual(first.outcome, version === "1.0.0" ? { type: "success", pendingToolCallIds: [toolCallId] } : undefined);
        const waiting = await tab.agrees();
        assert.deepEqual(waiting.openCalls.map(({ id }) => id), [toolCallId]);

        // Asking without the result shows the call, and does not make it again.
        const look = new Tab(gateway, version, { agent: "map", threadId: tab.threadId });
        assert.deepEqual((await look.run()).outcome, { type: "success" });
        assert.deepEqual(await look.agrees(), waiting);

        answer(tab, "the Seine");
        const second = await tab.run();
        assert.deepEqual(second.outcome, { type: "success" });
        assert.deepEqual(second.of("TOOL_CALL_START"), []);
        assert.deepEqual(second.texts, ["You saw the Seine."]);
        const after = await tab.agrees();
        assert.deepEqual(after.openCalls, []);
        assert.deepEqual(after.state, { seen: "the Seine" });
        assert.deepEqual(after.messages.map(({ role }) => role), ["user", "assistant", "assistant", "tool", "assistant"]);

        // The same result again, and another one, change nothing.
        for (const content of ["the Seine", "the Thames"]) {
          answer(look, content);
          await look.run();
          assert.deepEqual(await thread(gateway, tab.threadId), after);
        }
      });

      test("that nobody answers does not hold up the next message", async () => {
        const tab = new Tab(gateway, version, { agent: "map" });
        await tab.say("Where is Paris?");
        const stream = await tab.say("Never mind, again");
        assert.equal(stream.of("TOOL_CALL_START").length, 1);
        const fresh = new Tab(gateway, version, { agent: "map", threadId: tab.threadId });
        await fresh.run();
        const { messages, openCalls } = await fresh.agrees();
        assert.equal(openCalls.length, 1);
        const closed = messages.filter(({ role }) => role === "tool");
        assert.equal(closed.length, 1, "the first call has a result");
        assert.notEqual(closed[0].toolCallId, openCalls[0].id);
      });
    });

    describe("a deadline", { concurrency: true }, () => {
      test("that has passed", async () => {
        const tab = await opened(version, "hasty");
        const { id } = tab.questions[0];
        assert.equal("expiresAt" in tab.questions[0], version === "1.0.0");
        await expired(tab);
        assert.equal((await thread(gateway, tab.threadId)).status, "idle");
        const late = tab.another();
        const stream = await late.run({ resume: [resolved(id, "Ada")] });
        if (version === "1.0.0") {
          refused(stream, "interrupt_expired");
          const off = await late.run({ resume: [cancelled(id)] });
          assert.deepEqual(off.outcome, { type: "success" }, "calling it off is always possible");
          await late.agrees();
          return;
        }
        // Its client cannot see a deadline: it is asked again.
        assert.equal(stream.outcome?.type, "interrupt", stream.text);
        assert.notEqual(late.questions[0].id, id);
        await late.answer("Ada");
        assert.equal((await late.agrees()).messages.at(-1).content, "Hello, Ada.");
      });

      test("that was kept", async () => {
        const tab = await opened(version, "patient");
        if (version === "1.0.0") {
          // Said in whole seconds, never too early.
          const left = Date.parse(tab.questions[0].expiresAt) - Date.now();
          assert.ok(left > 0 && left <= 3601_000, tab.questions[0].expiresAt);
        }
        await tab.answer({ value: "Ada" });
        assert.equal((await tab.agrees()).messages.at(-1).content, "Hello, Ada.");
      });

      test("that has passed is not shown: sent again, the turn asks anew", async () => {
        const tab = await opened(version, "hasty");
        const { id } = tab.questions[0];
        await expired(tab);
        const late = tab.another();
        assert.equal((await late.run()).outcome.type, "interrupt");
        assert.equal(late.questions.length, 1);
        assert.notEqual(late.questions[0].id, id);
        await late.answer("Ada");
        assert.equal((await late.agrees()).messages.at(-1).content, "Hello, Ada.");
      });

      test("that has passed does not hold up the next message", async () => {
        const tab = await opened(version, "hasty");
        const { id } = tab.questions[0];
        await expired(tab);
        const late = tab.another();
        assert.equal((await late.say("Go on")).outcome.type, "interrupt");
        assert.equal(late.questions.length, 1);
        assert.notEqual(late.questions[0].id, id);
        await late.agrees();
      });
    });

    describe("an agent that fails", () => {
      test("ends its run in an error, and the thread goes on", async () => {
        const tab = new Tab(gateway, version, { agent: "fragile" });
        for (const text of ["Print this", "And this"]) {
          const stream = await tab.say(text);
          assert.deepEqual(
            [stream.last.type, stream.last.code, stream.last.message],
            ["RUN_ERROR", "out_of_paper", "The printer is out of paper."],
          );
          const after = await tab.agrees();
          assert.equal(after.status, "failed");
          assert.equal(after.runs[0].code, "out_of_paper");
          assert.equal(after.state.tried, undefined, "the state is what it was before the turn");
          assert.ok(after.messages.some(({ content }) => content === text));
        }
      });

      test("is told its error again when the request is sent again", async () => {
        const input = inputOf(version, { messages: [user("Print this")] });
        const first = (await post(gateway, version, input, { path: "/agents/fragile" })).check();
        const before = await thread(gateway, input.threadId);
        const again = (await post(gateway, version, input, { path: "/agents/fragile" })).check();
        const { timestamp, ...told } = first.last; // what is restated has no time of its own
        assert.ok(timestamp > 0);
        assert.deepEqual(again.last, told);
        assert.deepEqual(await thread(gateway, input.threadId), before);
      });

      test("gives back the answer it failed on", async () => {
        const tab = await opened(version, "careful");
        const [{ id }] = tab.questions;
        const stream = await tab.answer("yes");
        assert.deepEqual([stream.last.type, stream.last.code], ["RUN_ERROR", "tool_failed"]);
        const after = await tab.agrees();
        assert.equal(after.status, "interrupted");
        assert.deepEqual(after.interrupts.map((interrupt) => interrupt.id), [id]);
        const again = await tab.another().run({ resume: [resolved(id, "yes")] });
        assert.equal(again.last.code, "tool_failed", "the answer is tried again");
        const off = await tab.another().run({ resume: [cancelled(id)] });
        assert.deepEqual(off.outcome, { type: "success" });
        const fresh = new Tab(gateway, version, { agent: "careful", threadId: tab.threadId });
        assert.equal((await fresh.say("Once more")).outcome.type, "interrupt");
      });
    });
  });
}

test("one id under two agents is two threads, told apart by name", async () => {
  const form = await opened("1.0.0", "form");
  const map = new Tab(gateway, "1.0.0", { agent: "map", threadId: form.threadId });
  await map.say("Go");
  const url = `${gateway.url}/threads/${form.threadId}`;
  const either = await ask(url);
  assert.deepEqual([either.status, either.body.error.code], [409, "ambiguous_thread"]);
  for (const [agent, { client }] of Object.entries({ form, map })) {
    const { body } = await ask(`${url}?agent=${agent}`);
    assert.deepEqual(client.messages, body.messages);
    assert.deepEqual(client.state, body.state);
  }
  assert.equal((await ask(`${url}?agent=fragile`)).status, 404);
});
