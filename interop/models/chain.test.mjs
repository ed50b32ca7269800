// Gateways behind gateways: a question raised two deep is answered from the outermost client, whatever became of the
// gateways in between.

import assert from "node:assert/strict";
import { AsyncResource } from "node:async_hooks";
import { describe, test } from "node:test";
import { cancelled, versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";
import { reservePorts } from "../lib/ports.mjs";
import { teamFile } from "./lib/mock.mjs";
import { startRedis } from "./lib/redis.mjs";
import { Tab } from "./lib/tab.mjs";

const redis = await startRedis();

// What a test starts would end with the test.
const start = AsyncResource.bind(startGateway);

/** A gateway under an address that outlives it: {url, gateway, down(), up(), restart()}. Without a db it remembers nothing. */
async function house(agents, db) {
  const [port] = await reservePorts(1);
  const args = db ? ["-store", `${redis.url}/${db}`] : [];
  const own = {
    async up() {
      own.gateway = await start({ team: teamFile({ agents }), args, port });
      own.url = own.gateway.url;
    },
    /** As a crash does. */
    down: () => own.gateway.kill(),
    async restart() {
      await own.down();
      await own.up();
    },
  };
  await own.up();
  return own;
}

const order = {
  type: "script",
  steps: [
    { say: "Two questions first." },
    {
      ask_many: [
        { key: "size", message: "Which size?", options: ["S", "M", "L"] },
        { key: "colour", message: "Which colour?", options: ["red", "blue"] },
      ],
    },
    { set: { path: "/order", value: { size: "${answers.size}", colour: "${answers.colour}" } } },
    { say: "Ordered: ${answers.size}, ${answers.colour}." },
  ],
};
const through = (name, to, agent) => ({
  type: "groupchat",
  manager: { type: "sequential" },
  participants: [{ name, type: "agui", url: `${to.url}/agents/${agent}`, state: { path: `/${name}` } }],
});

const innermost = await house({ order }, 3);
const middle = await house({ relay: through("deep", innermost, "order") }, 2);
const outermost = await house({ desk: through("relay", middle, "relay") }, 1);

const forgetful = await house({ order });
const before = await house({ relay: through("deep", forgetful, "order") }, 4);
const front = await house({ desk: through("relay", before, "relay") }, 5);

const answers = (tab) => tab.questions.map(({ message }) => ({ value: message === "Which size?" ? "M" : "blue" }));
const asked = async (version, gateway) => {
  const tab = new Tab(gateway, version, { agent: "desk" });
  const stream = await tab.say("An order");
  assert.equal(stream.outcome?.type, "interrupt", stream.text);
  assert.deepEqual(stream.texts, ["Two questions first."]);
  return tab;
};
const ordered = async (tab) => {
  const stream = await tab.answer(...answers(tab));
  assert.deepEqual(stream.outcome, { type: "success" }, stream.text);
  assert.deepEqual(stream.texts, ["Ordered: M, blue."]);
  const { state, messages } = await tab.agrees();
  assert.deepEqual(state, { relay: { deep: { order: { size: "M", colour: "blue" } } } });
  assert.deepEqual(messages.map(({ content }) => content), ["An order", "Two questions first.", "Ordered: M, blue."]);
};

for (const version of versions) {
  describe(version, () => {
    test("two questions from two gateways deep", async () => {
      const tab = await asked(version, outermost);
      assert.deepEqual(tab.questions.map(({ message }) => message), ["Which size?", "Which colour?"]);
      assert.deepEqual(
        tab.questions.map(({ metadata }) => [metadata.groupchat.path, metadata.groupchat.key]),
        [["relay.deep", "size"], ["relay.deep", "colour"]],
      );
      await tab.agrees();
      await ordered(tab);
    });

    for (const [name, one] of Object.entries({ innermost, middle, outermost })) {
      test(`the ${name} gateway died while somebody thought`, async () => {
        const tab = await asked(version, outermost);
        await one.restart();
        await ordered(tab);
      });
    }

    test("all of them died, and another tab answers", async () => {
      const tab = await asked(version, outermost);
      for (const one of [innermost, middle, outermost]) await one.restart();
      const fresh = new Tab(outermost, version, { agent: "desk", threadId: tab.threadId });
      await fresh.run();
      assert.deepEqual(fresh.questions, tab.questions);
      await ordered(fresh);
    });

    test("the innermost gateway is away when the answer comes, and is back for the next", async () => {
      const tab = await asked(version, outermost);
      await innermost.down();
      const failed = await tab.another().run({ resume: tab.questions.map(({ id }, i) => ({ interruptId: id, status: "resolved", payload: answers(tab)[i] })) });
      assert.equal(failed.last.code, "remote_failed", failed.text);
      await innermost.up();
      const fresh = new Tab(outermost, version, { agent: "desk", threadId: tab.threadId });
      await fresh.run();
      assert.deepEqual(fresh.questions, tab.questions);
      await ordered(fresh);
    });

    test("the innermost gateway forgot: the questions stay until they are called off", async () => {
      const tab = await asked(version, front);
      await forgetful.restart();
      const failed = await tab.another().run({ resume: tab.questions.map(({ id }, i) => ({ interruptId: id, status: "resolved", payload: answers(tab)[i] })) });
      assert.equal(failed.last.code, "remote_failed", failed.text);
      const fresh = new Tab(front, version, { agent: "desk", threadId: tab.threadId });
      await fresh.run();
      assert.deepEqual(fresh.questions, tab.questions);
      const stream = await fresh.run({ resume: fresh.questions.map(({ id }) => cancelled(id)) });
      assert.deepEqual(fresh.questions, [], stream.text);
      assert.notEqual((await fresh.agrees()).status, "interrupted");
      // And the thread goes on.
      const next = await fresh.say("Another order");
      assert.equal(next.outcome?.type, "interrupt", next.text);
      const last = await fresh.answer(...answers(fresh));
      assert.deepEqual(last.texts, ["Ordered: M, blue."]);
      await fresh.agrees();
    });
  });
}
