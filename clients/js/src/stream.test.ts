import { expect, test } from "vitest";
import { follow, type Source, type StreamEvent } from "./stream.ts";

const start = 'data: {"type":"RUN_STARTED"}\n\n';
const step = (n: number) => `id: ${n}\ndata: {"type":"STEP_STARTED","stepName":"${n}"}\n\n`;
const end = 'id: 9\ndata: {"type":"RUN_FINISHED"}\n\n';
const moved = 'data: {"type":"RUN_ERROR","code":"draining"}\n\n';

/** Follows a stream over connections that are these; returns the text that is passed on, and the cursors of the requests. */
async function followed(connections: (string | Response)[], options: Partial<Source> = {}) {
  const left = [...connections];
  const cursors: (string | undefined)[] = [];
  const events: StreamEvent[] = [];
  const connect = async (cursor?: string) => {
    cursors.push(cursor);
    const next = left.shift();
    if (next === undefined) throw new TypeError("network error");
    const response = typeof next === "string" ? new Response(next) : next;
    if (!response.ok) throw Object.assign(new Error("refused"), { status: response.status });
    return response;
  };
  let anew = false;
  const source: Source = {
    first: () => connect(),
    behind: connect,
    backoff: [1, 1],
    silence: 60_000,
    signal: new AbortController().signal,
    onEvent: (event) => void events.push(event),
    onAnew: () => void (anew = true),
  };
  let text = "";
  for await (const part of follow({ ...source, ...options })) text += part;
  return { text, cursors, anew, types: events.map(({ type }) => type) };
}

test.each<[string, (string | Response)[], string, (string | undefined)[]]>([
  ["one connection", [start + step(1) + end], start + step(1) + end, [undefined]],
  ["a cut between two events", [start + step(1), step(2) + end], start + step(1) + step(2) + end, [undefined, "1"]],
  ["a cut in the middle of an event", [start + step(1) + step(2).slice(0, 20), step(2) + end], start + step(1) + step(2) + end, [undefined, "1"]],
  ["a cut before the first id", [start, start + step(1) + end], start + step(1) + end, [undefined, undefined]],
  ["a replica that drains", [start + step(1) + moved, step(2) + end], start + step(1) + step(2) + end, [undefined, "1"]],
  ["a refusal that passes", [start + step(1), new Response("", { status: 503 }), end], start + step(1) + end, [undefined, "1", "1"]],
])("%s: each event is passed on once", async (_, connections, text, cursors) => {
  expect(await followed(connections)).toMatchObject({ text, cursors, anew: false });
});

test.each<[string, string | Response]>([
  ["a second start", start + step(1) + end],
  ["nothing more to read", new Response(null, { status: 204 })],
])("%s behind a cursor means that the thread is shown anew", async (_, second) => {
  expect(await followed([start + step(1), second])).toMatchObject({ text: start + step(1), anew: true });
});

test("a refusal for good is not tried again, and a gateway that is away as often as backoff says", async () => {
  await expect(followed([new Response("", { status: 404 }), start + end])).rejects.toThrow("refused");
  let tries = 0;
  const away = () => Promise.reject(new TypeError(`try ${++tries}`));
  await expect(followed([], { first: away })).rejects.toThrow("try 3");
});

test("a connection that is silent is left for another", async () => {
  const silent = new Response(new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode(start + step(1))) }));
  expect((await followed([silent, end], { silence: 20 })).text).toBe(start + step(1) + end);
});
