// Streams as they come off the wire, and what every one of them must be.

import assert from "node:assert/strict";
import jsonpatch from "fast-json-patch";
import { judge } from "./reference.mjs";
import { problems } from "./schemas.mjs";

// The judges import this file's neighbours, one of which silences the clients. Here they are listened to.
delete process.env.SUPPRESS_TRANSFORMATION_WARNINGS;

/** The frames of a whole response: {id, event}, heartbeats left out. */
export function parse(text) {
  assert.doesNotMatch(text, /\r/, "a client splits at line feeds alone");
  if (text === "") return [];
  assert.ok(text.endsWith("\n\n"), `the last frame is cut: ${text.slice(-200)}`);
  return text
    .slice(0, -2)
    .split("\n\n")
    .flatMap((frame) => {
      const fields = frame.split("\n").filter((line) => !line.startsWith(":"));
      if (fields.length === 0) return [];
      const value = (name) => fields.filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2));
      return [{ id: value("id")[0], event: JSON.parse(value("data").join("\n")) }];
    });
}

/** One response: its status, frames, events and the era it was asked for in. */
export class Stream {
  constructor({ request, status, text, version }) {
    Object.assign(this, { request, status, text, version });
    this.frames = parse(text);
    this.events = this.frames.map(({ event }) => event);
  }

  /** The types in order, a run of pieces of one text as one. */
  get types() {
    const types = this.events.map(({ type }) => type);
    return types.filter((type, i) => type !== "TEXT_MESSAGE_CONTENT" || types[i - 1] !== type);
  }

  get last() {
    return this.events.at(-1);
  }

  get outcome() {
    return this.last.outcome;
  }

  of(type) {
    return this.events.filter((event) => event.type === type);
  }

  /** The texts that were said, whole. */
  get texts() {
    return this.of("TEXT_MESSAGE_START").map(({ messageId }) => this.#text(messageId));
  }

  #text(messageId) {
    return this.of("TEXT_MESSAGE_CONTENT")
      .filter((event) => event.messageId === messageId)
      .map(({ delta }) => delta)
      .join("");
  }

  /** The id its reader would come back with. */
  get cursor() {
    return this.frames.findLast(({ id }) => id !== undefined)?.id;
  }

  /**
   * Fails unless the stream is whole and valid for its reader: by the reference client of its era, the protocol's
   * schemas, and what the gateway promises beyond them. A tail begins where its cursor ended, behind `before`.
   */
  check(before = []) {
    try {
      this.#check(before);
    } catch (error) {
      error.message += `\n${this.request}\n${this.text}`;
      throw error;
    }
    return this;
  }

  #check(before) {
    const { events, version } = this;
    const all = [...before, ...events];
    // What an older reader is sent has no shape that 1.0 does not know.
    for (const judging of new Set([version, "1.0.0"])) assert.deepEqual(judge(judging, all), { verdict: "accept" });
    assert.deepEqual(events.flatMap(eventProblems), []);
    assert.match(this.last.type, /^RUN_(FINISHED|ERROR)$/);
    const ids = this.frames.flatMap(({ id }) => id ?? []);
    assert.deepEqual(ids, ids.toSorted(compareIds), "ids increase");
    assert.equal(new Set(ids).size, ids.length, "ids are unique");
    checkState(all);
    if (version !== "1.0.0") {
      for (const word of ["expiresAt", "pendingToolCallIds", '"outcome":{"type":"cancelled"']) {
        assert.ok(!this.text.includes(word), `${word} is not for an older client`);
      }
    }
    checkBoundaries(all);
  }
}

// An event's own schema is found by its name: to try it against all of them costs more than everything else here.
function eventProblems(event) {
  const words = event.type.toLowerCase().split("_");
  return problems(`${words.map((word) => word[0].toUpperCase() + word.slice(1)).join("")}EventSchema`, event);
}

/** Orders SSE ids of a thread, `<fence>-<seq>-<thread>`. */
export function compareIds(a, b) {
  const [x, y] = [a, b].map((id) => id.split("-").map(BigInt));
  const [i, j] = x[0] === y[0] ? [x[1], y[1]] : [x[0], y[0]];
  return i < j ? -1 : i > j ? 1 : 0;
}

// A run begins and ends under one name, and says what it speaks.
function checkBoundaries(events) {
  let started;
  for (const event of events) {
    if (event.type === "RUN_STARTED") {
      started = event;
      assert.equal(event.protocolVersion, "1.0");
      assert.equal(event.threadId, events[0].threadId);
    }
    if (event.type !== "RUN_FINISHED") continue;
    assert.equal(event.runId, started.runId);
    assert.equal(event.threadId, started.threadId);
  }
}

// Design T1: a snapshot before the first delta, every delta applies strictly, and what is sent last says what was said.
function checkState(events) {
  let state;
  for (const { type, snapshot, delta } of events) {
    if (type === "STATE_SNAPSHOT") state = structuredClone(snapshot);
    if (type !== "STATE_DELTA") continue;
    assert.ok(state !== undefined, "a delta before the first snapshot");
    state = jsonpatch.applyPatch(state, structuredClone(delta), true).newDocument;
  }
}
