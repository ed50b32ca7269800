// A chat nested five deep that pauses in two leaves at once, over a restart; and with another topology after it.

import assert from "node:assert/strict";
import { AsyncResource } from "node:async_hooks";
import { describe, test } from "node:test";
import { cancelled, resolved, thread, versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";
import { reservePorts } from "../lib/ports.mjs";
import { teamFile } from "./lib/mock.mjs";
import { startRedis } from "./lib/redis.mjs";
import { Tab } from "./lib/tab.mjs";

const redis = await startRedis();
const args = ["-store", redis.url];
const [port] = await reservePorts(1);
// What a test starts would end with the test.
const start = AsyncResource.bind((team) => startGateway({ team, args, port }));

const chat = (...participants) => ({ type: "groupchat", manager: { type: "sequential" }, participants });
const leaf = (name, key, message, options, words) => ({
  name,
  type: "script",
  steps: [
    { say: `${name} asks.` },
    { ask: { key, message, options } },
    { set: { path: `/${key}`, value: `\${answers.${key}}` } },
    { say: words },
  ],
});

/** The team; its parts can be called otherwise. */
const team = ({ dyer = "dyer", words = "${answers.colour} it is.", more = [], joint = "both" } = {}) =>
  teamFile({
    agents: {
      desk: chat({
        name: "two",
        ...chat({
          name: "three",
          ...chat(
            {
              name: joint,
              type: "concurrent",
              participants: [
                { name: "left", ...chat({ name: "five", ...chat(leaf("tailor", "size", "Which size?", ["S", "M"], "${answers.size} it is.")) }) },
                { name: "right", ...chat(leaf(dyer, "colour", "Which colour?", ["red", "blue"], words)) },
              ],
            },
            { name: "clerk", type: "script", steps: [{ say: "I write it down." }] },
            ...more,
          ),
        }),
      }),
    },
  });

let gateway = await start(team());
/** Another process with another team, under the same address and with the same store. */
const restart = async (changed) => {
  await gateway.kill();
  gateway = await start(changed);
};

const asked = async (version) => {
  const tab = new Tab(gateway, version, { agent: "desk" });
  const stream = await tab.say("A coat");
  assert.equal(stream.outcome?.type, "interrupt", stream.text);
  assert.deepEqual(stream.texts.toSorted(), ["dyer asks.", "tailor asks."]);
  return tab;
};
const byMessage = (tab, answers) => tab.questions.map(({ message }) => answers[message]);
const both = { "Which size?": "M", "Which colour?": "blue" };

for (const version of versions) {
  describe(version, () => {
    test("two leaves wait, and go on in another process", async () => {
      const tab = await asked(version);
      assert.deepEqual(
        Object.fromEntries(tab.questions.map(({ metadata }) => [metadata.groupchat.path, metadata.groupchat.key])),
        { "two.three.both.left.five.tailor": "size", "two.three.both.right.dyer": "colour" },
      );
      await tab.agrees();
      await restart(team());
      const stream = await tab.answer(...byMessage(tab, both));
      assert.deepEqual(stream.outcome, { type: "success" }, stream.text);
      assert.deepEqual(stream.texts.toSorted(), ["I write it down.", "M it is.", "blue it is."]);
      const { state, messages } = await tab.agrees();
      assert.deepEqual(state, { size: "M", colour: "blue" });
      assert.equal(messages.length, 6);
    });

    test("one answer of two is refused, and nothing is lost", async () => {
      const tab = await asked(version);
      const refused = await tab.another().run({ resume: [resolved(tab.questions[0].id, byMessage(tab, both)[0])] });
      assert.equal(refused.last.code, "resume_incomplete", refused.text);
      await restart(team());
      const stream = await tab.answer(...byMessage(tab, both));
      assert.deepEqual(stream.outcome, { type: "success" }, stream.text);
    });

    test("one is called off, the other answered", async () => {
      const tab = await asked(version);
      await restart(team());
      const stream = await tab.run({
        resume: tab.questions.map(({ id, message }) => (message === "Which size?" ? cancelled(id) : resolved(id, "red"))),
      });
      assert.deepEqual(stream.outcome, { type: "success" }, stream.text);
      assert.deepEqual((await tab.agrees()).state, { colour: "red" });
    });

    test("another text and another participant are no other topology", async () => {
      const tab = await asked(version);
      await restart(team({ words: "You get ${answers.colour}.", more: [{ name: "porter", type: "script", steps: [{ say: "I carry it." }] }] }));
      const stream = await tab.answer(...byMessage(tab, both));
      assert.deepEqual(stream.outcome, { type: "success" }, stream.text);
      assert.deepEqual(stream.texts.toSorted(), ["I carry it.", "I write it down.", "M it is.", "You get blue."]);
      await tab.agrees();
      await restart(team());
    });

    for (const [title, changed] of [
      ["another leaf", { dyer: "painter" }],
      ["another joint far above the leaves", { joint: "pair" }],
    ]) {
      test(`with ${title} the answer is refused, and the thread stays readable`, async () => {
        const tab = await asked(version);
        const before = await thread(gateway, tab.threadId);
        await restart(team(changed));
        const refused = await tab.another().run({ resume: tab.questions.map(({ id }, i) => resolved(id, byMessage(tab, both)[i])) });
        assert.equal(refused.last.code, "checkpoint_incompatible", refused.text);
        const now = await thread(gateway, tab.threadId);
        for (const member of ["messages", "state", "interrupts", "status"]) assert.deepEqual(now[member], before[member], member);

        // The old team takes the same answer; until then a new tab sees what there is.
        const fresh = new Tab(gateway, version, { agent: "desk", threadId: tab.threadId });
        await fresh.run();
        assert.deepEqual(fresh.questions, tab.questions);
        assert.deepEqual(fresh.messages, before.messages);
        await restart(team());
        const stream = await fresh.answer(...byMessage(fresh, both));
        assert.deepEqual(stream.outcome, { type: "success" }, stream.text);
        await fresh.agrees();
      });
    }

    test("with another topology the questions can be called off, and the thread goes on", async () => {
      const tab = await asked(version);
      await restart(team({ dyer: "painter" }));
      const stream = await tab.run({ resume: tab.questions.map(({ id }) => cancelled(id)) });
      assert.deepEqual(stream.outcome, { type: "success" }, stream.text);
      assert.equal((await tab.agrees()).status, "idle");
      const next = await tab.say("Once more");
      assert.equal(next.outcome?.type, "interrupt", next.text);
      assert.deepEqual(next.texts.toSorted(), ["painter asks.", "tailor asks."]);
      await tab.agrees();
      await restart(team());
    });
  });
}
