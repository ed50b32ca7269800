// Several tabs of both clients do what they like with the same threads, all at once: answer, answer otherwise, speak,
// reload, join, stop, hang up. Whatever happens, every stream is valid and every client ends with what the server holds.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Tab, ask, attach, cancelled, inputOf, post, resolved, thread, user, versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";
import { until } from "../lib/until.mjs";

const seed = Number(process.env.STORM_SEED ?? 1 + Math.floor(Math.random() * 1e6));
const threads = Number(process.env.STORM_THREADS ?? 6);
const steps = Number(process.env.STORM_STEPS ?? 12);

// mulberry32: small, seeded, good enough to choose among eight things.
function dice(state) {
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % sides;
  };
}

const gateways = await Promise.all(
  ["reject", "queue", "supersede"].map((onBusy) => startGateway({ args: ["-voice-delay", "1ms", "-on-busy", onBusy] })),
);

// Answers to each question: right, wrong and malformed.
const choices = {
  flights: [{ airline: "KLM" }, { airline: "United" }, { airline: "Concorde" }, 17],
  hotels: [{ name: "Hotel Zoe" }, { name: "The Ritz-Carlton" }, { name: "Bates Motel" }, { airline: "KLM" }],
};
const sentences = ["Plan my trip", "Hello", "Start over", "I want the other hotel", "Plan a trip to Paris", "Tell me about Tokyo"];

// The ends a stream may come to without anything being wrong.
const refusals = new Set([
  ...["run_in_progress", "cancelled", "interrupt_pending", "interrupt_not_found", "interrupt_already_resolved"],
  ...["resume_incomplete", "resume_invalid", "queue_full"],
]);

async function act(gateway, id, roll) {
  const version = versions[roll(2)];
  const truth = (await ask(`${gateway.url}/threads/${id}`)).body;
  const messages = truth.messages ?? [];
  const send = async (fields, options) => {
    const stream = (await post(gateway, version, inputOf(version, { threadId: id, messages, ...fields }), options)).check();
    if (stream.last.type === "RUN_ERROR") assert.ok(refusals.has(stream.last.code), stream.text);
    return stream;
  };
  const answers = (i) => (truth.interrupts ?? []).map(({ id, metadata }) => resolved(id, choices[metadata.value.agent][i]));
  switch (roll(9)) {
    case 0:
    case 1: {
      const resume = answers(roll(4));
      return send(resume.length > 0 ? { resume } : { messages: [...messages, user("Plan my trip")] });
    }
    case 2: // the very same answer in several tabs
      return Promise.all([1, 2, 3].map(() => send({ resume: answers(0) })));
    case 3:
      return send({ resume: (truth.interrupts ?? []).map((open) => cancelled(open.id)) });
    case 4:
      return send({ messages: [...messages, user(sentences[roll(sentences.length)])] });
    case 5:
      return send({});
    case 6: {
      const reader = await attach(gateway, version, id);
      return reader.status === 200 && reader.check();
    }
    case 7:
      return ask(`${gateway.url}/threads/${id}/stop`, { method: "POST" });
    default: {
      const hangUp = AbortSignal.timeout(roll(40));
      return send({ messages: [...messages, user("Tell me everything about San Francisco")] }, { signal: hangUp }).catch((error) => {
        if (error.name !== "TimeoutError" && error.name !== "AbortError") throw error;
      });
    }
  }
}

const settled = (gateway, id) =>
  until(`the end of ${id}`, async () => {
    const truth = await thread(gateway, id);
    return truth.status !== "running" && truth;
  });

test(`storm ${seed}: ${threads} threads of each kind, ${steps} steps in each of three tabs`, async () => {
  await Promise.all(
    gateways.flatMap((gateway) =>
      Array.from({ length: threads }, async (_, i) => {
        const id = `storm-${i}`;
        await post(gateway, "1.0.0", inputOf("1.0.0", { threadId: id, messages: [user("Plan my trip")] }));
        await Promise.all(
          [0, 1, 2].map(async (tab) => {
            const roll = dice(seed * 1000 + i * 10 + tab);
            for (let step = 0; step < steps; step++) await act(gateway, id, roll);
          }),
        );
        await settled(gateway, id);
        for (const version of versions) {
          const fresh = new Tab(gateway, version, { threadId: id });
          await fresh.run();
          const truth = await fresh.agrees();
          assert.deepEqual(fresh.questions.map((open) => open.id), truth.interrupts.map((open) => open.id));
          assert.equal(new Set(truth.messages.map((message) => message.id)).size, truth.messages.length);
        }
        const stream = await post(gateway, "1.0.0", inputOf("1.0.0", {
          threadId: id,
          messages: [user("Hello")],
          resume: (await thread(gateway, id)).interrupts.map((open) => cancelled(open.id)),
        }));
        assert.equal(stream.check().last.type, "RUN_FINISHED", "and the thread is not stuck");
      }),
    ),
  );
  for (const gateway of gateways) {
    const trouble = gateway.log().split("\n").filter((line) => /DATA RACE|panic|"ERROR"/.test(line));
    assert.deepEqual(trouble, []);
  }
});
