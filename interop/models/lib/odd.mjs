// A server that is only nearly OpenAI's: a proxy before aimock that refuses what it does not know, wants reasoning back, and spells its
// streams in its own way.

import { once } from "node:events";
import { createServer, request } from "node:http";
import { after } from "node:test";

const members = ["model", "messages", "stream", "tools"];
const ofMessages = ["role", "content", "tool_calls", "tool_call_id", "reasoning_content"];

/** What is wrong with a request; it says so in words only. */
function objection(body) {
  const unknown = Object.keys(body).find((name) => !members.includes(name));
  if (unknown !== undefined) return unknown;
  for (const message of body.messages) {
    const odd = Object.keys(message).find((name) => !ofMessages.includes(name));
    if (odd !== undefined) return odd;
    if (message.tool_calls && typeof message.reasoning_content !== "string") return "a call without reasoning_content";
  }
}

/** A stream as this server writes it: comments, texts in parts, calls without index and id, and no end of any kind. */
function* respelt(frames) {
  yield ": keep-alive\n\n";
  yield 'data: {"choices":[{"delta":{"role":"assistant","content":null}}]}\n\n';
  for (const frame of frames) {
    if (!frame.startsWith("data: {")) continue;
    const { choices } = JSON.parse(frame.slice("data: ".length));
    const delta = choices[0]?.delta ?? {};
    if (Object.keys(delta).length === 0) continue;
    if (typeof delta.content === "string") delta.content = [{ type: "text", text: delta.content }];
    for (const call of delta.tool_calls ?? []) {
      delete call.index;
      delete call.id;
    }
    yield `data: ${JSON.stringify({ choices: [{ delta }] })}\n\n: keep-alive\n\n`;
  }
}

/** Starts the proxy before aimock until the test file is over: {url, refused, accepted}, what it refused and the bodies it did not. */
export async function startOdd(mock) {
  const refused = [];
  const accepted = [];
  const server = createServer(async (incoming, outgoing) => {
    let raw = "";
    for await (const piece of incoming.setEncoding("utf8")) raw += piece;
    const body = JSON.parse(raw);
    const wrong = objection(body);
    if (wrong !== undefined) {
      refused.push(wrong);
      const error = { message: `I do not take ${wrong}`, type: "invalid_request_error", param: null, code: null };
      return void outgoing.writeHead(400, { "Content-Type": "application/json" }).end(JSON.stringify({ error }));
    }
    accepted.push(body);
    const upstream = request(mock.origin + incoming.url, {
      method: incoming.method,
      headers: { ...incoming.headers, host: new URL(mock.origin).host },
    });
    upstream.end(raw);
    const [answer] = await once(upstream, "response");
    let reply = "";
    for await (const piece of answer.setEncoding("utf8")) reply += piece;
    if (answer.statusCode !== 200) return void outgoing.writeHead(answer.statusCode, answer.headers).end(reply);
    outgoing.writeHead(200, { "Content-Type": "text/event-stream" });
    for (const frame of respelt(reply.split(/(?<=\n\n)/))) outgoing.write(frame);
    outgoing.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${server.address().port}/v1`, refused, accepted };
}
