// What the runtime's protocol is asked, request by request. The table is asked of CopilotKit's own server to record its
// answers, and of the gateway to compare.

export const basePath = "/api/copilotkit";

/** The message that every thread of the table begins with. */
export const hello = { id: "u1", role: "user", content: "Hello?" };

const input = ({ thread, run }, fields) => ({
  threadId: thread,
  runId: run,
  messages: [hello],
  state: {},
  tools: [],
  context: [],
  forwardedProps: {},
  ...fields,
});

const suggestTool = { name: "copilotkitSuggest", description: "Suggest", parameters: { type: "object", properties: {} } };
const origin = { Origin: "http://localhost:5173" };
const preflight = (method, headers) => ({
  method: "OPTIONS",
  headers: { ...origin, "Access-Control-Request-Method": method, "Access-Control-Request-Headers": headers },
});

/** The ways a body can be wrong; undefined means none at all. */
const wrong = {
  "no body": undefined,
  "no JSON": "{",
  "a list": [],
  null: "null",
};

const without = (field) => (at) => {
  const { [field]: _, ...rest } = input(at);
  return rest;
};

const missing = Object.keys(input({})).map((field) => [`no ${field}`, without(field)]);

/** The table. */
export const exchanges = [];

/**
 * Adds a row. thread is the situation it is asked in:
 *
 *   unknown   an id that was never used
 *   finished  agent short has answered a message
 *   failed    agent failing has failed
 *   asked     agent asking has asked, and waits
 *   answered  agent asking has asked and was answered
 *   live      agent long is at work
 *   again     agent long was stopped, and is at work again
 *
 * at is what the request is made from: {thread, run, agent, interrupt, ended, history}: ended is the run that was
 * stopped, history what a client holds by then.
 */
const row = (name, thread, request, { mode = "rest" } = {}) =>
  exchanges.push({ name: `${mode}: ${name}`, mode, thread, request: typeof request === "function" ? request : () => request });

const post = (path, body, more) => (at) => ({
  method: "POST",
  path: typeof path === "function" ? path(at) : path,
  body: typeof body === "function" ? body(at) : body,
  ...more,
});
const get = (path, more) => (at) => ({ method: "GET", path: typeof path === "function" ? path(at) : path, ...more });
const plain = (method, path) => (at) => ({ method, path: typeof path === "function" ? path(at) : path });
const agent = (verb, id) => (at) => `/agent/${id ?? at.agent}/${verb}`;
const stop = (at) => `/agent/${at.agent}/stop/${at.thread}`;

// info
row("info", undefined, get("/info"));
row("info with a slash", undefined, get("/info/"));
row("info from another origin", undefined, get("/info", { headers: origin }));
row("info by POST", undefined, post("/info", {}));
row("info by DELETE", undefined, plain("DELETE", "/info"));

// preflights
row("preflight of run", undefined, { path: "/agent/short/run", ...preflight("POST", "content-type") });
row("preflight of stop", undefined, { path: "/agent/short/stop/t", ...preflight("POST", "content-type") });
row("preflight of info with a header", undefined, { path: "/info", ...preflight("GET", "authorization") });
row("preflight of nothing there", undefined, { path: "/nothing", ...preflight("POST", "content-type") });

// run and connect
for (const [verb, answered] of [["run", input], ["connect", (at) => input(at, { messages: [] })]]) {
  row(`${verb}, unknown thread`, "unknown", post(agent(verb), answered));
  row(`${verb}, finished thread`, "finished", post(agent(verb), answered));
  row(`${verb}, failed thread`, "failed", post(agent(verb), answered));
  row(`${verb}, asked thread`, "asked", post(agent(verb), answered));
  row(`${verb}, answered thread`, "answered", post(agent(verb), answered));
  row(`${verb}, live thread`, "live", post(agent(verb), answered));
  row(`${verb}, from another origin`, "unknown", post(agent(verb), answered, { headers: origin }));
  row(`${verb}, unknown agent`, "unknown", post(agent(verb, "nobody"), answered));
  row(`${verb} by GET`, undefined, get(agent(verb, "short")));
  row(`${verb} by DELETE`, undefined, plain("DELETE", agent(verb, "short")));
  row(`${verb}, agent id in percent signs`, "unknown", post(agent(verb, "%73hort"), answered));
  row(`${verb}, accepting JSON`, "unknown", post(agent(verb), answered, { headers: { Accept: "application/json" } }));
  row(`${verb}, body said to be text`, "unknown", post(agent(verb), answered, { headers: { "Content-Type": "text/plain" } }));
  for (const [what, body] of [...Object.entries(wrong), ...missing]) row(`${verb}, ${what}`, "unknown", post(agent(verb), body));
}
row("run, a new message on a finished thread", "finished", post(agent("run"), (at) => input(at, { messages: [...at.history, { id: "u2", role: "user", content: "More?" }] })));
row("run, a new message on a live thread", "live", post(agent("run"), (at) => input(at, { messages: [...at.history, { id: "u2", role: "user", content: "More?" }] })));
const resume = (at, ...entries) => input(at, { messages: at.history, resume: entries });
const answer = (at, payload) => resume(at, { interruptId: at.interrupt, status: "resolved", payload });
row("run, an answer", "asked", post(agent("run"), (at) => answer(at, { value: "M" })));
row("run, a cancelled answer", "asked", post(agent("run"), (at) => resume(at, { interruptId: at.interrupt, status: "cancelled" })));
row("run, the same answer again", "answered", post(agent("run"), (at) => answer(at, { value: "M" })));
row("run, another answer afterwards", "answered", post(agent("run"), (at) => answer(at, { value: "L" })));
row("run, an answer to no question", "asked", post(agent("run"), (at) => answer({ ...at, interrupt: "int_unknown" }, { value: "M" })));
row("run, an answer that is no list", "asked", post(agent("run"), (at) => input(at, { resume: "yes" })));

// stop
row("stop, no body", "live", post(stop));
row("stop, empty object", "live", post(stop, {}));
row("stop, the run", "live", post(stop, ({ run }) => ({ runId: run })));
row("stop, another run", "live", post(stop, { runId: "another" }));
row("stop, a run that has ended", "again", post(stop, ({ ended }) => ({ runId: ended })));
row("stop, empty run", "live", post(stop, { runId: "" }));
row("stop, a number as run", "live", post(stop, { runId: 1 }));
row("stop, one key too many", "live", post(stop, ({ run }) => ({ runId: run, why: "because" })));
row("stop, no JSON", "live", post(stop, "{"));
row("stop, a list", "live", post(stop, []));
row("stop, null", "live", post(stop, "null"));
row("stop, white space", "live", post(stop, " \n"));
row("stop, body said to be text", "live", post(stop, {}, { headers: { "Content-Type": "text/plain" } }));
row("stop, unknown thread", "unknown", post(stop));
row("stop, a run of an unknown thread", "unknown", post(stop, { runId: "another" }));
row("stop, finished thread", "finished", post(stop));
row("stop, asked thread", "asked", post(stop));
row("stop, unknown agent", "live", post((at) => `/agent/nobody/stop/${at.thread}`));
row("stop, another agent", "live", post((at) => `/agent/short/stop/${at.thread}`));
row("stop by GET", undefined, get("/agent/short/stop/t"));
row("stop without a thread", undefined, post("/agent/short/stop"));

// suggest
const suggest = (at) => input(at, { tools: [suggestTool], forwardedProps: { toolChoice: { type: "function", function: { name: "copilotkitSuggest" } } } });
row("suggest", "unknown", post(agent("suggest"), suggest));
row("suggest, unknown agent", "unknown", post(agent("suggest", "nobody"), suggest));
row("suggest by GET", undefined, get(agent("suggest", "short")));
for (const [what, body] of Object.entries(wrong)) row(`suggest, ${what}`, "unknown", post(agent("suggest"), body));

// threads
row("threads", "finished", get("/threads"));
row("threads of an agent", "finished", get("/threads?agentId=short"));
row("threads, two of them", "finished", get("/threads?agentId=short&limit=2"));
row("threads of an unknown agent", undefined, get("/threads?agentId=nobody"));
row("threads with archived", "finished", get("/threads?agentId=short&includeArchived=true"));
row("threads by POST", undefined, post("/threads", {}));
for (const what of ["messages", "events", "state"]) {
  for (const situation of ["unknown", "finished", "asked", "live"]) row(`${what}, ${situation} thread`, situation, get(({ thread }) => `/threads/${thread}/${what}`));
  row(`${what} by POST`, undefined, post(`/threads/t/${what}`, {}));
}
row("a thread", "finished", get(({ thread }) => `/threads/${thread}`));
for (const situation of ["unknown", "finished"]) {
  row(`rename, ${situation} thread`, situation, (at) => ({ method: "PATCH", path: `/threads/${at.thread}`, body: { agentId: "short", name: "Trip" } }));
  row(`delete, ${situation} thread`, situation, (at) => ({ method: "DELETE", path: `/threads/${at.thread}`, body: { agentId: "short" } }));
  row(`archive, ${situation} thread`, situation, post(({ thread }) => `/threads/${thread}/archive`, { agentId: "short" }));
}
row("archive by GET", undefined, get("/threads/t/archive"));
row("subscribe to threads", undefined, post("/threads/subscribe", {}));
row("subscribe to threads by GET", undefined, get("/threads/subscribe"));
row("clear by GET", undefined, get("/threads/clear"));
row("annotate", undefined, post("/annotate", {}));
row("annotate by GET", undefined, get("/annotate"));

// what needs more than the runtime
row("inspector metadata", undefined, get("/inspector-metadata"));
row("inspector metadata by POST", undefined, post("/inspector-metadata", {}));
row("inspector learning", undefined, get("/inspector-learning"));
row("transcribe", undefined, post("/transcribe", {}));
row("transcribe by GET", undefined, get("/transcribe"));
row("memories", undefined, get("/memories"));
row("a memory", undefined, post("/memories", {}));
row("memories by PUT", undefined, plain("PUT", "/memories"));
row("change a memory", undefined, (at) => ({ method: "PATCH", path: "/memories/m", body: {} }));
row("recall", undefined, post("/memories/recall", {}));
row("subscribe to memories", undefined, post("/memories/subscribe", {}));
row("debug events", undefined, get("/cpk-debug-events"));

// what is not there
row("nothing there", undefined, get("/nothing"));
row("nothing there by POST", undefined, post("/nothing", {}));
row("the base by GET", undefined, get(""));
row("the base by POST, empty", undefined, post("", {}));
row("an envelope on the REST server", undefined, post("", { method: "info" }));
row("an agent, no verb", undefined, get("/agent/short"));
row("an agent, another verb", undefined, post("/agent/short/walk", {}));

// The single route: everything is a POST of {method, params, body}.
const single = (name, thread, body, more) => row(name, thread, post("", body, more), { mode: "single" });
single("info", undefined, { method: "info" });
single("info from another origin", undefined, { method: "info" }, { headers: origin });
row("preflight", undefined, { path: "", ...preflight("POST", "content-type") }, { mode: "single" });
for (const [verb, body] of [["run", input], ["connect", (at) => input(at, { messages: [] })]]) {
  const call = (at, more) => ({ method: `agent/${verb}`, params: { agentId: at.agent }, body: body(at), ...more });
  for (const situation of ["unknown", "finished", "failed", "asked", "live"]) single(`${verb}, ${situation} thread`, situation, (at) => call(at));
  single(`${verb}, unknown agent`, "unknown", (at) => call(at, { params: { agentId: "nobody" } }));
  single(`${verb}, no params`, "unknown", (at) => call(at, { params: undefined }));
  single(`${verb}, a number as agent`, "unknown", (at) => call(at, { params: { agentId: 1 } }));
  single(`${verb}, white space as agent`, "unknown", (at) => call(at, { params: { agentId: " " } }));
  single(`${verb}, no body`, "unknown", (at) => call(at, { body: undefined }));
  single(`${verb}, an empty body`, "unknown", (at) => call(at, { body: {} }));
}
single("run, an answer", "asked", (at) => ({ method: "agent/run", params: { agentId: at.agent }, body: answer(at, { value: "M" }) }));
const stopCall = (at, more) => ({ method: "agent/stop", params: { agentId: at.agent, threadId: at.thread }, ...more });
single("stop, no body", "live", (at) => stopCall(at));
single("stop, null", "live", (at) => stopCall(at, { body: null }));
single("stop, the run", "live", (at) => stopCall(at, { body: { runId: at.run } }));
single("stop, another run", "live", (at) => stopCall(at, { body: { runId: "another" } }));
single("stop, one key too many", "live", (at) => stopCall(at, { body: { why: "because" } }));
single("stop, unknown thread", "unknown", (at) => stopCall(at));
single("stop, no thread", "unknown", (at) => stopCall(at, { params: { agentId: at.agent } }));
single("suggest", "unknown", (at) => ({ method: "agent/suggest", params: { agentId: at.agent }, body: suggest(at) }));
single("inspector metadata", undefined, { method: "inspector/metadata" });
single("inspector learning", undefined, { method: "inspector/learning" });
single("transcribe", undefined, { method: "transcribe", body: { audio: "", mimeType: "audio/webm" } });
const resource = (path, httpMethod = "GET", body) => ({ method: "resource/request", params: { path, httpMethod }, body });
single("threads", "finished", resource("/threads?agentId=short"));
single("messages", "finished", ({ thread }) => resource(`/threads/${thread}/messages`));
single("state", "finished", ({ thread }) => resource(`/threads/${thread}/state`));
single("rename", "finished", ({ thread }) => resource(`/threads/${thread}`, "PATCH", { name: "Trip" }));
single("threads by POST", undefined, resource("/threads", "POST", {}));
single("memories", undefined, resource("/memories"));
single("annotate", undefined, resource("/annotate", "POST", {}));
single("a resource that is none", undefined, resource("/info"));
single("a resource elsewhere", undefined, resource("//example.org/threads"));
single("a resource without a path", undefined, { method: "resource/request", params: { httpMethod: "GET" } });
single("unknown method", undefined, { method: "zzz" });
single("no method", undefined, {});
single("a number as method", undefined, { method: 1 });
single("no JSON", undefined, "{");
single("no body", undefined, undefined);
single("a list", undefined, []);
single("said to be text", undefined, { method: "info" }, { headers: { "Content-Type": "text/plain" } });
row("by GET", undefined, get(""), { mode: "single" });
row("by DELETE", undefined, plain("DELETE", ""), { mode: "single" });

// Last: it forgets what the others stand on.
row("clear", "finished", post("/threads/clear", {}));
