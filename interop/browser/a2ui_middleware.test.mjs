// The surfaces that the gateway sends are those that CopilotKit's A2UI middleware makes of the same agent.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { HttpAgent } from "@ag-ui/client";
import { A2UIMiddleware } from "@ag-ui/a2ui-middleware";
import { startGateway } from "./lib/servers.mjs";

const items = [{ name: 'The "Ritz"', price: 450 }, { name: "Holiday Inn", price: 180 }, { name: "Loft 🏨", price: 320 }];
const card = { id: "card", component: "Card", name: { path: "name" }, price: { path: "price" } };
const row = (child) => ({ id: "root", component: "Row", children: { componentId: child, path: "/items" } });
const design = (surfaceId, components, data) => JSON.stringify({ surfaceId, components, ...(data && { data }) });

// What the model calls when it reads a word, in pieces of so many characters.
const calls = {
  cards: ["render_a2ui", design("cards", [row("card"), card], { items }), 9],
  whole: ["render_a2ui", design("cards", [row("card"), card], { items }), 1e6],
  form: ["render_a2ui", design("form", [{ id: "root", component: "Column", children: ["a"] }, { id: "a", component: "Field", value: { path: "/f/a" } }], { f: { a: "x" } }), 30],
  still: ["render_a2ui", design("still", [{ id: "root", component: "Text", text: "<script>alert(1)</script>" }]), 17],
  dangling: ["render_a2ui", design("dangling", [row("gone")], { items }), 25],
  fixed: ["search", JSON.stringify({ items }), 40],
};

/** A model's server: it calls what the last message names, and says a word when there is a result. */
async function startModel() {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    const { messages } = JSON.parse(body);
    const last = messages.at(-1);
    const send = (delta, finish_reason = null) =>
      response.write(`data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    if (last.role === "user") {
      const [name, text, size] = calls[last.content];
      send({ role: "assistant", tool_calls: [{ index: 0, id: "c1", type: "function", function: { name, arguments: "" } }] });
      for (let i = 0; i < text.length; i += size) send({ tool_calls: [{ index: 0, function: { arguments: text.slice(i, i + size) } }] });
      send({}, "tool_calls");
    } else {
      send({ role: "assistant", content: "Done." });
      send({}, "stop");
    }
    response.end("data: [DONE]\n\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => (server.close(), server.closeAllConnections()));
  return `http://127.0.0.1:${server.address().port}/v1`;
}

const gateway = await startGateway({
  team: `version: 1
models:
  default: { base_url: "${await startModel()}", api_key: none, model: m }
agents:
  designs: { type: llm, a2ui: { catalogue_id: "urn:cards" } }
  fixed:
    type: llm
    a2ui: { tool: off }
    tools:
      - name: search
        description: Shows what is found.
        parameters: { type: object, required: [ items ], properties: { items: { type: array } } }
        result:
          a2ui_operations:
            - { version: v0.9, createSurface: { surfaceId: found, catalogId: "urn:cards" } }
            - { version: v0.9, updateComponents: { surfaceId: found, components: [ { id: root, component: Row, children: { componentId: card, path: /items } }, { id: card, component: Card, name: { path: name } } ] } }
            - { version: v0.9, updateDataModel: { surfaceId: found, path: /, value: { items: "\${arguments.items}" } } }
`,
});

/** The activities of a run, with the id of the call left out, and the stream's types. */
async function surfaces(path, word, middleware) {
  const agent = new HttpAgent({ url: gateway.url + path, threadId: `${word}-${path.length}-${Boolean(middleware)}`, initialMessages: [{ id: `u-${word}`, role: "user", content: word }] });
  if (middleware) agent.use(middleware);
  const activities = [];
  let call;
  await agent.runAgent({}, {
    onToolCallStartEvent: ({ event }) => { call = event.toolCallId; },
    onActivitySnapshotEvent: ({ event: { messageId, activityType, content, replace } }) => { activities.push({ messageId, activityType, content, replace }); },
  });
  const shown = agent.messages.filter(({ role }) => role === "activity");
  return { activities: JSON.parse(JSON.stringify(activities).replaceAll(call, "CALL")), shown: shown.length };
}

for (const word of Object.keys(calls)) {
  test(`${word}: the gateway's activities are the middleware's`, async () => {
    const agent = calls[word][0] === "search" ? "fixed" : "designs";
    const theirs = await surfaces(`/agents/${agent}`, word, new A2UIMiddleware({ defaultCatalogId: "urn:cards" }));
    const ours = await surfaces(`/agents/${agent}?a2ui=on`, word);
    assert.ok(theirs.activities.length > 0, "the middleware makes none");
    if (word === "dangling") { // what is wrong is said in words of our own, and that nothing more comes
      assert.equal(ours.activities.at(-1).content.status, "failed");
      ours.activities.pop();
      for (const { activities } of [ours, theirs]) for (const { content } of activities) content.errors = content.errors?.map(({ code }) => code);
    }
    assert.deepEqual(ours.activities, theirs.activities);
    assert.equal(ours.shown, 1);
    assert.equal(theirs.shown, 1, "behind the middleware a surface is there once");
  });
}
