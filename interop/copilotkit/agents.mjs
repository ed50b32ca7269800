// The agents that the requests of exchanges.mjs run.

/** What each agent of the table does, as a generator of events; teamFile has the same agents for the gateway. */
export const scripts = {
  *short() {
    yield* text("Hello.");
    yield { type: "STATE_DELTA", delta: [{ op: "add", path: "/answer", value: 42 }] };
  },
  *long() {
    yield* text("Working.");
    yield "wait";
  },
  *failing() {
    yield* text("Trying.");
    throw new Error("It broke.");
  },
  *asking({ resume }) {
    if (resume === undefined) {
      const question = { id: crypto.randomUUID(), reason: "input_required", message: "Which size?" };
      return { type: "interrupt", interrupts: [question] };
    }
    yield* text(resume[0].status === "cancelled" ? "All right, I leave it at that." : "Ordered.");
  },
};

/** The same agents as a team file for the gateway. */
export const teamFile = `
version: 1
agents:
  short: { type: script, steps: [ { say: Hello. }, { set: { path: /answer, value: 42 } } ] }
  long: { type: script, steps: [ { say: Working. }, { sleep: 5m } ] }
  failing: { type: script, steps: [ { say: Trying. }, { fail: { code: agent_failed, message: It broke. } } ] }
  asking: { type: script, steps: [ { ask: { key: size, message: "Which size?", options: [S, M, L] } }, { say: Ordered. } ] }
`;

function* text(delta) {
  const messageId = crypto.randomUUID();
  yield { type: "TEXT_MESSAGE_START", messageId, role: "assistant" };
  yield { type: "TEXT_MESSAGE_CONTENT", messageId, delta };
  yield { type: "TEXT_MESSAGE_END", messageId };
}
