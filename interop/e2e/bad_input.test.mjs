// Requests that are wrong: answered in JSON before a stream, and the thread is what it was.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Tab, inputOf, thread, user, versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";
import { overheard } from "../lib/quiet.mjs";

const gateway = await startGateway();

const json = { "Content-Type": "application/json" };

// Each makes a request out of a good input for a thread that has a question open.
const requests = [
  ["no JSON", 400, "invalid_input", (input) => ({ body: JSON.stringify(input).slice(0, -1) })],
  ["no object", 400, "invalid_input", (input) => ({ body: JSON.stringify([input]) })],
  ["more behind the object", 400, "invalid_input", (input) => ({ body: `${JSON.stringify(input)}{}` })],
  ["nothing at all", 400, "invalid_input", () => ({ body: "" })],
  ["bytes that are no UTF-8", 400, "invalid_input", (input) => ({
    body: Buffer.concat([Buffer.from(JSON.stringify(input).slice(0, -1)), Buffer.from(',"x":"'), Buffer.from([0xff]), Buffer.from('"}')]),
  })],
  ["no threadId", 400, "invalid_input", (input) => ({ body: { ...input, threadId: undefined } }), "threadId"],
  ["an empty runId", 400, "invalid_input", (input) => ({ body: { ...input, runId: "" } }), "runId"],
  ["messages that are no list", 400, "invalid_input", (input) => ({ body: { ...input, messages: {} } }), "messages"],
  ["a message without a role", 400, "invalid_input", (input) => ({ body: { ...input, messages: [{ id: "m", content: "x" }] } }), "messages"],
  ["two messages under one id", 400, "invalid_input", (input) => ({ body: { ...input, messages: [user("a", "m"), user("b", "m")] } }), "messages"],
  ["a resume with a status that is none", 400, "invalid_input", (input) => ({
    body: { ...input, resume: [{ interruptId: "i", status: "perhaps" }] },
  }), "resume"],
  ["JSON nested without end", 400, "invalid_input", (input) => ({
    body: JSON.stringify({ ...input, state: null }).replace('"state":null', `"state":${"[".repeat(500)}${"]".repeat(500)}`),
  })],
  ["no content type", 415, "unsupported_media_type", (input) => ({ body: Buffer.from(JSON.stringify(input)), headers: {} })],
  ["text", 415, "unsupported_media_type", (input) => ({ body: JSON.stringify(input), headers: { "Content-Type": "text/plain" } })],
  ["more than the limit", 413, "too_large", (input) => ({ body: { ...input, forwardedProps: { x: "x".repeat(9 << 20) } } })],
  ["an agent nobody knows", 404, "not_found", (input) => ({ path: "/agents/nobody", body: input })],
  ["a path nobody knows", 404, "not_found", (input) => ({ path: "/nowhere", body: input })],
  ["another method", 405, "method_not_allowed", () => ({ method: "GET" })],
  ["a method nobody knows", 405, "method_not_allowed", (input) => ({ method: "PUT", body: input })],
  ["a disconnect nobody knows", 400, "invalid_input", (input) => ({ path: "/agents/travel?disconnect=never", body: input }), "disconnect"],
  ["a major version nobody knows", 400, "unsupported_version", (input) => ({ body: { ...input, protocolVersion: "2.0" } })],
];

describe("a request with", async () => {
  const tab = new Tab(gateway, "1.0.0");
  await tab.say("Plan my trip");
  const before = await thread(gateway, tab.threadId);

  for (const [what, status, code, make, path] of requests) {
    test(what, async () => {
      const input = inputOf("1.0.0", { threadId: tab.threadId, messages: tab.messages, state: tab.state });
      const { path: route = "/agents/travel", method = "POST", headers = json, body } = make(input);
      const response = await fetch(gateway.url + route, {
        method,
        headers: { ...headers, "X-Request-Id": "mine" },
        ...(body !== undefined && { body: typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      assert.equal(response.status, status, text);
      assert.match(response.headers.get("content-type"), /^application\/json\b/);
      assert.equal(response.headers.get("x-request-id"), "mine");
      const { error } = JSON.parse(text);
      assert.equal(error.code, code);
      assert.equal(error.requestId, "mine");
      assert.ok(error.message.length > 0);
      if (path) assert.ok(error.message.includes(path), error.message);
      if (status === 405) assert.match(response.headers.get("allow") ?? "", /\bPOST\b/);
      assert.deepEqual(await thread(gateway, tab.threadId), before, "nothing is lost");
    });
  }

  test("all of this leaves the question answerable", async () => {
    await tab.answer({ airline: "KLM" });
    assert.equal((await tab.agrees()).state.itinerary.flight.airline, "KLM");
  });
});

for (const version of versions) {
  test(`${version} is told why`, async () => {
    const tab = new Tab(gateway, version, { agent: "nobody" });
    await assert.rejects(tab.say("Hello"), /HTTP 404: .*not_found/);
    overheard(); // the client prints what it throws
  });
}
