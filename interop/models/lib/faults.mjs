// A bad day of the model's server: a proxy before aimock that spoils replies, by the name of the model that is asked.

import { once } from "node:events";
import { createServer, request } from "node:http";
import { after } from "node:test";

/** A frame of a model's stream. */
const frame = (data) => `data: ${JSON.stringify(data)}\n\n`;

// Each is given the whole reply's frames, and says what goes out instead: frames, and how it ends.
const faults = {
  /** The connection ends in an orderly way, but the reply has no end. */
  unfinished: (frames) => ({ frames: frames.filter((text) => !/"finish_reason":"|\[DONE\]|"choices":\[\]/.test(text)) }),
  /** No reason for the end, though the server marks the end of the stream. */
  reasonless: (frames) => ({ frames: frames.filter((text) => !/"finish_reason":"/.test(text)) }),
  /** An error in the middle of the stream. */
  error: (frames) => ({
    frames: [...frames.slice(0, 2), frame({ error: { message: "the server of sk-secret-cause broke", type: "server_error", code: "internal" } })],
  }),
  /** An error of which the server says that the prompt is to blame, in the middle of the stream. */
  filtered: (frames) => ({
    frames: [...frames.slice(0, 2), frame({ error: { message: "no", type: "invalid_request_error", code: "content_filter" } })],
  }),
  /** A frame that is no JSON, in the middle of the stream. */
  broken: (frames) => ({ frames: [...frames.slice(0, 2), 'data: {"choices":[{"delta":{"content":"x\n\n'] }),
  /** The socket is torn down in the middle of the stream. */
  torn: (frames) => ({ frames: frames.slice(0, 2), ending: "destroy" }),
  /** The stream stays open and says nothing more. */
  silent: (frames) => ({ frames: frames.slice(0, 2), ending: "hold" }),
  /** The stream stays open, and what it said last it says again for ever. */
  endless: (frames) => ({ frames: frames.slice(0, 2), ending: "repeat" }),
  /** Reasoning under its other name, and comments between the frames, as a router sends them. */
  router: (frames) => ({
    frames: frames.flatMap((text) => [": PROCESSING\n\n", text.replace('"reasoning_content"', '"reasoning"')]),
  }),
  /** No stream at all, but an error under the status of success. */
  polite: () => ({ frames: ['{"error":{"message":"busy","type":"server_error"}}'], type: "application/json" }),
};

/**
 * Starts the proxy before aimock until the test file is over: {url, open()}. A model called "x-FAULT" gets that fault,
 * "x-FAULT-once" the first time only. Open tells how many replies are being held.
 */
export async function startFaults(mock) {
  const held = new Set();
  const spoilt = new Set();
  const server = createServer(async (incoming, outgoing) => {
    const body = await text(incoming);
    const { model } = JSON.parse(body);
    const [, name, times] = /-([a-z]+)(-once)?$/.exec(model) ?? [];
    const fault = times && spoilt.has(model) ? undefined : faults[name];
    spoilt.add(model);
    const upstream = request(mock.origin + incoming.url, {
      method: incoming.method,
      headers: { ...incoming.headers, host: new URL(mock.origin).host },
    });
    upstream.end(body);
    const [answer] = await once(upstream, "response");
    const reply = await text(answer);
    if (fault === undefined) return void outgoing.writeHead(answer.statusCode, answer.headers).end(reply);
    const { frames, ending, type } = fault(reply.split(/(?<=\n\n)/).filter(Boolean));
    outgoing.writeHead(200, { "Content-Type": type ?? "text/event-stream" });
    for (const piece of frames) outgoing.write(piece);
    if (ending === undefined) return void outgoing.end();
    if (ending === "destroy") return void outgoing.write("", () => outgoing.socket.resetAndDestroy());
    held.add(outgoing);
    outgoing.on("close", () => held.delete(outgoing));
    if (ending === "repeat") repeat(outgoing, frames.at(-1));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${server.address().port}/v1`, open: () => held.size };
}

async function text(stream) {
  let all = "";
  for await (const piece of stream.setEncoding("utf8")) all += piece;
  return all;
}

// As fast as it is taken, but for a breath between.
function repeat(outgoing, piece) {
  if (outgoing.destroyed) return;
  outgoing.write(piece, () => setTimeout(repeat, 5, outgoing, piece));
}
