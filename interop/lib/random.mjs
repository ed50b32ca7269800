// Random event streams, the same for the same seed.

import { judgeOrder } from "./reference.mjs";

/** A small generator of numbers in [0, 1) (mulberry32). */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * A stream of one to three runs.
 *
 * Blind chance breaks a rule within a few events, so refused events are taken out a random number of
 * times: what is left goes deep before it is refused, or is accepted whole.
 */
export function randomStream(next) {
  const make = maker(next);
  let events = Array.from({ length: 1 + make.below(3) }, () => randomRun(make)).flat();
  for (let repairs = make.below(120); repairs > 0; repairs--) {
    const { at } = judgeOrder(events);
    if (at === undefined) break;
    events = events.toSpliced(at, 1);
  }
  return events;
}

function randomRun(make) {
  const events = [];
  if (make.chance(0.97)) events.push(make.event("RUN_STARTED"));
  for (let length = make.below(24); length > 0; length--) {
    const type = make.pick(weighted);
    const event = make.event(type);
    events.push(event);
    // An opening alone leads nowhere: often what it opens is continued, closed or both.
    for (const follower of followers[type] ?? []) {
      if (make.chance(0.6)) events.push(make.following(event, follower));
    }
  }
  if (make.chance(0.7)) events.push(...make.shuffle(closers.flatMap(make.all)), make.event("RUN_FINISHED"));
  else if (make.chance(0.7)) events.push(make.event("RUN_ERROR"));
  return events;
}

// Few ids, some of them shared between kinds, so that things meet.
const ids = {
  message: ["m1", "m2", "x"],
  call: ["c1", "x"],
  reasoning: ["q1", "m1", "x"],
  activity: ["a1", "m1"],
  step: ["plan", "book"],
  subagent: ["s1", "s2"],
};

const fields = {
  RUN_STARTED: (m) => ({
    threadId: "t",
    runId: "r",
    ...m.maybe(0.3, () => ({ input: { threadId: "t", runId: "r", tools: [], context: [], messages: m.messages() } })),
  }),
  RUN_FINISHED: () => ({ threadId: "t", runId: "r" }),
  RUN_ERROR: () => ({ message: "broke" }),
  STEP_STARTED: (m) => ({ stepName: m.pick(ids.step), ...m.tag() }),
  STEP_FINISHED: (m) => ({ stepName: m.pick(ids.step), ...m.tag() }),
  TEXT_MESSAGE_START: (m) => ({ messageId: m.pick(ids.message), role: "assistant", ...m.tag() }),
  TEXT_MESSAGE_CONTENT: (m) => ({ messageId: m.pick(ids.message), delta: "d", ...m.tag() }),
  TEXT_MESSAGE_END: (m) => ({ messageId: m.pick(ids.message), ...m.tag() }),
  TEXT_MESSAGE_CHUNK: (m) => ({
    ...m.maybe(0.6, () => ({ messageId: m.pick(ids.message) })),
    ...m.maybe(0.15, () => ({ role: m.pick(["assistant", "user"]) })),
    ...m.maybe(0.1, () => ({ name: m.pick(["Ann", "Bob"]) })),
    ...m.addition(),
    ...m.tag(),
  }),
  TOOL_CALL_START: (m) => ({ toolCallId: m.pick(ids.call), toolCallName: "find", ...m.parent(), ...m.tag() }),
  TOOL_CALL_ARGS: (m) => ({ toolCallId: m.pick(ids.call), delta: "d", ...m.tag() }),
  TOOL_CALL_END: (m) => ({ toolCallId: m.pick(ids.call), ...m.tag() }),
  TOOL_CALL_CHUNK: (m) => ({
    ...m.maybe(0.6, () => ({ toolCallId: m.pick(ids.call) })),
    ...m.maybe(0.6, () => ({ toolCallName: m.pick(["find", "find", "book"]) })),
    ...m.parent(),
    ...m.addition(),
    ...m.tag(),
  }),
  TOOL_CALL_RESULT: (m) => ({ messageId: m.pick(ids.message), toolCallId: m.pick(ids.call), content: "", ...m.tag() }),
  STATE_SNAPSHOT: (m) => ({ snapshot: {}, ...m.tag() }),
  STATE_DELTA: (m) => ({ delta: [], ...m.tag() }),
  MESSAGES_SNAPSHOT: (m) => ({ messages: m.messages() }),
  ACTIVITY_SNAPSHOT: (m) => ({
    messageId: m.pick(ids.activity),
    activityType: "plan",
    content: {},
    ...m.maybe(0.5, () => ({ replace: m.chance(0.5) })),
    ...m.tag(),
  }),
  ACTIVITY_DELTA: (m) => ({ messageId: m.pick(ids.activity), activityType: "plan", patch: [], ...m.tag() }),
  RAW: (m) => ({ event: {}, ...m.tag() }),
  CUSTOM: (m) => ({ name: "x.note", value: 1, ...m.tag() }),
  REASONING_START: (m) => ({ messageId: m.pick(ids.reasoning), ...m.tag() }),
  REASONING_END: (m) => ({ messageId: m.pick(ids.reasoning), ...m.tag() }),
  REASONING_MESSAGE_START: (m) => ({ messageId: m.pick(ids.reasoning), role: "reasoning", ...m.tag() }),
  REASONING_MESSAGE_CONTENT: (m) => ({ messageId: m.pick(ids.reasoning), delta: "d", ...m.tag() }),
  REASONING_MESSAGE_END: (m) => ({ messageId: m.pick(ids.reasoning), ...m.tag() }),
  REASONING_MESSAGE_CHUNK: (m) => ({
    ...m.maybe(0.6, () => ({ messageId: m.pick(ids.reasoning) })),
    ...m.addition(),
    ...m.tag(),
  }),
  REASONING_ENCRYPTED_VALUE: (m) => ({
    subtype: m.pick(["tool-call", "message"]),
    entityId: m.pick([...ids.message, ...ids.call, ...ids.reasoning]),
    encryptedValue: "v",
    ...m.tag(),
  }),
  SUBAGENT_STARTED: (m) => ({
    subagentRunId: m.pick(ids.subagent),
    name: "flights",
    ...m.maybe(0.2, () => ({ parentSubagentRunId: m.pick(ids.subagent) })),
  }),
  SUBAGENT_FINISHED: (m) => ({ subagentRunId: m.pick(ids.subagent) }),
  SUBAGENT_ERROR: (m) => ({ subagentRunId: m.pick(ids.subagent), message: "broke" }),
};

/** The event types a random stream may hold. */
export const randomTypes = Object.keys(fields);

// Ends of a run are rare within it, chunks frequent: their state is the subtlest.
const rare = new Set(["RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "MESSAGES_SNAPSHOT"]);
const weighted = randomTypes.flatMap((type) => Array(rare.has(type) ? 1 : type.endsWith("_CHUNK") ? 6 : 3).fill(type));

const followers = {
  TEXT_MESSAGE_START: ["TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"],
  TEXT_MESSAGE_CHUNK: ["TEXT_MESSAGE_CHUNK"],
  TOOL_CALL_START: ["TOOL_CALL_ARGS", "TOOL_CALL_END"],
  TOOL_CALL_CHUNK: ["TOOL_CALL_CHUNK"],
  REASONING_START: ["REASONING_MESSAGE_START"],
  REASONING_MESSAGE_START: ["REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_END"],
  REASONING_MESSAGE_CHUNK: ["REASONING_MESSAGE_CHUNK"],
  STEP_STARTED: ["STEP_FINISHED"],
  ACTIVITY_SNAPSHOT: ["ACTIVITY_DELTA"],
  SUBAGENT_STARTED: ["SUBAGENT_FINISHED"],
};

const closers = [
  ["STEP_FINISHED", "stepName", ids.step],
  ["TEXT_MESSAGE_END", "messageId", ids.message],
  ["TOOL_CALL_END", "toolCallId", ids.call],
  ["REASONING_MESSAGE_END", "messageId", ids.reasoning],
  ["REASONING_END", "messageId", ids.reasoning],
  ["SUBAGENT_FINISHED", "subagentRunId", ids.subagent],
];

function maker(next) {
  const below = (n) => Math.floor(next() * n);
  const chance = (p) => next() < p;
  const m = {
    below,
    chance,
    pick: (list) => list[below(list.length)],
    maybe: (p, make) => (chance(p) ? make() : {}),
    tag: () => m.maybe(0.4, () => ({ subagentRunId: m.pick(ids.subagent) })),
    parent: () => m.maybe(0.4, () => ({ parentMessageId: m.pick(ids.message) })),
    addition: () =>
      m.pick([{ delta: "d" }, { delta: "d" }, { delta: "" }, { metadata: {} }, { rawEvent: 1 }, {}]),
    event: (type) => ({ type, ...fields[type](m) }),
    // An event about the same thing as another, and usually with the same tag.
    following: (event, type) => {
      const follower = m.event(type);
      for (const field of ["messageId", "toolCallId", "stepName", "subagentRunId"]) {
        if (field in follower && field in event && m.chance(0.9)) follower[field] = event[field];
      }
      return follower;
    },
    // One closing for everything that could be open, steps under each owner.
    all: ([type, field, names]) =>
      names.flatMap((name) =>
        (field === "stepName" ? [{}, ...ids.subagent.map((subagentRunId) => ({ subagentRunId }))] : [{}]).map(
          (tag) => ({ type, [field]: name, ...tag }),
        ),
      ),
    shuffle: (list) => list.map((item) => [next(), item]).sort(([a], [b]) => a - b).map(([, item]) => item),
    messages: () => Array.from({ length: below(4) }, message),
  };
  const message = () =>
    m.pick([
      () => ({ id: m.pick(ids.message), role: "user", content: "" }),
      () => ({ id: m.pick(ids.message), role: "assistant", content: "", ...m.tag() }),
      () => ({
        id: m.pick(ids.message),
        role: "assistant",
        toolCalls: [{ id: m.pick(ids.call), type: "function", function: { name: "find", arguments: "" } }],
        ...m.tag(),
      }),
      () => ({ id: m.pick(ids.message), role: "tool", toolCallId: m.pick(ids.call), content: "", ...m.tag() }),
      () => ({ id: m.pick(ids.reasoning), role: "reasoning", content: "", ...m.tag() }),
      () => ({ id: m.pick(ids.activity), role: "activity", activityType: "plan", content: {}, ...m.tag() }),
    ])();
  return m;
}
