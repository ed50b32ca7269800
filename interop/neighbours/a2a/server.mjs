// An agent of the A2A SDK for JavaScript, on a server of the same SDK. What it does is in the words that it is sent. VERSION is the A2A that
// its card names, STREAMING whether it streams. Tests see and steer it by the routes below /control: see agent.mjs.

import { randomUUID } from "node:crypto";
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from "@a2a-js/sdk/server";
import { UserBuilder, agentCardHandler, jsonRpcHandler } from "@a2a-js/sdk/server/express";
import { Role, TaskState } from "@a2a-js/sdk";
import express from "express";

const part = (content, rest) => ({ content, metadata: undefined, filename: "", mediaType: "", ...rest });
const text = (value) => part({ $case: "text", value });
const data = (value) => part({ $case: "data", value });
const textOf = (message) => message.parts.flatMap(({ content }) => (content?.$case === "text" ? [content.value] : [])).join(" ");

/** Tells the server what becomes of one task. */
class Work {
  constructor({ taskId, contextId, userMessage, task }, bus) {
    Object.assign(this, { taskId, contextId, bus, task, input: userMessage });
  }

  message(parts, metadata) {
    const { taskId, contextId } = this;
    return { messageId: randomUUID(), role: Role.ROLE_AGENT, parts, taskId, contextId, metadata, extensions: [], referenceTaskIds: [] };
  }

  /** The first event of every execution: the task, as it is or new. */
  begin() {
    const { taskId: id, contextId } = this;
    const fresh = { id, contextId, status: { state: TaskState.TASK_STATE_SUBMITTED }, history: [this.input], artifacts: [], metadata: {} };
    this.bus.publish(AgentEvent.task(this.task ?? fresh));
  }

  status(state, parts, metadata) {
    const { taskId, contextId } = this;
    const message = parts && this.message(parts, metadata);
    this.bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: { state, message, timestamp: new Date().toISOString() }, metadata: {} }));
  }

  working(words) {
    this.status(TaskState.TASK_STATE_WORKING, words && [text(words)]);
  }

  artifact(artifactId, parts, { append = false, lastChunk = true, name = "" } = {}) {
    const { taskId, contextId } = this;
    const artifact = { artifactId, name, description: "", parts, metadata: undefined, extensions: [] };
    this.bus.publish(AgentEvent.artifactUpdate({ taskId, contextId, artifact, append, lastChunk, metadata: {} }));
  }

  complete(metadata) {
    this.status(TaskState.TASK_STATE_COMPLETED, metadata && [], metadata);
  }
}

/** What the agent does with each word that it may be sent. Slow work waits until the gate opens. */
const deeds = {
  hello(work) {
    work.working("Let me think.");
    work.artifact("answer", [text("Good ")], { lastChunk: false });
    work.artifact("answer", [text("day, ")], { append: true, lastChunk: false });
    work.artifact("answer", [text("friend.")], { append: true });
    work.complete({ usage: { inputTokens: 12, outputTokens: 3, totalTokens: 15 } });
  },
  data(work) {
    work.artifact("found", [data({ colour: "red" })], { name: "finding" });
    work.artifact("picture", [part({ $case: "raw", value: Buffer.from("GIF89a") }, { mediaType: "image/gif", filename: "dot.gif" })]);
    work.complete();
  },
  size(work) {
    work.status(TaskState.TASK_STATE_INPUT_REQUIRED, [text("Which size?")]);
  },
  login(work) {
    work.status(TaskState.TASK_STATE_AUTH_REQUIRED, [text("Sign in at the desk first.")]);
  },
  form(work) {
    const schema = { type: "object", properties: { nights: { type: "integer" } }, required: ["nights"] };
    work.status(TaskState.TASK_STATE_INPUT_REQUIRED, [text("How long?"), data(schema)]);
  },
  async slowly(work, gate) {
    work.working();
    work.artifact("answer", [text("One, ")], { lastChunk: false });
    await gate;
    work.artifact("answer", [text("two, ")], { append: true, lastChunk: false });
    work.artifact("answer", [text("three.")], { append: true });
    work.complete();
  },
  fails(work) {
    work.status(TaskState.TASK_STATE_FAILED, [text("The engine broke, sk-secret-cause.")]);
  },
  rejects(work) {
    work.status(TaskState.TASK_STATE_REJECTED, [text("Not my field.")]);
  },
};

const version = process.env.VERSION;
const inputs = [];
const cancellations = [];
let gate = Promise.resolve();
let open = () => {};

const executor = {
  async execute(context, bus) {
    const work = new Work(context, bus);
    inputs.push(context.userMessage);
    const words = textOf(context.userMessage);
    if (words.includes("briefly")) return bus.publish(AgentEvent.message(work.message([text("Briefly, yes.")])));
    work.begin();
    if (context.task) {
      const answers = context.userMessage.parts.map(({ content }) => (content.$case === "data" ? JSON.stringify(content.value) : content.value));
      work.working();
      if (answers.includes("none of these")) return deeds.size(work);
      work.artifact("booking", [text(`Noted: ${answers}`)]);
      return work.complete();
    }
    const deed = Object.keys(deeds).find((word) => words.includes(word)) ?? "hello";
    await deeds[deed](work, gate);
  },
  async cancelTask(taskId, bus) {
    cancellations.push(taskId);
    new Work({ taskId, contextId: "" }, bus).status(TaskState.TASK_STATE_CANCELED);
  },
};

let tasks = new InMemoryTaskStore();
const store = { save: (...args) => tasks.save(...args), load: (...args) => tasks.load(...args), list: (...args) => tasks.list(...args) };
const card = {
  name: "Helper",
  description: "Helps with whatever it is",
  version: "1",
  supportedInterfaces: [{ url: "/a2a", protocolBinding: "JSONRPC", tenant: "", protocolVersion: version }],
  capabilities: { streaming: process.env.STREAMING === "true", extensions: [] },
  securitySchemes: {},
  securityRequirements: [],
  defaultInputModes: ["text/plain", "application/json"],
  defaultOutputModes: ["text/plain"],
  skills: [],
  signatures: [],
};
const requestHandler = new DefaultRequestHandler(card, store, executor);
const legacyCompat = { enabled: version === "0.3" };

const control = {
  told: () => ({ inputs, cancellations }),
  reset: () => void (inputs.length = cancellations.length = 0),
  close: () => void (gate = new Promise((resolve) => (open = resolve))),
  open: () => open(),
  cut: () => server.closeAllConnections(),
  forget: () => void (tasks = new InMemoryTaskStore()),
};

const app = express();
app.use("/.well-known/agent-card.json", agentCardHandler({ agentCardProvider: requestHandler, legacyCompat }));
app.use("/a2a", jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication, legacyCompat }));
app.post("/control/:what", (request, response) => {
  const result = control[request.params.what]();
  if (!response.destroyed) response.json(result ?? {});
});
const server = app.listen(0, "127.0.0.1", () => {
  card.supportedInterfaces[0].url = `http://127.0.0.1:${server.address().port}/a2a`;
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
