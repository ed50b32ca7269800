// An HttpAgent that comes back: after a cut connection, and after a reload. For @ag-ui/client 1.0.0 and 0.0.59.

import { type AgentSubscriber, HttpAgent, type HttpAgentConfig, type RunAgentInput, type RunAgentResult } from "@ag-ui/client";
import { AnswerError, RefusedError, refusalIn } from "./errors.ts";
import { isContainer, mayBeRounded, parse } from "./form/exact.ts";
import { Session, type Store } from "./session.ts";
import { follow, ok, type StreamEvent } from "./stream.ts";
import type { Answer, Interrupt } from "./types.ts";

const BACKOFF = [100, 200, 400, 800, 1600, 3200, 5000, 5000];
const SILENCE = 45_000; // three heartbeats

export interface GatewayAgentConfig extends Omit<HttpAgentConfig, "url"> {
  /**
   * The agent's URL: …/agents/{agent}, with its query if it has one. Unless that has `disconnect`, a run continues when its
   * reader has gone (`disconnect=detach`), and ends by `stop()`.
   */
  url: string;
  /** The name of this conversation in the tab. Under it the tab remembers thread and cursor, so that a reload comes back. */
  session?: string;
  /** Where they are remembered: sessionStorage, unless it is named. */
  storage?: Store;
  /**
   * Milliseconds before each new try after a cut; each is shortened at random by up to half. Whatever arrives starts
   * them over. When they are used up the run fails, so [] never tries again. By default about 16 seconds in all.
   */
  backoff?: readonly number[];
  /** Milliseconds without a byte after which a connection is taken for dead; 45 seconds by default. */
  silence?: number;
}

type Parameters = NonNullable<globalThis.Parameters<HttpAgent["runAgent"]>[0]>;

/**
 * An HttpAgent for streams that survive cut connections. `runAgent()` is joined again where it was left. `connectAgent()`
 * shows the thread as it stands and follows its live run, if there is one, to its end; it fails with status 404 if
 * the thread is unknown. Both resolve when the run ends, and subscribers get each event once.
 */
export class GatewayAgent extends HttpAgent {
  backoff: readonly number[];
  silence: number;
  /** The id of the last event that was read. */
  cursor: string | undefined;
  private session: Session | undefined;
  /** There may be a thread: a run was begun, or the thread was named or remembered. */
  private begun: boolean;
  /** The rest of the present stream is a new one. */
  private anew = false;
  private refusal: AnswerError | undefined;

  constructor({ backoff = BACKOFF, silence = SILENCE, session, storage, ...config }: GatewayAgentConfig) {
    const kept = session === undefined ? undefined : new Session(session, storage);
    const remembered = kept?.read();
    const mine = remembered && (config.threadId ?? remembered.threadId) === remembered.threadId ? remembered : undefined;
    super({ ...config, url: detached(config.url), ...(mine && { threadId: mine.threadId }) });
    [this.backoff, this.silence, this.session] = [backoff, silence, kept];
    [this.cursor, this.begun] = [mine?.cursor, mine !== undefined || config.threadId !== undefined];
  }

  override clone(): GatewayAgent {
    const { backoff, silence, cursor, begun } = this;
    return Object.assign(super.clone() as GatewayAgent, { backoff, silence, cursor, begun, anew: false });
  }

  override runAgent(parameters?: Parameters, subscriber?: AgentSubscriber): Promise<RunAgentResult> {
    this.remember(this.cursor);
    return this.untilShown(subscriber, () => super.runAgent(parameters, subscriber));
  }

  override connectAgent(parameters?: Parameters, subscriber?: AgentSubscriber): Promise<RunAgentResult> {
    if (this.abortController.signal.aborted) this.abortController = new AbortController();
    return this.untilShown(subscriber, () => {
      // The client begins nothing that leaves questions unanswered. Reading answers none, so it does not see them
      // while it checks, which it does before this call returns.
      const questions = this.pendingInterrupts;
      this.pendingInterrupts = [];
      const shown = super.connectAgent(parameters, subscriber);
      this.pendingInterrupts = questions;
      return shown;
    });
  }

  /**
   * Shows the thread that the tab remembers, or that the configuration names, and follows its live run to the end. A page
   * calls it when it is loaded. A new tab, and a thread that the gateway does not know, have nothing to show: false.
   */
  async open({ subscriber, signal }: { subscriber?: AgentSubscriber; signal?: AbortSignal } = {}): Promise<boolean> {
    if (!this.begun) return false;
    try {
      // A 404 that is expected is kept away from the client, which would write it to the console.
      await this.ask(this.threadId, undefined, { limit: "1" }, { headers: this.headers, signal: signal ?? null });
    } catch (error) {
      if (!(error instanceof RefusedError) || error.status !== 404) throw error;
      return false;
    }
    if (signal?.aborted) return false;
    await this.connectAgent(undefined, subscriber);
    return true;
  }

  /** Begins another thread, which the tab remembers from its first run on. */
  reset(threadId: string = crypto.randomUUID()): void {
    this.abortRun();
    this.session?.write(undefined);
    [this.threadId, this.cursor, this.begun, this.pendingInterrupts] = [threadId, undefined, false, []];
    this.setMessages([]);
    this.setState({});
  }

  /**
   * Answers the open questions, each of them once, and reads the run that continues. If the gateway refuses the answers this
   * throws AnswerError with the problems, and the questions stay open.
   */
  async answer(answers: readonly Answer[], subscriber?: AgentSubscriber): Promise<RunAgentResult> {
    this.refusal = undefined;
    const open = this.pendingInterrupts;
    try {
      const result = await this.runAgent({ resume: [...answers] } as Parameters, subscriber);
      if (!this.refusal) return result;
    } catch (error) {
      const { code, message, problems } = error as Partial<RefusedError>;
      if (!this.refusal && code && problems && problems.length > 0) this.refusal = new AnswerError(code, message ?? code, problems);
      if (!this.refusal) throw error;
    }
    if (this.pendingInterrupts.length === 0) this.pendingInterrupts = open;
    throw this.refusal;
  }

  /** The open questions with exact numbers. `pendingInterrupts` has them as JavaScript reads them, which may round. */
  async questions(): Promise<Interrupt[]> {
    const known = this.pendingInterrupts as Interrupt[];
    if (!known.some(mayBeRounded)) return known;
    const response = await this.ask(this.threadId, undefined, { limit: "1" }, { headers: this.headers });
    const thread = parse(await response.text());
    const interrupts = isContainer(thread) ? thread["interrupts"] : undefined;
    return Array.isArray(interrupts) ? (interrupts as Interrupt[]) : known;
  }

  /** Stops what runs on the thread, whoever started it; false if nothing did. abortRun() only ends the reading. */
  async stop(): Promise<boolean> {
    const response = await this.ask(this.threadId, "stop", {}, { method: "POST", headers: this.headers });
    return ((await response.json()) as { stopped: boolean }).stopped;
  }

  // What runAgent() and connectAgent() read; both are the client's hooks.
  override run(input: RunAgentInput): ReturnType<HttpAgent["run"]> {
    return this.read(input, (url, init) => this.fetch(url, init).then(ok));
  }
  protected override connect(input: RunAgentInput): ReturnType<HttpAgent["run"]> {
    return this.read(input, () => this.attach(input));
  }

  // Waits for a stream. If it had to be given up because the gateway shows everything anew, another one has that.
  private async untilShown(subscriber: AgentSubscriber | undefined, stream: () => Promise<RunAgentResult>): Promise<RunAgentResult> {
    const known = new Set(this.messages.map(({ id }) => id));
    this.anew = false;
    const shown = await stream().catch((error: unknown) => {
      if (!this.anew) throw error;
    });
    if (!this.anew && shown) return shown;
    const again = await this.connectAgent(undefined, subscriber);
    return { ...again, newMessages: this.messages.filter(({ id }) => !known.has(id)) };
  }

  // What HttpAgent makes of a response, which here continues over cuts.
  private read(input: RunAgentInput, first: (url: string, init: RequestInit) => Promise<Response>): ReturnType<HttpAgent["run"]> {
    const fetch = async (url: string, init: RequestInit) => {
      const frames = follow({
        first: () => first(url, init),
        behind: (cursor) => this.attach(input, cursor),
        backoff: this.backoff,
        silence: this.silence,
        signal: this.abortController.signal,
        onEvent: (event, cursor) => this.note(event, cursor),
        onAnew: () => void (this.anew = true),
      });
      const read = async () => {
        const { done, value } = await frames.next();
        return { done, value: value ? new TextEncoder().encode(value) : undefined };
      };
      // No ReadableStream: HttpAgent leaves a failed one by a cancel(), and nothing would catch its rejection.
      const body = { getReader: () => ({ read, cancel: () => frames.return() }) };
      return { ok: true, status: 200, headers: new Headers({ "Content-Type": "text/event-stream" }), body };
    };
    return HttpAgent.prototype.run.call(Object.create(this, { fetch: { value: fetch } }), input);
  }

  private note(event: StreamEvent, cursor: string | undefined) {
    if (cursor !== this.cursor) this.remember(cursor);
    this.refusal ??= refusalIn(event);
  }

  private remember(cursor: string | undefined) {
    [this.cursor, this.begun] = [cursor, true];
    this.session?.write({ threadId: this.threadId, ...(cursor !== undefined && { cursor }) });
  }

  // Becomes a reader of the thread: behind the cursor, or without one from the thread as it stands.
  private attach(input: RunAgentInput, cursor?: string): Promise<Response> {
    const { protocolVersion } = input as { protocolVersion?: string }; // clients before 1.0 have none
    const headers = { ...this.headers, Accept: "text/event-stream", ...(cursor !== undefined && { "Last-Event-ID": cursor }) };
    return this.ask(input.threadId, "events", protocolVersion ? { protocolVersion } : {}, { headers, signal: this.abortController.signal });
  }

  // Asks a route of the thread, found beside the agent's: …/agents/travel → …/threads/{id}/events?agent=travel
  private async ask(threadId: string, route: string | undefined, query: Record<string, string>, init: RequestInit): Promise<Response> {
    const [, base, name, own] = /^(.*)\/agents\/([^/?]+)(?:\?(.*))?$/.exec(this.url) ?? [];
    if (name === undefined) throw new TypeError(`not the URL of an agent: ${this.url}`);
    const dialect = Object.fromEntries(new URLSearchParams(own)); // ?interrupts= and ?subagents= count on every route
    const search = new URLSearchParams({ ...dialect, ...query, agent: decodeURIComponent(name) });
    const path = `${base}/threads/${encodeURIComponent(threadId)}${route === undefined ? "" : `/${route}`}`;
    return ok(await this.fetch(`${path}?${search}`, init));
  }
}

function detached(url: string): string {
  const [path, query] = url.split("?", 2);
  const search = new URLSearchParams(query);
  if (search.has("disconnect")) return url;
  search.set("disconnect", "detach");
  return `${path}?${search}`;
}
