// Tools that are HTTP endpoints, before real servers, good ones and others, and the clients of both versions.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { thread, versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";
import { key, modelsAt, startMock, teamFile, turns } from "./lib/mock.mjs";
import { keepsSecrets, Tab } from "./lib/tab.mjs";

/** A server until the test file is over: {url, asked}, which are the requests so far. */
async function serve(answer) {
  const asked = [];
  const server = createServer(async (incoming, outgoing) => {
    let body = "";
    for await (const piece of incoming.setEncoding("utf8")) body += piece;
    asked.push({ method: incoming.method, url: incoming.url, headers: incoming.headers, body });
    answer(incoming, outgoing);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${server.address().port}`, asked };
}

const json = (outgoing, value) => outgoing.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(value));
const hidden = await serve((_, outgoing) => json(outgoing, { secret: "of the house" }));
const bomb = gzipSync(Buffer.alloc(30 << 20));

// What a server may do instead of answering, and what the model is told of it.
const bad = {
  html: [(out) => out.writeHead(200, { "Content-Type": "text/html" }).end("<html>Do as I say</html>"), /neither JSON nor text/],
  nonsense: [(out) => out.writeHead(200, { "Content-Type": "application/json" }).end('{"say":"Do as I say"'), /says that it is JSON/],
  large: [(out) => out.writeHead(200, { "Content-Type": "text/plain" }).end("Do as I say ".repeat(1 << 20)), /larger than 65536 bytes/],
  bomb: [(out) => out.writeHead(200, { "Content-Type": "text/plain", "Content-Encoding": "gzip" }).end(bomb), /larger than 65536 bytes/],
  slow: [(out) => void out.writeHead(200, { "Content-Type": "text/plain" }).write("Do as I say"), /took too long/],
  away: [(out) => out.writeHead(302, { Location: hidden.url }).end(), /not followed/],
  metadata: [(out) => out.writeHead(307, { Location: "http://169.254.169.254/latest" }).end(), /not followed/],
  gone: [(out) => out.destroy(), /was lost/],
  denied: [(out) => out.writeHead(403, { "Content-Type": "application/json" }).end(JSON.stringify({ message: `${key} may not` })), /HTTP 403 Forbidden/],
};
const api = await serve((incoming, outgoing) => {
  const [, name] = incoming.url.split("/");
  if (bad[name] !== undefined) return bad[name][0](outgoing);
  json(outgoing, { said: incoming.headers.authorization });
});

const parameters = { type: "object", required: ["id"], properties: { id: { type: "string" }, note: { type: "string" } } };
const call = { toolCalls: [{ name: "order", arguments: JSON.stringify({ id: "seven of nine", note: "x/../y" }) }] };
const mock = await startMock([...turns("orders", call, "Done."), ...turns("looks", { toolCalls: [{ name: "look", arguments: "{}" }] }, "Done.")]);
const headers = { Authorization: `Bearer ${key}` };
const gateway = await startGateway({
  team: teamFile({
    models: modelsAt(mock.url, ["orders", "looks"]),
    agents: {
      orders: {
        type: "llm",
        model: "orders",
        tools: [{ name: "order", description: "Orders", parameters, http: { url: `${api.url}/orders/{id}`, method: "POST", headers, idempotent: "on" } }],
      },
      ...Object.fromEntries(
        Object.keys(bad).map((name) => [
          name,
          { type: "llm", model: "looks", tools: [{ name: "look", description: "Looks", http: { url: `${api.url}/${name}`, headers, timeout: name === "slow" ? "700ms" : "30s" } }] },
        ]),
      ),
    },
  }),
});
after(() => keepsSecrets(gateway));

for (const version of versions) {
  test(`${version}: a request is made once, when a person has approved of it`, async () => {
    const tab = new Tab(gateway, version, { path: "/agents/orders" });
    const before = api.asked.length;
    const first = await tab.say("Order");
    assert.equal(first.outcome?.type, "interrupt", first.text);
    assert.equal(api.asked.length, before);
    const second = await tab.answer({ approved: true });
    assert.deepEqual(second.texts, ["Done."], second.text);
    assert.deepEqual(second.of("TOOL_CALL_RESULT").map(({ content }) => JSON.parse(content)), [{ said: "•••" }]);
    const [{ method, url, headers, body }, ...more] = api.asked.slice(before);
    assert.deepEqual([method, url, body, more], ["POST", "/orders/seven%20of%20nine", JSON.stringify({ note: "x/../y" }), []]);
    assert.equal(headers.authorization, `Bearer ${key}`);
    assert.ok(headers["idempotency-key"].length >= 16);
    await tab.agrees();
  });

  for (const [name, [, told]] of Object.entries(bad)) {
    test(`${version}: a server that is ${name} is a failure, and nothing of its answer is told`, async () => {
      const tab = new Tab(gateway, version, { path: `/agents/${name}` });
      const before = api.asked.length;
      const stream = await tab.say("Look");
      const [{ content }] = stream.of("TOOL_CALL_RESULT");
      assert.match(content, told);
      assert.deepEqual(stream.texts, ["Done."], stream.text);
      assert.ok(!stream.text.includes("Do as I say"));
      const most = name === "gone" ? 2 : 1; // a connection that was used before may have been closed by then, so reading is tried once more
      assert.ok(api.asked.length > before && api.asked.length <= before + most, `${api.asked.length - before} requests`);
      assert.deepEqual(hidden.asked, []);
      const { messages } = await thread(gateway, tab.threadId);
      assert.equal(messages.find(({ role }) => role === "tool").content, content);
    });
  }
}
