// Teams within teams: questions come up from any depth, and each answer finds its asker.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Tab, cancelled, versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";

const gateway = await startGateway({
  team: `
version: 1
agents:
  desk:
    type: groupchat
    manager: { type: rules, rules: [ { when: { missing: /order }, speaker: counter }, { when: { missing: /note }, speaker: clerk } ], default: done }
    state: { initial: { shop: corner } }
    participants:
      - name: counter
        type: groupchat
        manager: { type: rules, rules: [ { when: { missing: /size }, speaker: tailor }, { when: { missing: /order }, speaker: dyer } ], default: done }
        participants:
          - name: tailor
            type: script
            steps:
              - say: "Let me measure."
              - ask: { key: size, message: "Which size?", options: [S, M, L] }
              - set: { path: /size, value: "\${answers.size}" }
              - say: "\${answers.size} it is."
          - name: dyer
            type: script
            steps:
              - ask_many: [ { key: colour, message: "Which colour?", options: [red, blue] }, { key: shade, message: "Which shade?", options: [light, dark] } ]
              - set: { path: /order, value: { colour: "\${answers.colour}", shade: "\${answers.shade}" } }
              - say: "\${answers.shade} \${answers.colour}."
      - name: clerk
        type: script
        steps:
          - say: "I write it down."
          - set: { path: /note, value: done }
`,
});

const names = (stream, type) => stream.of(type).map(({ name, stepName }) => name ?? stepName);

for (const version of versions) {
  describe(version, () => {
    test("a question two levels down", async () => {
      const tab = new Tab(gateway, version, { agent: "desk" });
      const first = await tab.say("A coat, please");
      assert.equal(first.outcome.type, "interrupt", first.text);
      assert.deepEqual(names(first, "STEP_STARTED").filter((name) => name !== "supervisor"), ["counter", "counter.tailor"]);
      assert.deepEqual(names(first, "SUBAGENT_STARTED"), ["counter", "tailor"]);
      const [outer, inner] = first.of("SUBAGENT_STARTED");
      assert.equal(inner.parentSubagentRunId, outer.subagentRunId);
      const [size] = tab.questions;
      assert.equal(size.subagentRunId, inner.subagentRunId);
      const ends = Object.fromEntries(first.of("SUBAGENT_FINISHED").map(({ subagentRunId, outcome }) => [subagentRunId, outcome]));
      assert.deepEqual(ends, {
        [inner.subagentRunId]: { type: "suspended", interruptIds: [size.id] },
        [outer.subagentRunId]: { type: "suspended" },
      });
      await tab.agrees();

      const second = await tab.answer("L");
      assert.deepEqual(
        second.of("SUBAGENT_STARTED").slice(0, 2).map(({ subagentRunId }) => subagentRunId),
        [outer.subagentRunId, inner.subagentRunId],
        "announced again, parents first",
      );
      assert.deepEqual(second.texts, ["L it is."]);
      assert.deepEqual(tab.questions.map(({ message }) => message), ["Which colour?", "Which shade?"]);
      await tab.agrees();

      const third = await tab.answer("blue", "dark");
      assert.deepEqual(third.outcome, { type: "success" });
      const { state, messages } = await tab.agrees();
      assert.deepEqual(state, { shop: "corner", size: "L", order: { colour: "blue", shade: "dark" }, note: "done" });
      assert.deepEqual(
        messages.map(({ content }) => content),
        ["A coat, please", "Let me measure.", "L it is.", "dark blue.", "I write it down."],
      );
      assert.deepEqual(messages.slice(1).map(({ name }) => name), ["tailor", "tailor", "dyer", "clerk"]);
    });

    test("a question two levels down is shown again, and called off", async () => {
      const tab = new Tab(gateway, version, { agent: "desk" });
      await tab.say("A coat, please");
      const again = new Tab(gateway, version, { agent: "desk", threadId: tab.threadId });
      await again.run();
      assert.deepEqual(again.questions, tab.questions);
      const stream = await again.run({ resume: [cancelled(tab.questions[0].id)] });
      assert.ok(["RUN_FINISHED", "RUN_ERROR"].includes(stream.last.type));
      await again.agrees();
    });
  });
}
