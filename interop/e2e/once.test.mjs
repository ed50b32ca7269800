// Twenty tabs give the same answer at the same moment: it is carried out once, and all twenty see that.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Tab, resolved, versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";

const gateway = await startGateway({ args: ["-voice-delay", "5ms"] });

for (const mix of [...versions.map((version) => [version]), versions]) {
  test(`twenty answers from ${mix.join(" and ")}`, async () => {
    const first = new Tab(gateway, mix[0]);
    await first.say("Plan my trip");
    const { id } = first.questions[0];
    const { messages, state, threadId } = first;
    const tabs = Array.from({ length: 20 }, (_, i) => new Tab(gateway, mix[i % mix.length], { threadId, messages, state }));

    const streams = await Promise.all(tabs.map((tab) => tab.run({ resume: [resolved(id, { airline: "KLM" })] })));

    const after = await first.another().run();
    const [next] = after.outcome.interrupts;
    assert.equal(next.metadata.value.agent, "hotels");
    for (const stream of streams) {
      assert.equal(stream.outcome?.type, "interrupt", stream.text);
      assert.deepEqual(stream.outcome.interrupts.map(({ id }) => id), [next.id]);
    }
    for (const tab of tabs) {
      const truth = await tab.agrees();
      assert.equal(truth.messages.filter(({ content }) => content.includes("I'll book")).length, 1);
      assert.deepEqual(truth.runs.map(({ status }) => status), ["interrupt", "interrupt"]);
    }
  });
}
