// A model's server that speaks half of an answer, and the rest when a test says so: what has to happen while a run goes on happens then.

import { once } from "node:events";
import { createServer } from "node:http";
import { after } from "node:test";
import { until } from "./until.mjs";

/** What an answer begins with, and what it ends with. A message that begins with Hello is answered at once. */
export const told = { begins: "One moment.", ends: " Here it is.", greets: "Hello to you." };

/** Whether the text of a stream has the beginning of an answer. */
export const begun = (text) => text.includes(told.begins);

/** Starts a teller until the test file is over: {models, release()}. models is the entry of a team file, for the model "teller". */
export async function startTeller() {
  const held = new Set();
  const server = createServer(async (incoming, outgoing) => {
    let body = "";
    for await (const piece of incoming.setEncoding("utf8")) body += piece;
    outgoing.writeHead(200, { "Content-Type": "text/event-stream" });
    const say = (delta, finish_reason = null) => outgoing.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
    const end = (content) => {
      say({ content });
      say({}, "stop");
      outgoing.end("data: [DONE]\n\n");
    };
    const { content } = JSON.parse(body).messages.findLast(({ role }) => role === "user");
    if (/^Hello/.test(content)) return end(told.greets);
    say({ content: told.begins });
    const rest = () => end(told.ends);
    held.add(rest);
    outgoing.on("close", () => held.delete(rest));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    models: { teller: { base_url: `http://127.0.0.1:${server.address().port}/v1`, api_key: "none", model: "teller" } },
    /** Ends the answers that are held, of which there has to be one at least. */
    async release() {
      await until("an answer is held", () => held.size > 0);
      for (const rest of held) rest();
    },
  };
}
