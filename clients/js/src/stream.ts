// The stream of a run over as many connections as it takes.

import { learnTime } from "./clock.ts";
import { Delivery, isOver } from "./delivery.ts";
import { RefusedError } from "./errors.ts";
import { type Frame, FrameParser } from "./sse.ts";

/** An event of a stream, as far as a reader of connections looks into it. */
export interface StreamEvent extends Record<string, unknown> {
  type: string;
}

export interface Source {
  /** The first connection. */
  first(): Promise<Response>;
  /** A connection behind the event with this id. */
  behind(cursor: string): Promise<Response>;
  /** Milliseconds before each new try. What arrives starts them over; when they are used up, the stream fails. */
  backoff: readonly number[];
  /** Milliseconds without a byte, heartbeats included, after which a connection is taken for dead. */
  silence: number;
  signal: AbortSignal;
  /** Each event once, before it is passed on, with the newest cursor. */
  onEvent(event: StreamEvent, cursor: string | undefined): void;
  /** The rest of the stream cannot be had: the gateway does not know the cursor any more, or shows the thread anew. */
  onAnew(): void;
}

/** The frames of a run up to its terminal event. */
export async function* follow({ first, behind, backoff, silence, signal, onEvent, onAnew }: Source): AsyncGenerator<string, void> {
  let cursor: string | undefined; // the id of the last frame that was passed on: none is passed on twice
  for (let tries = 0; ; tries++) {
    let later = 0; // milliseconds that the gateway wants to be left alone
    try {
      // Without a cursor the request itself is sent again: the gateway knows it, and runs nothing twice.
      const response = await (cursor ? behind(cursor) : first());
      const delivery = new Delivery<StreamEvent>();
      for await (const frame of framesOf(response, silence)) {
        const event = JSON.parse(frame.data) as StreamEvent;
        // A second start within a stream is an error of the protocol: this stream ends here.
        if (cursor && event.type === "RUN_STARTED") return onAnew();
        const group = delivery.take(event, frame);
        if (group.length === 0) continue;
        [cursor, tries] = [frame.id ?? cursor, 0];
        for (const told of group) onEvent(told.event, cursor);
        yield group.map(({ frame }) => written(frame)).join("");
        if (isOver(event)) return;
      }
      if (response.status === 204) return onAnew(); // nothing more, yet the end of the run is missing
      throw new Error("the connection was closed before the end of the run");
    } catch (error) {
      const { status, retryAfter = 0 } = error as Partial<RefusedError>;
      const final = status !== undefined && ![429, 502, 503, 504].includes(status);
      if (signal.aborted || final || tries >= backoff.length) throw error;
      later = retryAfter;
    }
    // Not all readers come back at the same moment.
    await wait(Math.max(later, (backoff[tries] ?? 0) * (0.5 + Math.random() / 2)), signal);
  }
}

/** Throws the refusal in a response. The clock of expiring questions is set by each response. */
export async function ok(response: Response): Promise<Response> {
  learnTime(response);
  if (response.ok) return response;
  throw new RefusedError(response, await response.text());
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => resolve(clearTimeout(timer)), { once: true });
  });
}

const written = ({ data, id }: Frame): string => `${id === undefined ? "" : `id: ${id}\n`}data: ${data.replaceAll("\n", "\ndata: ")}\n\n`;

// The frames of a response, without comments.
async function* framesOf({ body }: Response, silence: number): AsyncGenerator<Frame, void> {
  if (!body) return;
  const [reader, decoder, parser] = [body.getReader(), new TextDecoder(), new FrameParser()];
  let silent = false;
  const read = () =>
    new Promise<ReadableStreamReadResult<Uint8Array>>((resolve, reject) => {
      const timer = setTimeout(() => {
        silent = true;
        reject(new Error("the connection was silent"));
      }, silence);
      reader.read().then(resolve, reject).finally(() => clearTimeout(timer));
    });
  try {
    for (;;) {
      const { done, value } = await read();
      if (done) return;
      yield* parser.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    (silent ? reader.cancel() : drain(reader)).catch(() => {});
  }
}

// Reads the rest of a response. The gateway ends it by itself, and a connection that is read to its end is used again.
async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  while (!(await reader.read()).done);
}
