// Where the gateway means to differ from CopilotKit's own server. Each entry changes what was recorded into what the
// gateway has to answer; record.test.mjs fails if it does not, and if an entry changes nothing in a row it names.

const both = (...names) => names.flatMap((name) => [`rest: ${name}`, `single: ${name}`]);
const info = [...both("info", "info from another origin"), "rest: info with a slash"];

/** Replaces parts of an answer; undefined removes one. */
const set = (parts) => (answer) => {
  for (const [name, part] of Object.entries(structuredClone(parts))) {
    if (part === undefined) delete answer[name];
    else answer[name] = part;
  }
};

const told = (ends, messages, state = {}) => ({ begins: "RUN_STARTED", ends, messages, state });

export const differences = [
  // One server
  {
    why: "agents say what they can do",
    rows: info,
    change({ body }) {
      for (const agent of Object.values(body.agents)) agent.capabilities = "(capabilities)";
    },
  },
  {
    why: "one base has both transports, so that a page which falls back from one finds the other",
    rows: ["rest: the base by GET"],
    like: "single: by GET",
  },
  {
    why: "the same",
    rows: ["rest: the base by POST, empty"],
    like: "single: no method",
  },
  {
    why: "the same",
    rows: ["rest: an envelope on the REST server"],
    like: "single: info",
  },
  {
    why: "origins are allowed by name, not all of them, and may send credentials",
    rows: (answer) => answer.headers["access-control-allow-methods"] === undefined && answer.headers["access-control-allow-origin"] === "*",
    change({ headers }) {
      headers["access-control-allow-origin"] = "http://localhost:5173";
      headers["access-control-allow-credentials"] = "true";
      headers["access-control-expose-headers"] = "X-Request-Id,Retry-After,ETag,Location";
    },
  },
  {
    why: "the same in a preflight; the headers are those asked for, because * does not stand for Authorization",
    rows: (answer) => answer.headers["access-control-allow-methods"] !== undefined,
    change({ headers }, name) {
      headers["access-control-allow-origin"] = "http://localhost:5173";
      headers["access-control-allow-credentials"] = "true";
      headers["access-control-allow-headers"] = name === "rest: preflight of info with a header" ? "authorization" : "content-type";
      headers["access-control-allow-methods"] = "GET,HEAD,POST,PATCH,DELETE";
      headers["access-control-max-age"] = "600";
    },
  },

  // What is wrong with a request
  {
    why: "errors of the gateway have a code, and the id under which its log tells more",
    rows: (answer) => answer.body?.error === "Invalid request body" && answer.body.details !== undefined,
    change({ body }) {
      body.code = "invalid_input";
      body.requestId = "(text)";
    },
  },
  {
    why: "a body has to say that it is JSON: what a form of another site can send without asking is not taken",
    rows: ["run, no body", "run, body said to be text", "connect, no body", "connect, body said to be text", "suggest, no body"].map(
      (name) => `rest: ${name}`,
    ),
    change: set({
      status: 415,
      headers: { "content-type": "application/json" },
      body: {
        code: "unsupported_media_type",
        error: "unsupported_media_type",
        message: "The body must be application/json.",
        requestId: "(text)",
      },
      stream: undefined,
      listed: false,
    }),
  },
  {
    why: "so does the body of a stop: a form of another site could end somebody's run",
    rows: ["rest: stop, body said to be text"],
    change: set({
      status: 415,
      body: {
        code: "unsupported_media_type",
        error: "unsupported_media_type",
        message: "The body must be application/json.",
        requestId: "(text)",
      },
    }),
  },
  {
    why: "what is not there is said in JSON everywhere",
    rows: ["rest: debug events"],
    like: "rest: nothing there",
  },

  // Runs
  {
    why: "its RUN_FINISHED after a stop lacks threadId and runId, and its own client refuses it",
    rows: (answer) => answer.run?.refused !== undefined,
    change({ run, stream }) {
      delete run.refused;
      delete stream?.refused;
    },
  },
  {
    why: "who repeats a request of a live run is shown the run; the reference shows nothing",
    rows: both("run, live thread"),
    change: set({ stream: told("RUN_FINISHED", ["user: Hello?", "assistant: Working."]) }),
  },
  {
    why: "who wants more of a busy thread is told so; the reference says nothing",
    rows: ["rest: run, a new message on a live thread"],
    change: set({ stream: told("RUN_ERROR run_in_progress", ["user: Hello?", "user: More?"]) }),
  },
  {
    why: "a failure has the code of what failed, and what was said before it is kept",
    rows: both("run, failed thread"),
    change: set({ stream: told("RUN_ERROR agent_failed", ["user: Hello?", "assistant: Trying.", "assistant: Trying."]) }),
  },
  {
    why: "a reload shows a failed thread as it stands, and does not fail again",
    rows: both("connect, failed thread"),
    change: set({ stream: told("RUN_FINISHED", ["user: Hello?", "assistant: Trying."]) }),
  },
  {
    why: "an answer is executed once: repeated, or given by a tab that came late, it shows the thread as it stands",
    rows: ["rest: run, the same answer again", "rest: run, another answer afterwards"],
    change: set({ stream: told("RUN_FINISHED", ["user: Hello?", "assistant: Ordered."]) }),
  },
  {
    why: "an answer to no question is refused, and the question asked again",
    rows: ["rest: run, an answer to no question"],
    change: set({ stream: told("RUN_FINISHED interrupt", ["user: Hello?"]) }),
  },

  // Stop
  {
    why: "a page names the run it began, which another tab's answer may have followed: Stop means what runs now",
    rows: both("stop, another run"),
    change: set({
      body: { interrupt: { code: "STOPPED", message: "Run stopped by user", type: "RUN_ERROR" }, stopped: true },
    }),
  },
  {
    why: "a thread is its agent's: the same id under another agent is another thread",
    rows: ["rest: stop, another agent"],
    change: set({ body: { message: "No active run for thread '{thread}'.", stopped: false } }),
  },

  // Suggestions
  {
    why: "an agent without a model has nothing to suggest",
    rows: both("suggest"),
    change: set({ stream: told("RUN_FINISHED", ["user: Hello?"]) }),
  },

  // Threads
  {
    why: "threads have names: the beginning of what was first said",
    rows: [...["threads", "threads of an agent", "threads, two of them", "threads with archived"].map((name) => `rest: ${name}`), "single: threads"],
    change({ body }) {
      for (const thread of body.threads) thread.name = "(text)";
    },
  },
  {
    why: "a limit is a limit",
    rows: ["rest: threads, two of them"],
    change({ body }) {
      body.nextCursor = "(text)";
    },
  },
  {
    why: "a live thread has the messages that were committed",
    rows: ["rest: messages, live thread"],
    change: set({ body: { messages: [{ content: "Hello?", id: "(text)", role: "user" }] } }),
  },
  {
    why: "and the events so far",
    rows: ["rest: events, live thread"],
    change: set({ body: { events: told("TEXT_MESSAGE_END", ["user: Hello?", "assistant: Working."]) } }),
  },
];
