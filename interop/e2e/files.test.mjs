// Files in messages, as each client sends them: what was sent is served byte by byte, and a client that sends the conversation again
// changes nothing.

import "../lib/quiet.mjs";
import { HttpAgent } from "@ag-ui/client";
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, test } from "node:test";
import { ask, inputOf, thread, user } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";
import { olderClients } from "../lib/reference.mjs";

const team = `version: 1
agents:
  looks: { type: script, attachments: { types: [ image/* ] }, steps: [ { say: "I see." } ] }
`;
const gateway = await startGateway({ team });
const value = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

// CopilotKit's chat makes such parts of what is attached; clients before 0.0.47 know binary only.
const attached = { type: "image", source: { type: "data", value, mimeType: "image/png" }, metadata: { filename: "dot.png" } };
const binary = { type: "binary", mimeType: "image/png", data: value, filename: "dot.png" };

const clients = { ...olderClients, "1.0": { HttpAgent } };

for (const [version, client] of Object.entries(clients)) {
  for (const path of ["/agents/looks", "/api/copilotkit/agent/looks/run"]) {
    describe(`${version} on ${path}`, () => {
      const part = version === "0.0.45" ? binary : attached;
      const agentOf = (more) => new client.HttpAgent({ url: gateway.url + path, threadId: randomUUID(), ...more });
      const run = async (agent) => {
        let failed;
        await agent.runAgent({}, { onRunFailed: ({ error }) => void (failed = error), onRunErrorEvent: ({ event }) => void (failed = event) }).catch((e) => (failed ??= e));
        return failed;
      };

      test("a picture is stored, and served as it was sent", async () => {
        const agent = agentOf();
        const id = randomUUID();
        agent.addMessage({ id, role: "user", content: [{ type: "text", text: "Look" }, part] });
        assert.equal(await run(agent), undefined);
        agent.addMessage(user("And?"));
        assert.equal(await run(agent), undefined);

        const truth = await thread(gateway, agent.threadId);
        assert.deepEqual(truth.messages.map(({ role }) => role), ["user", "assistant", "user", "assistant"]);
        assert.deepEqual(truth.messages[0].content[1], attached);
        assert.deepEqual(agent.messages.map(({ id }) => id), truth.messages.map(({ id }) => id));
        const response = await fetch(`${gateway.url}/threads/${agent.threadId}/messages/${id}/files/1`);
        assert.equal(response.status, 200);
        assert.deepEqual(
          ["content-type", "content-disposition", "x-content-type-options"].map((name) => response.headers.get(name)),
          ["image/png", "inline; filename=dot.png", "nosniff"],
        );
        assert.equal(Buffer.from(await response.arrayBuffer()).toString("base64"), value);
      });
    });
  }
}

for (const path of ["/agents/looks", "/api/copilotkit/agent/looks/run"]) {
  test(`what is no picture is refused on ${path}, and nothing is stored`, async () => {
    const lie = Buffer.from("<svg><script>alert(1)</script></svg>").toString("base64");
    for (const part of [{ ...binary, data: lie }, { ...attached, source: { ...attached.source, value: lie } }]) {
      const input = inputOf("0.0.59", { messages: [user([part])] });
      const { status, text } = await ask(gateway.url + path, { method: "POST", body: input });
      assert.equal(status, 422);
      assert.match(text, /"code":"invalid_attachment"/);
      assert.equal((await ask(`${gateway.url}/threads/${input.threadId}`)).status, 404);
    }
  });
}

test("a client with links sends them back", async () => {
  const agent = new HttpAgent({ url: `${gateway.url}/agents/looks?files=links`, threadId: randomUUID() });
  const id = randomUUID();
  agent.addMessage({ id, role: "user", content: [attached] });
  await agent.runAgent();
  const { source } = agent.messages[0].content[0];
  assert.deepEqual(source, { type: "url", mimeType: "image/png", value: `/threads/${agent.threadId}/messages/${id}/files/0?agent=looks` });
  agent.addMessage(user("And?"));
  await agent.runAgent();
  const truth = await thread(gateway, agent.threadId);
  assert.deepEqual(truth.messages[0].content, [attached]);
  const response = await fetch(new URL(source.value, gateway.url));
  assert.equal(Buffer.from(await response.arrayBuffer()).toString("base64"), value);
});
