// Threads as their owner sees them beside the stream: listed, named, branched, forgotten; and what an agent says of itself.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Tab, ask, thread, versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";
import { problems } from "../lib/schemas.mjs";

const gateway = await startGateway();
const at = (path) => gateway.url + path;

for (const version of versions) {
  describe(version, () => {
    test("a branch goes on from where it left, and leaves the thread alone", async () => {
      const tab = new Tab(gateway, version);
      await tab.say("Plan my trip");
      await tab.answer({ airline: "KLM" });
      const before = await tab.agrees();
      const messageId = before.messages[2].id; // the last of the first run
      const fork = (body, id = tab.threadId) => ask(at(`/threads/${id}/fork`), { method: "POST", body });
      const forked = await fork({ messageId });
      assert.equal(forked.status, 201);
      const branch = new Tab(gateway, version, { threadId: forked.body.id });
      assert.deepEqual((await branch.run()).outcome, { type: "success" }, "questions are not carried");
      assert.deepEqual(branch.messages, before.messages.slice(0, 3));
      assert.deepEqual(branch.state.itinerary, {});
      await branch.say("Go on planning");
      await branch.answer({ airline: "United" });
      assert.equal((await branch.agrees()).state.itinerary.flight.airline, "United");
      assert.deepEqual(await thread(gateway, tab.threadId), before);
      assert.equal((await fork({ messageId: "nobody's" })).status, 404);
      assert.equal((await fork({ messageId }, "nobody")).status, 404);
      assert.equal((await fork({})).status, 400);
    });

    test("a thread is listed, named and forgotten", async () => {
      const tab = new Tab(gateway, version);
      await tab.say("Plan my trip");
      const mine = async () => (await ask(at("/threads?limit=100"))).body.threads.find(({ id }) => id === tab.threadId);
      const { agent, status, title } = await mine();
      assert.deepEqual({ agent, status, title }, { agent: "travel", status: "interrupted", title: "Plan my trip" });
      const renamed = await ask(at(`/threads/${tab.threadId}`), { method: "PATCH", body: { title: "The bay" } });
      assert.equal(renamed.status, 200);
      assert.equal((await mine()).title, "The bay");

      const gone = await ask(at(`/threads/${tab.threadId}`), { method: "DELETE" });
      assert.deepEqual([gone.status, gone.text], [204, ""]);
      for (const [method, path] of [
        ["GET", ""],
        ["DELETE", ""],
        ["GET", "/events"],
        ["POST", "/stop"],
      ]) {
        const { status: now, body } = await ask(at(`/threads/${tab.threadId}${path}`), { method });
        assert.deepEqual([now, body.error.code], [404, "not_found"], `${method} ${path}`);
      }
      assert.equal(await mine(), undefined);

      // Its id is free again, and its question is nobody's.
      const again = new Tab(gateway, version, { threadId: tab.threadId });
      const late = await again.run({ resume: [{ interruptId: tab.questions[0].id, status: "resolved", payload: { airline: "KLM" } }] });
      assert.equal(late.last.code, "interrupt_not_found");
      assert.equal((await ask(at(`/threads/${tab.threadId}`))).status, 404, "a refusal creates no thread");
      await again.say("Plan my trip");
      await again.agrees();
    });

    test("its messages can be read in pieces", async () => {
      const tab = new Tab(gateway, version);
      await tab.say("Plan my trip");
      await tab.answer({ airline: "KLM" });
      const { messages } = await tab.agrees();
      const page = async (query) => (await ask(at(`/threads/${tab.threadId}?${query}`))).body.messages;
      assert.deepEqual(await page("limit=2"), messages.slice(-2));
      assert.deepEqual(await page(`limit=2&before=${messages.at(-2).id}`), messages.slice(-4, -2));
      assert.deepEqual(await page("limit=100"), messages);
    });
  });
}

test("agents say what they are and can do", async () => {
  const { body } = await ask(at("/agents"));
  const travel = body.agents.find(({ id }) => id === "travel");
  assert.equal(travel.interrupts, true);
  assert.deepEqual(travel.participants.map(({ name }) => name), ["flights_agent", "hotels_agent", "experiences_agent"]);
  const capabilities = await ask(at("/agents/travel/capabilities"));
  assert.equal(capabilities.status, 200);
  assert.deepEqual(problems("AgentCapabilitiesSchema", capabilities.body), []);
  assert.equal((await ask(at("/agents/nobody/capabilities"))).status, 404);
});

test("the server says that it is well, and what it serves", async () => {
  for (const path of ["/healthz", "/readyz"]) assert.equal((await fetch(at(path))).status, 200, path);
  const { body } = await ask(at("/openapi.json"));
  for (const path of ["/agents/{agent}", "/subgraphs", "/threads/{id}", "/threads/{id}/events", "/threads/{id}/resume"]) {
    assert.ok(body.paths[path], path);
  }
});
