// CopilotKit's routes as its pages use them, with both transports. Their client ends a stream without a word at the first
// frame that its schemas do not know, so every frame is held against the schemas of the client it is made of, 0.0.59.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, test } from "node:test";
import { ask, cancelled, fold, inputOf, resolved, thread, user } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";
import { Stream } from "../lib/streams.mjs";
import { begun, startHeldModel } from "../lib/held.mjs";

const version = "0.0.59";
const held = await startHeldModel();
const team = `version: 1
models: ${JSON.stringify(held.models)}
agents:
  desk: { type: llm, model: held }
  shop: { type: script, steps: [ { ask: { key: size, message: "Which size?", options: [S, M] } }, { say: "Ordered." }, { sleep: 1h } ] }
  travel: { type: travel }
  breaks:
    type: script
    steps:
      - ask: { key: size, message: "Which size?", options: [S, M] }
      - say: "Now it breaks."
      - fail: { code: out_of_stock, message: "Sold out." }
  broken:
    type: script
    steps: [ { say: "Now it breaks." }, { fail: { code: out_of_stock, message: "Sold out." } } ]
`;
const gateway = await startGateway({ team, args: ["-voice-delay", "5ms"] });

const klm = { airline: "KLM" };
const zoe = { name: "Hotel Zoe" };
const base = "/api/copilotkit";

// The two ways to say the same.
const transports = {
  rest: (verb, agent, threadId, body) => ({ path: `${base}/agent/${agent}/${verb}${verb === "stop" ? `/${threadId}` : ""}`, body }),
  single: (verb, agentId, threadId, body) => ({
    path: base,
    body: { method: `agent/${verb}`, params: { agentId, ...(verb === "stop" && { threadId }) }, body },
  }),
};

/** A page on one thread: it knows what it was told, and sends all of it. */
class Page {
  constructor(transport, { agent = "travel", threadId = randomUUID(), server = gateway } = {}) {
    Object.assign(this, { transport, agent, threadId, server, messages: [], state: {}, questions: [] });
  }

  /** The same thread in another tab, as far as this one knows it. */
  another() {
    return Object.assign(new Page(this.transport, this), { messages: this.messages, state: this.state, questions: this.questions });
  }

  input(fields) {
    return inputOf(version, { threadId: this.threadId, messages: this.messages, state: this.state, ...fields });
  }

  say(content) {
    this.messages = [...this.messages, user(content)];
    return this.ask("run", this.input());
  }

  answer(payload) {
    return this.ask("run", this.input({ resume: this.questions.map(({ id }) => resolved(id, payload)) }));
  }

  connect() {
    return this.ask("connect", this.input({ messages: [], state: {} }));
  }

  /** Asks for a stream, holds it to everything, and becomes what it adds up to. */
  async ask(verb, input, { enough } = {}) {
    const { path, body } = transports[this.transport](verb, this.agent, this.threadId, input);
    const request = { method: "POST", headers: { "Content-Type": "application/json", Accept: "text/event-stream" }, body: JSON.stringify(body) };
    const response = await fetch(this.server.url + path, request);
    let text = "";
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      text += piece;
      enough?.(text);
    }
    assert.equal(response.status, 200, text);
    assert.equal(response.headers.get("content-type"), "text/event-stream");
    const stream = new Stream({ request: `POST ${path} ${request.body}`, status: 200, text, version });
    if (text === "") return stream;
    stream.check();
    assert.deepEqual(new Set(stream.events.flatMap(({ runId }) => runId ?? [])), new Set([input.runId]), "the page's word for the run");
    if (input.threadId !== this.threadId) return stream; // it was about suggestions
    const watcher = await fold(version, stream.events, { threadId: this.threadId, messages: input.messages });
    Object.assign(this, { messages: watcher.messages, state: watcher.state, questions: stream.outcome?.interrupts ?? [] });
    return stream;
  }

  /** Begins a stream and resolves when `enough` is true of its text: {stream} is the promise of all of it. */
  async begin(verb, input, enough) {
    let stream;
    await new Promise((resolve, reject) => {
      stream = this.ask(verb, input, { enough: (text) => enough(text) && resolve() });
      stream.then(() => reject(new Error("it ended too early")), reject);
    });
    return { stream };
  }

  async stop(body) {
    const { path, body: sent } = transports[this.transport]("stop", this.agent, this.threadId, body);
    const answer = await ask(this.server.url + path, { method: "POST", body: sent });
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  }

  /** Fails unless the page shows what the server says the thread is. */
  async agrees() {
    const truth = await thread(this.server, this.threadId);
    assert.deepEqual(this.messages, truth.messages);
    assert.deepEqual(this.state, truth.state);
    return truth;
  }
}

const told = (stream, name) => {
  const found = stream.of("CUSTOM").filter((event) => event.name === name);
  assert.equal(found.length, 1, stream.text);
  return found[0].value;
};
const askedBy = (page) => page.questions.map(({ metadata }) => metadata.value.agent);
const stopped = { stopped: true, interrupt: { type: "RUN_ERROR", message: "Run stopped by user", code: "STOPPED" } };

for (const transport of Object.keys(transports)) {
  describe(transport, () => {
    test("a trip is planned, over reloads and in two tabs", async () => {
      const page = new Page(transport);
      assert.equal((await page.connect()).text, "", "a thread nobody knows is empty");
      await page.say("Plan my trip");
      assert.deepEqual(askedBy(page), ["flights"]);
      await page.agrees();
      const stale = page.another();

      const loaded = new Page(transport, page);
      await loaded.connect();
      assert.deepEqual(loaded.questions, page.questions);
      await loaded.agrees();
      await loaded.answer(klm);
      assert.deepEqual(askedBy(loaded), ["hotels"]);
      await loaded.agrees();

      // The other tab still shows the first question: whatever it says, it is shown how things stand.
      const late = await stale.another().answer({ airline: "United" });
      assert.equal(told(late, "gateway.refused").code, "interrupt_already_resolved");
      assert.equal(late.outcome.interrupts[0].metadata.value.agent, "hotels");
      await stale.answer(klm);
      assert.deepEqual(askedBy(stale), ["hotels"]);
      await stale.agrees();

      await stale.answer(zoe);
      assert.deepEqual(stale.questions, []);
      const truth = await stale.agrees();
      assert.equal(truth.state.planning_step, "complete");
      const again = new Page(transport, page);
      assert.deepEqual((await again.connect()).outcome, { type: "success" });
      await again.agrees();
    });

    test("what is refused asks again", async () => {
      const page = new Page(transport);
      await page.say("Plan my trip");
      const [{ id }] = page.questions;
      for (const [resume, code] of [
        [[resolved("int_unknown", klm)], "interrupt_not_found"],
        [[resolved(id, { price: "$1" })], "resume_invalid"],
        [[resolved(id, klm), resolved(id, { airline: "United" })], "resume_invalid"],
      ]) {
        const refused = await page.ask("run", page.input({ resume }));
        assert.equal(told(refused, "gateway.refused").code, code);
        assert.deepEqual(page.questions.map((question) => question.id), [id]);
      }
      const pending = await page.say("Another thing");
      assert.equal(told(pending, "gateway.refused").code, "interrupt_pending");
      assert.equal(page.messages.at(-1).content, "Another thing", "it stays on the page");
      await page.ask("run", page.input({ resume: [cancelled(id)] }));
      assert.deepEqual(page.questions, []);
      await page.agrees();
    });

    test("an error after an answer asks again, any other is told", async () => {
      const page = new Page(transport, { agent: "breaks" });
      await page.say("Hello");
      const [{ id }] = page.questions;
      const failed = await page.answer({ value: "M" });
      assert.equal(told(failed, "gateway.failed").code, "out_of_stock");
      assert.deepEqual(page.questions.map((question) => question.id), [id]);
      await page.agrees();
      const loaded = new Page(transport, page);
      await loaded.connect();
      assert.deepEqual(loaded.questions.map((question) => question.id), [id]);

      const other = new Page(transport, { agent: "broken" });
      const error = await other.say("Hello");
      assert.deepEqual([error.last.type, error.last.code], ["RUN_ERROR", "out_of_stock"]);
      await other.agrees();
      assert.deepEqual((await new Page(transport, other).connect()).outcome, { type: "success" });
    });

    test("a long answer is stopped, by its own tab or by one that watches", async () => {
      for (const body of [(run) => ({ runId: run }), () => undefined, () => ({}), () => ({ runId: "the connect's own" })]) {
        const page = new Page(transport, { agent: "desk" });
        page.messages = [user("Tell me everything")];
        const input = page.input();
        const run = await page.begin("run", input, begun);
        const watcher = new Page(transport, page);
        const watched = await watcher.begin("connect", watcher.input({ messages: [], state: {} }), begun);
        assert.deepEqual(await watcher.stop(body(input.runId)), stopped);
        for (const { stream } of [run, watched]) {
          const { last } = await stream;
          assert.equal(last.type, "RUN_FINISHED");
          assert.equal(last.outcome, undefined);
        }
        await page.agrees();
        await watcher.agrees();
        const loaded = new Page(transport, page);
        await loaded.connect();
        const truth = await loaded.agrees();
        assert.equal(truth.messages.length, 2, "the text that was stopped is there");
        assert.deepEqual(await page.stop(), { stopped: false, message: `No active run for thread '${page.threadId}'.` });
        assert.equal((await page.stop({ runId: input.runId })).stopped, false);
      }
    });

    test("a second message meets a busy thread", async () => {
      const page = new Page(transport, { agent: "desk" });
      page.messages = [user("Tell me everything")];
      const run = await page.begin("run", page.input(), begun);
      const other = new Page(transport, page);
      const busy = await other.ask("run", other.input({ messages: [...page.messages, user("Hello")] }));
      assert.deepEqual(busy.events.map(({ type, code }) => code ?? type), ["RUN_STARTED", "run_in_progress"]);
      await page.stop();
      await run.stream;
    });

    test("an answer is made anew", async () => {
      const page = new Page(transport);
      await page.say("Hello, what can you do?");
      await page.say("Plan my trip");
      await page.ask("run", page.input({ resume: page.questions.map(({ id }) => cancelled(id)) }));
      page.messages = page.messages.slice(0, 3); // as regenerating does
      await page.ask("run", page.input());
      assert.deepEqual(askedBy(page), ["flights"]);
      const truth = await page.agrees();
      assert.deepEqual(truth.messages.slice(0, 4).map(({ role }) => role), ["user", "assistant", "user", "assistant"]);
      assert.equal(truth.messages.filter(({ role }) => role === "user").length, 2);
    });

    test("suggestions fit the trip, and leave nothing behind", async () => {
      const page = new Page(transport);
      const before = await ask(`${gateway.url}/threads?limit=100`);
      const suggest = async () => {
        const threadId = randomUUID();
        const input = page.input({
          threadId,
          messages: [...page.messages, user("Suggest. Provide at least 1 and at most 3 suggestions.", threadId)],
          tools: [{ name: "copilotkitSuggest", description: "Suggest", parameters: { type: "object", properties: {} } }],
          forwardedProps: { toolChoice: { type: "function", function: { name: "copilotkitSuggest" } } },
        });
        // With one route for everything the client runs the agent instead, on a thread it throws away.
        const stream = await page.ask(transport === "single" ? "run" : "suggest", input);
        const { messages } = await fold(version, stream.events, { threadId, messages: input.messages });
        const [call] = messages.at(-1).toolCalls;
        assert.equal(call.function.name, "copilotkitSuggest");
        return JSON.parse(call.function.arguments).suggestions.map(({ title, message }) => (assert.ok(title && message), title));
      };
      assert.match((await suggest())[0], /^Plan a trip to/);
      await page.say("Plan my trip");
      assert.equal((await suggest())[0], "Go on");
      await page.answer(klm);
      await page.answer(zoe);
      assert.equal((await suggest())[0], "Start over");
      const after = await ask(`${gateway.url}/threads?limit=100`);
      assert.deepEqual(
        after.body.threads.map(({ id }) => id).filter((id) => !before.body.threads.some((one) => one.id === id)),
        [page.threadId],
      );
    });

    test("a server that ends asks again", async () => {
      const server = await startGateway({ team, args: ["-drain", "50ms"] });
      const page = new Page(transport, { agent: "shop", server });
      await page.say("Go");
      const [{ id }] = page.questions;
      const run = await page.begin("run", page.input({ resume: [resolved(id, "M")] }), (text) => text.includes("Ordered."));
      const ended = server.stop();
      assert.equal(told(await run.stream, "gateway.failed").code, "draining");
      assert.deepEqual(page.questions.map((question) => question.id), [id]);
      await ended;
    });
  });
}
