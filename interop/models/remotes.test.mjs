// Specialists on other servers: one on a small Node server, one on a second gateway, in one chat.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { ask, cancelled, versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";
import { until } from "../lib/until.mjs";
import { startClerk } from "./lib/clerk.mjs";
import { teamFile } from "./lib/mock.mjs";
import { keepsSecrets, secrets, Tab } from "./lib/tab.mjs";

const clerk = await startClerk();
const shop = await startGateway({
  team: teamFile({
    agents: {
      counter: {
        type: "groupchat",
        manager: { type: "sequential" },
        participants: [
          {
            name: "tailor",
            type: "script",
            steps: [
              { say: "Let me measure." },
              { ask: { key: "size", message: "Which size?", options: ["S", "M", "L"] } },
              { set: { path: "/size", value: "${answers.size}" } },
              { say: "${answers.size} it is." },
            ],
          },
        ],
      },
    },
  }),
});

const clerkAt = (more = {}) => ({
  type: "agui",
  url: clerk.url,
  headers: { Authorization: `Bearer ${secrets[0]}` },
  state: { path: "/hotel" },
  ...more,
});
const shopAt = { type: "agui", url: `${shop.url}/agents/counter`, state: { path: "/shop" } };
const gateway = await startGateway({
  team: teamFile({
    agents: {
      desk: {
        type: "groupchat",
        manager: {
          type: "rules",
          rules: [
            { when: { missing: "/hotel/room" }, speaker: "clerk" },
            { when: { missing: "/shop/size" }, speaker: "shop" },
          ],
          default: "done",
        },
        participants: [
          { name: "clerk", description: "Has rooms", ...clerkAt() },
          { name: "shop", description: "Has coats", ...shopAt },
        ],
      },
      both: {
        type: "concurrent",
        participants: [
          { name: "clerk", ...clerkAt() },
          { name: "shop", ...shopAt },
        ],
      },
      alone: clerkAt({ state: undefined }),
      skipped: {
        type: "groupchat",
        manager: { type: "sequential" },
        participants: [
          { name: "clerk", ...clerkAt(), on_error: "skip" },
          { name: "porter", type: "script", steps: [{ say: "The clerk is out." }] },
        ],
      },
    },
  }),
});
after(() => keepsSecrets(gateway));

test("the clerk is a server by the client's own measure", async () => {
  const tab = new Tab(clerk, "1.0.0", { path: "" });
  assert.equal((await tab.say("A room, please")).outcome.type, "interrupt");
  assert.deepEqual((await tab.answer({ value: "north" })).outcome, { type: "success" });
  assert.deepEqual(tab.state, { visits: 1, room: "north" });
});

for (const version of versions) {
  describe(version, () => {
    test("a clerk on a Node server and a shop on another gateway work for one chat", async () => {
      const tab = new Tab(gateway, version, { agent: "desk" });
      const first = await tab.say("A room and a coat, please");
      assert.equal(first.outcome.type, "interrupt", first.text);
      assert.deepEqual(first.texts, ["I look for a room."]);
      assert.deepEqual(first.of("STEP_STARTED").map(({ stepName }) => stepName), ["clerk", "clerk.looking"]);
      assert.deepEqual(tab.questions.map(({ message, metadata }) => [message, metadata.value.options]), [["Which room?", ["north", "south"]]]);
      const asked = clerk.requests.at(-1);
      assert.equal(asked.protocolVersion, "1.0");
      assert.deepEqual(asked.messages.map(({ content }) => content), ["A room and a coat, please"]);
      assert.deepEqual((await tab.agrees()).state, { hotel: { visits: 1 } });

      const second = await tab.answer({ value: "north" });
      assert.equal(second.outcome.type, "interrupt", second.text);
      assert.deepEqual(second.texts, ["The north room is yours.", "Let me measure."]);
      const resumed = clerk.requests.at(-1);
      assert.equal(resumed.threadId, asked.threadId);
      assert.deepEqual(resumed.resume.map(({ status, payload }) => [status, payload]), [["resolved", { value: "north" }]]);
      assert.deepEqual(tab.questions.map(({ message }) => message), ["Which size?"]);
      await tab.agrees();

      const third = await tab.answer({ value: "L" });
      assert.deepEqual(third.outcome, { type: "success" }, third.text);
      assert.deepEqual(third.texts, ["L it is."]);
      const { state, messages } = await tab.agrees();
      assert.deepEqual(state, { hotel: { visits: 1, room: "north" }, shop: { size: "L" } });
      assert.deepEqual(messages.slice(1).map(({ name }) => name), ["clerk", "clerk", "shop.tailor", "shop.tailor"]);
      assert.equal(new Set(messages.map(({ id }) => id)).size, messages.length);
    });

    test("both ask at once, and one resume answers both", async () => {
      const tab = new Tab(gateway, version, { agent: "both" });
      const first = await tab.say("A room and a coat, please");
      assert.equal(first.outcome.type, "interrupt", first.text);
      assert.deepEqual(tab.questions.map(({ message }) => message).toSorted(), ["Which room?", "Which size?"]);
      await tab.agrees();
      const second = await tab.answer(...tab.questions.map(({ message }) => ({ value: message === "Which room?" ? "south" : "M" })));
      assert.deepEqual(second.outcome, { type: "success" }, second.text);
      assert.deepEqual(second.texts.toSorted(), ["M it is.", "The south room is yours."]);
      assert.deepEqual((await tab.agrees()).state, { hotel: { visits: 1, room: "south" }, shop: { size: "M" } });
    });

    test("an agent of its own, whose state is the thread's", async () => {
      const tab = new Tab(gateway, version, { agent: "alone", state: { visits: 4 } });
      await tab.say("A room, please");
      await tab.agrees();
      const stream = await tab.answer({ value: "south" });
      assert.deepEqual(stream.outcome, { type: "success" }, stream.text);
      assert.deepEqual((await tab.agrees()).state, { visits: 5, room: "south" });
    });

    test("a question that is called off is called off there", async () => {
      const tab = new Tab(gateway, version, { agent: "alone" });
      await tab.say("A room, please");
      const stream = await tab.run({ resume: [cancelled(tab.questions[0].id)] });
      assert.deepEqual(stream.texts, ["No room, then."]);
      assert.equal(clerk.requests.at(-1).resume[0].status, "cancelled");
      await tab.agrees();
    });

    test("an answer that is none does not get there", async () => {
      const tab = new Tab(gateway, version, { agent: "alone" });
      await tab.say("A room, please");
      const before = clerk.requests.length;
      const refused = await tab.answer({ value: "west" });
      assert.equal(refused.last.code, "resume_invalid", refused.text);
      assert.equal(clerk.requests.length, before);
      const stream = await tab.answer({ value: "north" });
      assert.deepEqual(stream.texts, ["The north room is yours."]);
      await tab.agrees();
    });

    test("the clerk's call is made in the browser", async () => {
      const tab = new Tab(gateway, version, { agent: "alone" });
      const tools = [{ name: "show_map", description: "Shows a map", parameters: { type: "object" } }];
      const first = await tab.say("Is there a map?", { tools });
      assert.deepEqual(clerk.requests.at(-1).tools.map(({ name }) => name), ["show_map"]);
      const [call] = first.of("TOOL_CALL_START");
      if (version === "1.0.0") assert.deepEqual(first.outcome.pendingToolCallIds, [call.toolCallId]);
      await tab.agrees();
      tab.client.addMessage({ id: `seen-${tab.threadId}`, role: "tool", toolCallId: call.toolCallId, content: "a city" });
      const second = await tab.run({ tools });
      assert.deepEqual(second.texts, ["I see: a city."]);
      await tab.agrees();
    });

    test("a clerk who has forgotten fails the run, and the question stays", async () => {
      const tab = new Tab(gateway, version, { agent: "desk" });
      await tab.say("A room and a coat, please");
      const [question] = tab.questions;
      clerk.lose();
      for (let i = 0; i < 2; i++) {
        const stream = await tab.another().run({ resume: [{ interruptId: question.id, status: "resolved", payload: { value: "north" } }] });
        assert.equal(stream.last.code, "remote_failed", stream.text);
        const again = new Tab(gateway, version, { agent: "desk", threadId: tab.threadId });
        await again.run();
        assert.deepEqual(again.questions, [question]);
        assert.equal((await again.agrees()).status, "interrupted");
      }
      clerk.find();
      const stream = await tab.answer({ value: "north" });
      assert.deepEqual(stream.texts, ["The north room is yours.", "Let me measure."]);
      await tab.agrees();
    });

    for (const [agent, code] of [["alone", "remote_failed"], ["skipped", undefined]]) {
      for (const words of ["cut me short", "talk nonsense"]) {
        test(`a stream that is none: ${words}, ${agent}`, async () => {
          const tab = new Tab(gateway, version, { agent });
          const stream = await tab.say(words);
          assert.equal(stream.last.code, code, stream.text);
          const { messages } = await tab.agrees();
          const kept = code ? [] : ["The clerk is out."];
          assert.deepEqual(messages.map(({ content }) => content).filter((text) => text !== "I was about to"), [words, ...kept]);
        });
      }
    }

    test("to stop the chat is to stop the clerk", async () => {
      const tab = new Tab(gateway, version, { agent: "alone" });
      const began = tab.until((text) => text.includes('"time"'));
      const run = tab.say("Go slowly");
      await began;
      assert.equal(clerk.open(), 1);
      const { body } = await ask(`${gateway.url}/threads/${tab.threadId}/stop`, { method: "POST" });
      assert.deepEqual(body, { stopped: true });
      await run;
      await until("the clerk is left alone", () => clerk.open() === 0);
      await tab.agrees();
    });
  });
}
