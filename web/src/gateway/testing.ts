// What the tests of this directory share. No part of the page.

import { vi } from "vitest";

export { random } from "client/testing";

/** A page that can be hidden; undone by vi.unstubAllGlobals(). */
export function page() {
  const document = Object.assign(new EventTarget(), { hidden: false });
  const window = new EventTarget();
  vi.stubGlobal("document", document);
  vi.stubGlobal("window", window);
  return {
    hide(hidden: boolean) {
      document.hidden = hidden;
      document.dispatchEvent(new Event("visibilitychange"));
    },
    online: () => void window.dispatchEvent(new Event("online")),
    focus: () => void window.dispatchEvent(new Event("focus")),
  };
}

/** One request that reached the gateway of a test, and its answer to be. */
export class Call {
  readonly url: URL;
  readonly headers: Headers;
  readonly signal: AbortSignal | undefined;
  private readonly settle: { resolve: (r: Response) => void; reject: (e: unknown) => void };
  private stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  open = false;

  constructor(input: string, init: RequestInit, settle: Call["settle"]) {
    this.url = new URL(input, "http://gateway");
    this.headers = new Headers(init.headers);
    this.signal = init.signal ?? undefined;
    this.settle = settle;
    this.open = true;
    this.signal?.addEventListener("abort", () => {
      this.open = false;
      const error = new DOMException("aborted", "AbortError");
      settle.reject(error);
      try {
        this.stream?.error(error);
      } catch {
        // closed before
      }
    });
  }

  get route() {
    return this.url.pathname.endsWith("/events") ? "events" : this.url.pathname;
  }

  async answer(status: number, body: unknown = {}, headers: Record<string, string> = {}) {
    this.open = false;
    const empty = status === 204 || status === 304;
    this.settle.resolve(new Response(empty ? null : JSON.stringify(body), { status, headers }));
    await settled();
  }

  async fail() {
    this.open = false;
    this.settle.reject(new TypeError("network error"));
    await settled();
  }

  /** Begins a stream, unless that was done, and sends text. */
  async send(text: string) {
    if (!this.stream) {
      const body = new ReadableStream<Uint8Array>({ start: (c) => void (this.stream = c) });
      this.settle.resolve(new Response(body, { headers: { "Content-Type": "text/event-stream" } }));
    }
    if (text !== "") this.stream?.enqueue(new TextEncoder().encode(text));
    await settled();
  }

  async end(error?: unknown) {
    this.open = false;
    if (error) this.stream?.error(error);
    else this.stream?.close();
    await settled();
  }
}

/** A fetch that collects its calls. most: how many were ever open at once. */
export function gateway() {
  const calls: Call[] = [];
  const seen = { most: 0 };
  vi.stubGlobal("fetch", (input: string, init: RequestInit = {}) => {
    return new Promise<Response>((resolve, reject) => {
      calls.push(new Call(input, init, { resolve, reject }));
      seen.most = Math.max(seen.most, calls.filter((c) => c.open).length);
    });
  });
  return {
    calls,
    seen,
    get last(): Call {
      const call = calls.at(-1);
      if (!call) throw new Error("nothing was asked");
      return call;
    },
  };
}

/** Lets everything that waits for nothing but promises happen. */
export async function settled() {
  for (let i = 0; i < 200; i++) await Promise.resolve();
}

/** A frame on the wire. */
export function frame(event: object, id?: string): string {
  return `${id ? `id: ${id}\n` : ""}data: ${JSON.stringify(event)}\n\n`;
}
