// The reference clients' own judgement of an event stream.
//
// Each client is put together from the stages it exports, in the order its agent
// applies them to what comes off the wire. Stages are synchronous, so a verdict is
// ready when the subscription returns.

import { createRequire } from "node:module";
import * as current from "@ag-ui/client";
import { AbstractAgent, CompatibilityBoundary } from "@ag-ui/client";
import * as client53 from "agui-client-0.0.53";
import * as client57 from "agui-client-0.0.57";
import * as client58 from "agui-client-0.0.58";
import * as old from "agui-client-old";
import { from, map, tap } from "rxjs";

// Both clients announce every tolerated deviation on the console. Here the verdict is
// what counts; the tests that care about deviations look at the events themselves.
process.env.SUPPRESS_TRANSFORMATION_WARNINGS = "true";

const input = () => ({
  threadId: "t",
  runId: "r",
  messages: [],
  state: {},
  tools: [],
  context: [],
  forwardedProps: {},
});

class Replay extends AbstractAgent {
  constructor(source) {
    super();
    this.source = source;
  }
  run() {
    return this.source;
  }
}

// 1.0.0: translate retired shapes, enforce the schema, expand chunks, verify the order.
const stagesOfCurrent = (source) =>
  new CompatibilityBoundary().run(input(), new Replay(source)).pipe(
    current.enforceEvents(false),
    current.transformChunks(false),
    current.verifyEvents(false),
  );

// As a module this one does not find fast-json-patch in Node; bundlers do.
const client45 = createRequire(import.meta.url)("agui-client-0.0.45");

/** The clients that other libraries still pin, by version. */
export const olderClients = { "0.0.45": client45, "0.0.53": client53, "0.0.57": client57, "0.0.58": client58 };

// Before 1.0: the transport validates each frame, then chunks are expanded and the order verified.
const stagesBefore = (client) => (source) =>
  source.pipe(
    map((event) => client.EventSchemas.parse(event)),
    client.transformChunks(false),
    client.verifyEvents(false),
  );

// The order alone, for events known to be valid: what costs time is the schema.
const orderOfCurrent = (source) => source.pipe(current.transformChunks(false), current.verifyEvents(false));

const stages = {
  "1.0.0": stagesOfCurrent,
  "0.0.59": stagesBefore(old),
  ...Object.fromEntries(Object.entries(olderClients).map(([version, client]) => [version, stagesBefore(client)])),
};

/**
 * What the client of that version, such as "1.0.0", says of a stream.
 *
 * Returns {verdict: "accept" | "reject", at, error}: at is the index of the event
 * that was refused, error the client's own words; both absent when accepted.
 */
export const judge = (version, events) => run(stages[version], events);

/** What 1.0.0 says of the order of a stream of valid events. */
export const judgeOrder = (events) => run(orderOfCurrent, events);

/** What is left of an event after 1.0.0 has enforced the schema; undefined if it dropped or refused it. */
export function enforced(event) {
  let left;
  from([event])
    .pipe(current.enforceEvents(false))
    .subscribe({ next: (value) => (left = value), error: () => (left = undefined) });
  return left;
}

function run(stages, events) {
  let at = -1;
  let error;
  const source = from(events).pipe(tap(() => at++));
  stages(source).subscribe({ error: (thrown) => (error = thrown) });
  if (error === undefined) return { verdict: "accept" };
  return { verdict: "reject", at, error: String(error.message ?? error) };
}
