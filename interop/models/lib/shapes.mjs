// Servers of others, by the shapes of their streams as they are documented: none of them runs here, and what is replayed was
// written by hand after reference material on the AG-UI servers of LangGraph, of the Microsoft Agent Framework and of
// CopilotKit. All are from before 1.0: no protocolVersion, snapshots rather than deltas, questions in older dialects,
// nulls and fractions where newer servers have none.

import { once } from "node:events";
import { createServer } from "node:http";
import { after } from "node:test";

const frame = (event) => `data: ${JSON.stringify(event)}\n\n`;

/**
 * Starts a server that answers POSTs with what a shape says until the test file is over.
 *
 * Returns {url, requests, stops}: requests are the inputs so far, stops the paths that were asked for beside. A shape is
 * {path, answer(input)}; what it answers is a list of events, or of texts that go out as they are.
 */
export async function startShape({ path, answer }) {
  const requests = [];
  const stops = [];
  const server = createServer(async (incoming, outgoing) => {
    let body = "";
    for await (const piece of incoming.setEncoding("utf8")) body += piece;
    if (incoming.url !== path || incoming.method !== "POST") {
      stops.push(`${incoming.method} ${incoming.url}`);
      return void outgoing.writeHead(incoming.url.includes("/stop/") ? 200 : 404).end("{}");
    }
    const input = JSON.parse(body);
    requests.push(input);
    outgoing.writeHead(200, { "Content-Type": "text/event-stream" });
    const events = answer(input);
    for (const event of events) outgoing.write(typeof event === "string" ? event : frame(event));
    if (!events.includes(open)) outgoing.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${server.address().port}${path}`, requests, stops };
}

/** What leaves a stream open. */
const open = ": still here\n\n";

const began = ({ threadId, runId }) => ({ type: "RUN_STARTED", threadId, runId });
const ended = ({ threadId, runId }, more) => ({ type: "RUN_FINISHED", threadId, runId, ...more });
const said = (messageId, ...deltas) => [
  { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
  ...deltas.map((delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId, delta })),
  { type: "TEXT_MESSAGE_END", messageId },
];
const newest = ({ messages }) => messages.findLast(({ role }) => role === "user").content;

export const question = {
  message: "Which flight?",
  options: [{ airline: "KLM" }, { airline: "United" }],
  recommendation: { airline: "KLM" },
  agent: "flights",
};

// A provider's event, with a prompt in it that is nobody else's business.
const raw = { type: "RAW", event: { event: "on_chat_model_start", data: { input: "the-prompt-of-langgraph" } }, source: "langgraph" };

/**
 * LangGraph's: raw events, a snapshot of the state at each step, words under one id while they stream and under another in
 * the snapshot of the messages, which also has the system's; its question is CUSTOM on_interrupt with JSON as text, and the
 * answer is forwardedProps.command.resume. Asked again without an answer it asks again.
 */
export const langgraph = {
  path: "/agent/subgraphs",
  answer(input) {
    const answer = input.forwardedProps?.command?.resume;
    const asks = { type: "CUSTOM", name: "on_interrupt", value: JSON.stringify(question), rawEvent: null };
    const words = `I found 2 flights for: ${newest(input)}`;
    if (answer === undefined) {
      return [
        began(input),
        raw,
        { type: "STEP_STARTED", stepName: "supervisor", rawEvent: null, timestamp: null },
        { type: "STATE_SNAPSHOT", snapshot: { ...input.state, planning: "flights" } },
        { type: "STEP_FINISHED", stepName: "supervisor" },
        { type: "STEP_STARTED", stepName: "flights_agent" },
        { type: "THINKING_START" },
        { type: "THINKING_TEXT_MESSAGE_START" },
        { type: "THINKING_TEXT_MESSAGE_CONTENT", delta: "Two of them fly." },
        { type: "THINKING_TEXT_MESSAGE_END" },
        { type: "THINKING_END" },
        raw,
        ...said("lc_run--1", words.slice(0, 9), words.slice(9)),
        asks,
        { type: "STATE_SNAPSHOT", snapshot: { ...input.state, planning: "flights", itinerary: null } },
        {
          type: "MESSAGES_SNAPSHOT",
          messages: [
            { id: "system-1", role: "system", content: "the-prompt-of-langgraph" },
            ...input.messages,
            { id: "ai-1", role: "assistant", content: words },
          ],
        },
        { type: "STEP_FINISHED", stepName: "flights_agent" },
        ended(input),
      ];
    }
    const chosen = typeof answer === "string" ? JSON.parse(answer) : answer;
    const state = { ...input.state, planning: "complete", itinerary: { flight: chosen } };
    const booked = `Booked with ${chosen.airline}.`;
    return [
      began(input),
      { type: "STEP_STARTED", stepName: "flights_agent" },
      raw,
      ...said("lc_run--2", booked),
      { type: "TOOL_CALL_START", toolCallId: "call-1", toolCallName: "transfer_to_supervisor", parentMessageId: "lc_run--2" },
      { type: "TOOL_CALL_ARGS", toolCallId: "call-1", delta: "{}" },
      { type: "TOOL_CALL_END", toolCallId: "call-1" },
      { type: "TOOL_CALL_RESULT", toolCallId: "call-1", messageId: "tool-1", content: "done", role: "tool" },
      { type: "STATE_SNAPSHOT", snapshot: state },
      { type: "STEP_FINISHED", stepName: "flights_agent" },
      {
        type: "MESSAGES_SNAPSHOT",
        messages: [
          ...input.messages,
          {
            id: "lc_run--2",
            role: "assistant",
            content: booked,
            toolCalls: [{ id: "call-1", type: "function", function: { name: "transfer_to_supervisor", arguments: "{}" } }],
          },
          { id: "tool-1", role: "tool", toolCallId: "call-1", content: "done" },
        ],
      },
      ended(input),
    ];
  },
};

/**
 * The Agent Framework's: executors as steps and activities, predictions of the state as a CUSTOM, a delta for a member that
 * was never there, and a question as a draft of the interrupts that 1.0 has: beside RUN_FINISHED, without an outcome.
 */
export const agentFramework = {
  path: "/workflow",
  answer(input) {
    const [answer] = input.resume ?? [];
    if (answer === undefined) {
      return [
        { ...began(input), timestamp: 1795280000123.75 },
        { type: "CUSTOM", name: "PredictState", value: [{ state_key: "recipe", tool: "update_recipe", tool_argument: "recipe" }] },
        { type: "STATE_SNAPSHOT", snapshot: { recipe: {} } },
        { type: "STEP_STARTED", stepName: "cook" },
        { type: "ACTIVITY_SNAPSHOT", messageId: "executor-cook", activityType: "executor", content: { executor: "cook", status: "running" } },
        { type: "TOOL_CALL_START", toolCallId: "call-2", toolCallName: "update_recipe", parentMessageId: null },
        { type: "TOOL_CALL_ARGS", toolCallId: "call-2", delta: '{"recipe":{"title":' },
        { type: "STATE_DELTA", delta: [{ op: "replace", path: "/draft", value: "soup" }] },
        { type: "TOOL_CALL_ARGS", toolCallId: "call-2", delta: '"soup"}}' },
        { type: "TOOL_CALL_END", toolCallId: "call-2" },
        { type: "TOOL_CALL_RESULT", toolCallId: "call-2", messageId: "tool-2", content: "stored" },
        { type: "STATE_SNAPSHOT", snapshot: { recipe: { title: "soup" } } },
        ...said("m-1", "How about soup?"),
        { type: "ACTIVITY_SNAPSHOT", messageId: "executor-cook", activityType: "executor", content: { executor: "cook", status: "waiting" } },
        { type: "STEP_FINISHED", stepName: "cook" },
        ended(input, { interrupt: [{ id: "request-1", value: { message: "Do you like it?", options: ["yes", "no"], agent: "cook" } }] }),
      ];
    }
    return [began(input), ...said("m-2", `You said ${JSON.stringify(answer.payload)}.`), ended(input, { outcome: null, result: null })];
  },
};

/**
 * CopilotKit's runtime: at /agent/<name>/run, in chunks, with comments between, the input echoed, everything of the state
 * in one snapshot before the end. Told to be brief it answers as it replays: with nothing but snapshots.
 */
export const copilotkit = {
  path: "/api/copilotkit/agent/default/run",
  answer(input) {
    const words = newest(input);
    const state = { type: "STATE_SNAPSHOT", snapshot: { seen: words } };
    const start = { ...began(input), input };
    if (/briefly/.test(words)) {
      return [
        start,
        state,
        { type: "MESSAGES_SNAPSHOT", messages: [...input.messages, { id: "whole-1", role: "assistant", content: "All at once." }] },
        ended(input),
      ];
    }
    if (/for ever/.test(words)) return [start, { type: "TEXT_MESSAGE_CHUNK", messageId: "endless-1", role: "assistant", delta: "On" }, open];
    return [
      ": keep-alive\n\n",
      start,
      { type: "TEXT_MESSAGE_CHUNK", messageId: "chunked-1", role: "assistant", delta: "In " },
      ": keep-alive\n\n",
      { type: "TEXT_MESSAGE_CHUNK", messageId: "chunked-1", delta: "pieces." },
      { type: "TOOL_CALL_CHUNK", toolCallId: "chunked-call", toolCallName: "look_up", parentMessageId: "chunked-1", delta: '{"a"' },
      { type: "TOOL_CALL_CHUNK", toolCallId: "chunked-call", delta: ":1}" },
      { type: "TOOL_CALL_RESULT", toolCallId: "chunked-call", messageId: "chunked-result", content: "found" },
      { type: "TEXT_MESSAGE_CHUNK", messageId: "chunked-2", role: "assistant", delta: "Done." },
      state,
      ended(input),
    ];
  },
};
