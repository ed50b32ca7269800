import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { marked, parse } from "client/form/exact";
import { type Call, gateway, settled } from "../gateway/testing";
import { guard } from "./guard";
import { Session } from "./session";

const ORIGIN = "http://gateway";
const bearer = { "WWW-Authenticate": "Bearer", "Content-Type": "application/json" };
const ann = { principal: { id: "key:ann", roles: [] }, auth: "keys" };
const ben = { principal: { id: "key:ben", roles: [] }, auth: "keys" };

let net: ReturnType<typeof gateway>;
let stored: Map<string, string>;
let restarts: number;
let session: Session;
let ask: typeof fetch;

/** The page, loaded in this tab. */
function load() {
  session = new Session({
    fetch: (...args) => fetch(...args),
    storage: { getItem: (key) => stored.get(key) ?? null, setItem: (key, value) => void stored.set(key, value), clear: () => stored.clear() },
    restart: () => restarts++,
  });
  ask = guard((...args) => fetch(...args), session, ORIGIN);
}

beforeEach(() => {
  net = gateway();
  [stored, restarts] = [new Map(), 0];
  load();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const sentKey = (call: Call) => call.headers.get("Authorization");
const opened = (path: string) => net.calls.filter((call) => call.open && call.url.pathname === path);
const refuse = (call: Call) => call.answer(401, { error: { code: "unauthorized", message: "No." } }, bearer);

/** Gives a key, which the gateway knows as that. */
async function signIn(key: string, me: object = ann) {
  const problem = session.signIn(key);
  await settled();
  await net.last.answer(200, me);
  return problem;
}

test("a request that is refused for want of a key waits for one, and is then sent with it", async () => {
  const answer = ask("/agents", { headers: { "X-Mine": "1" } });
  await settled();
  expect(sentKey(net.last)).toBe(null);
  await refuse(net.last);
  expect(session.current().wanted).toBe("key");
  const second = ask("/threads");
  await settled();
  expect(net.calls).toHaveLength(1); // what would be refused is not sent

  expect(await signIn(" Bearer k-ann\n")).toBe(undefined);
  await settled();
  expect(session.current()).toMatchObject({ wanted: undefined, signedIn: true, me: ann });
  for (const path of ["/agents", "/threads"]) {
    const [call] = opened(path);
    expect(sentKey(call!)).toBe("Bearer k-ann");
    await call!.answer(200);
  }
  expect((await answer).status).toBe(200);
  expect(net.calls[0]!.headers.get("X-Mine")).toBe("1");
  expect((await second).status).toBe(200);
});

test("a reload keeps the key, and nothing but this tab's storage has it", async () => {
  await signIn("k-ann");
  expect(JSON.parse(stored.get("session")!)).toEqual({ key: "k-ann", owner: "key:ann" });
  load();
  void ask("/agents");
  await settled();
  expect(sentKey(net.last)).toBe("Bearer k-ann");
});

test("a key that is accepted no more is forgotten and asked for again; for the same person everything goes on", async () => {
  await signIn("k-ann");
  const run = ask("/api/copilotkit/agent/travel/run", { method: "POST", body: "{}" });
  await settled();
  await refuse(net.last);
  expect(session.current()).toMatchObject({ wanted: "again", signedIn: false, me: ann });
  expect(JSON.parse(stored.get("session")!)).toEqual({ owner: "key:ann" });
  await signIn("k-ann-2");
  await settled();
  expect(sentKey(net.last)).toBe("Bearer k-ann-2");
  await net.last.answer(200);
  expect((await run).status).toBe(200);
  expect(restarts).toBe(0);
});

test("for another person the page begins anew: nothing of the first is sent with the key of the second", async () => {
  stored.set("fresh-threads", '["t1"]');
  await signIn("k-ann");
  void ask("/api/copilotkit/agent/travel/run", { method: "POST", body: "{}" });
  await settled();
  await refuse(net.last);
  const before = net.calls.length;
  await signIn("k-ben", ben);
  await settled();
  expect(restarts).toBe(1);
  expect([...stored.keys()]).toEqual(["session"]);
  expect(JSON.parse(stored.get("session")!)).toEqual({ key: "k-ben", owner: "key:ben" });
  expect(net.calls).toHaveLength(before + 1); // GET /me and nothing else
  expect(session.current()).toMatchObject({ over: true, me: undefined });
});

test("signing out forgets everything, and lets nothing out that waits", async () => {
  await signIn("k-ann");
  stored.set("fresh-threads", '["t1"]');
  session.signOut();
  expect([...stored]).toEqual([["session", "{}"]]);
  expect(restarts).toBe(1);
  const before = net.calls.length;
  void ask("/agents");
  await settled();
  expect(net.calls).toHaveLength(before);
});

test("a request that is given up while it waits fails as an aborted one", async () => {
  const abort = new AbortController();
  const answer = ask("/agents", { signal: abort.signal });
  await settled();
  await refuse(net.last);
  abort.abort();
  await expect(answer).rejects.toMatchObject({ name: "AbortError" });
});

test("an old request's refusal does not undo a newer key", async () => {
  const [first, second] = [ask("/agents"), ask("/threads")];
  await settled();
  const [one, other] = net.calls;
  await refuse(one!);
  await signIn("k-ann");
  await refuse(other!); // it was sent without a key, and is sent again with the new one
  await settled();
  for (const path of ["/agents", "/threads"]) await opened(path)[0]!.answer(200);
  expect([(await first).status, (await second).status]).toEqual([200, 200]);
});

test.each([
  [401, {}, "is not accepted"],
  [403, {}, "may not use this gateway"],
  [429, { "Retry-After": "7" }, "Wait 7 s"],
  [503, {}, "Not now."],
])("a key that is answered with %i", async (status, headers, text) => {
  const problem = session.signIn("k");
  await settled();
  await net.last.answer(status, { error: { code: "c", message: "Not now." } }, headers);
  expect(await problem).toMatchObject({ text: expect.stringContaining(text), code: "c" });
  expect(session.key).toBe(undefined);
});

test.each(["", "  ", "two words", "schlüssel", "a\nb"])("%j is not sent", async (typed) => {
  expect(await session.signIn(typed)).toBeDefined();
  expect(net.calls).toHaveLength(0);
});

test("where nobody has to sign in nothing is kept", async () => {
  session.meet({ principal: { id: "local", roles: [] }, auth: "none" });
  expect([...stored]).toEqual([]);
  expect(session.current()).toMatchObject({ wanted: undefined, signedIn: false });
});

test.each([
  ["a page", 200, { "Content-Type": "text/html; charset=utf-8" }],
  ["a 401 with a page", 401, { "Content-Type": "text/html", "WWW-Authenticate": "Bearer" }],
  ["a 401 that wants something else", 401, { "Content-Type": "application/json", "WWW-Authenticate": 'Basic realm="x"' }],
  ["a 401 that wants nothing", 401, { "Content-Type": "application/json" }],
])("what a proxy answers for the gateway is not asked of the person here: %s", async (_, status, headers) => {
  const answer = ask("/agents");
  await settled();
  await net.last.answer(status as number, {}, headers as Record<string, string>);
  expect(session.current().wanted).toBe("proxy");
  session.retry();
  await settled();
  await net.last.answer(200);
  expect((await answer).status).toBe(200);
});

test("too many requests: it waits as long as it is told, and is sent again", async () => {
  vi.useFakeTimers();
  const answer = ask("/agents");
  await settled();
  await net.last.answer(429, {}, { "Retry-After": "3" });
  expect(session.current().pausing).toBe(1);
  await vi.advanceTimersByTimeAsync(2999);
  expect(net.calls).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1000);
  expect(net.calls).toHaveLength(2);
  expect(session.current().pausing).toBe(0);
  await net.last.answer(200);
  expect((await answer).status).toBe(200);
});

test("a gateway that has always too many is let alone in the end", async () => {
  vi.useFakeTimers();
  const answer = ask("/agents");
  for (let i = 0; i < 6; i++) {
    await settled();
    await net.last.answer(429, {}, { "Retry-After": "600" });
    await vi.advanceTimersByTimeAsync(40_000); // never as long as it says at most
  }
  expect((await answer).status).toBe(429);
  expect(net.calls).toHaveLength(6);
});

test("what does not go to the gateway has no key on it, and readiness never waits", async () => {
  await signIn("k-ann");
  session.refuse("k-ann");
  for (const url of ["https://elsewhere.example/agents", "/readyz"]) {
    void ask(url);
    await settled();
    expect(sentKey(net.last)).toBe(null);
    expect(net.last.open).toBe(true);
  }
});

test("what CopilotKit sends has the numbers of the page's answers as they are", async () => {
  const sent: unknown[] = [];
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => (sent.push(init.body), new Response()));
  load();
  const payload = structuredClone(marked(parse('{"order":9007199254740993}')));
  await ask("/api/copilotkit/agent/desk/run", { method: "POST", body: JSON.stringify({ resume: [{ payload }] }) });
  expect(sent).toEqual(['{"resume":[{"payload":{"order":9007199254740993}}]}']);
});
