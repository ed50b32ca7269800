// The gateway's routes for threads and agents, as functions. They throw GatewayError and nothing else, but for an
// AbortError when their signal was aborted.

import { parse, stringify } from "client/form/exact";
import { newID } from "../id";
import { mount } from "../mount";
import { learnTime } from "client/clock";
import type { AgentInfo, Answer, Capabilities, Me, Message, PatchOperation, RememberedApproval, Thread, ThreadPage, ThreadStatus, Trace } from "./types";

/** What the gateway refused, or that it could not be reached: status 0, code "unreachable". */
export class GatewayError extends Error {
  readonly status: number;
  /** One of the contract's codes, "unreachable", or "" if the answer was not the gateway's own. */
  readonly code: string;
  readonly requestId: string;

  constructor(status: number, code: string, message: string, requestId = "") {
    super(message);
    this.name = "GatewayError";
    [this.status, this.code, this.requestId] = [status, code, requestId];
  }
}

export interface Options {
  signal?: AbortSignal;
}

/** Who one is to the gateway. */
export function getMe(options?: Options): Promise<Me> {
  return ask("GET", "/me", options);
}

export async function listAgents(options?: Options): Promise<AgentInfo[]> {
  return (await ask<{ agents: AgentInfo[] }>("GET", "/agents", options)).agents;
}

/** What an agent is known to be able to do. */
export function showCapabilities(agent: string, options?: Options): Promise<Capabilities> {
  return ask("GET", `/agents/${encodeURIComponent(agent)}/capabilities`, options);
}

export interface ThreadQuery {
  agent?: string;
  status?: ThreadStatus;
  /** Words that are all in the title or the agent's name. */
  q?: string;
  cursor?: string;
  /** 20 if absent, 100 at most. */
  limit?: number;
}

/** One page of the caller's own threads, newest first. */
export function listThreads(query: ThreadQuery = {}, options?: Options): Promise<ThreadPage> {
  return ask("GET", `/threads${search({ ...query })}`, options);
}

/** The thread as committed, with all its messages, or the newest so many of them. */
export function getThread(id: string, agent: string, { messages, ...options }: Options & { messages?: number } = {}): Promise<Thread> {
  return ask("GET", threadPath(id, agent, undefined, { limit: messages?.toString() }), options);
}

/** What a run did, step by step, as long as the gateway keeps it. */
export function getTrace(id: string, agent: string, run: number, options?: Options): Promise<Trace> {
  return ask("GET", threadPath(id, agent, `runs/${run}/trace`), options);
}

/** Sets the title, 500 bytes at most. */
export function renameThread(id: string, agent: string, title: string, options?: Options): Promise<Thread> {
  return ask("PATCH", threadPath(id, agent), options, { title });
}

/** Stops the live run and deletes the thread. */
export async function deleteThread(id: string, agent: string, options?: Options): Promise<void> {
  await ask("DELETE", threadPath(id, agent), options);
}

/** A new thread with the conversation up to and with a message; returns its id. */
export async function forkThread(id: string, agent: string, messageId: string, options?: Options): Promise<string> {
  return (await ask<{ id: string }>("POST", threadPath(id, agent, "fork"), options, { messageId })).id;
}

/** Stops the live run. */
export async function stopThread(id: string, agent: string, options?: Options): Promise<void> {
  await ask("POST", threadPath(id, agent, "stop"), options);
}

/** Answers all open questions; the run continues without waiting for a reader. */
export async function resumeThread(id: string, agent: string, resume: readonly Answer[], options?: Options): Promise<void> {
  await ask("POST", threadPath(id, agent, "resume"), options, { resume });
}

/** Has the turn of a known user message run again: later messages leave the conversation. The run is read by whoever
 * follows the thread, and not from here.
 */
export async function runAgain(id: string, agent: string, message: Message, options?: Options): Promise<void> {
  const body = { threadId: id, runId: newID(), protocolVersion: "1.0", messages: [message], forwardedProps: { gateway: { regenerate: true } } };
  const response = await send("POST", `/agents/${encodeURIComponent(agent)}?disconnect=detach`, options, body, "text/event-stream");
  if (!response.ok) throw await refusal(response);
  await response.body?.cancel();
}

/** The approvals that count in a thread, oldest first. */
export async function threadApprovals(id: string, agent: string, options?: Options): Promise<RememberedApproval[]> {
  return (await ask<{ approvals: RememberedApproval[] }>("GET", threadPath(id, agent, "approvals"), options)).approvals;
}

/** The approvals that count in all of the caller's threads with an agent, oldest first. */
export async function myApprovals(options?: Options): Promise<RememberedApproval[]> {
  return (await ask<{ approvals: RememberedApproval[] }>("GET", "/me/approvals", options)).approvals;
}

/** Takes back an approval that is remembered. */
export async function revokeApproval({ id, agent, threadId }: RememberedApproval, options?: Options): Promise<void> {
  const route = `approvals/${encodeURIComponent(id)}`;
  await ask("DELETE", threadId === undefined ? `/me/${route}` : threadPath(threadId, agent, route), options);
}

/** A state as committed, and its tag. */
export interface StateNow {
  state: unknown;
  tag: string;
}

/** What became of a patch: one that is pending waits for the end of a turn. */
export interface PatchAnswer {
  patch: string;
  status: "applied" | "pending";
}

export async function getState(id: string, agent: string, options?: Options): Promise<StateNow> {
  const response = await send("GET", threadPath(id, agent, "state"), options, undefined, "application/json");
  return { state: await read(response, options), tag: response.headers.get("ETag") ?? "*" };
}

/** Changes the state that has the tag, from outside of a run; a repetition under the same key changes nothing. */
export async function patchState(id: string, agent: string, operations: PatchOperation[], tag: string, key: string, options?: Options): Promise<PatchAnswer> {
  const headers = { "Content-Type": "application/json-patch+json", "If-Match": tag, "Idempotency-Key": `"${key}"`, Prefer: "wait=1" };
  return read(await send("PATCH", threadPath(id, agent, "state"), options, operations, "application/json", headers), options);
}

/** What became of a patch that was pending. */
export function patchResult(id: string, agent: string, patch: string, options?: Options): Promise<PatchAnswer> {
  return ask("GET", threadPath(id, agent, `state/patches/${encodeURIComponent(patch)}`), options);
}

/** Whether the gateway can be reached and is ready. Never throws. */
export async function ready(options?: Options): Promise<boolean> {
  try {
    return (await fetch(`${mount}/readyz`, { cache: "no-store", signal: options?.signal ?? null })).ok;
  } catch {
    return false;
  }
}

/** The path of a thread's route below the gateway's root, with its agent. */
export function threadPath(id: string, agent: string, route?: string, query: Record<string, string | undefined> = {}): string {
  return `/threads/${encodeURIComponent(id)}${route ? `/${route}` : ""}${search({ agent, ...query })}`;
}

/** The error in the answer to a refused request. */
export async function refusal(response: Response): Promise<GatewayError> {
  const requestId = response.headers.get("X-Request-Id") ?? "";
  try {
    const { error } = (await response.json()) as { error?: { code?: string; message?: string; requestId?: string } };
    if (error?.code) {
      return new GatewayError(response.status, error.code, error.message ?? error.code, error.requestId ?? requestId);
    }
  } catch {
    // The body is a proxy's page, or empty; only the status is known.
  }
  return new GatewayError(response.status, "", `The gateway answered ${response.status}.`, requestId);
}

async function send(method: string, path: string, options: Options | undefined, body: unknown, accept: string, headers: Record<string, string> = {}): Promise<Response> {
  const init: RequestInit = { method, cache: "no-store", headers: { Accept: accept, ...headers } };
  if (options?.signal) init.signal = options.signal;
  if (body !== undefined) {
    init.headers = { Accept: accept, "Content-Type": "application/json", ...headers };
    init.body = stringify(body);
  }
  try {
    const response = await fetch(mount + path, init);
    learnTime(response);
    return response;
  } catch (error) {
    if (options?.signal?.aborted) throw error;
    throw new GatewayError(0, "unreachable", "The gateway cannot be reached.");
  }
}

async function ask<T>(method: string, path: string, options?: Options, body?: unknown): Promise<T> {
  const response = await send(method, path, options, body, "application/json");
  return read(response, options);
}

async function read<T>(response: Response, options?: Options): Promise<T> {
  if (!response.ok) throw await refusal(response);
  if (response.status === 204) return undefined as T;
  try {
    return parse(await response.text()) as T;
  } catch (error) {
    if (options?.signal?.aborted) throw error;
    throw new GatewayError(response.status, "", "The gateway's answer could not be read.");
  }
}

function search(query: Record<string, string | number | undefined>): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined && value !== "") params.set(key, String(value));
  const text = params.toString();
  return text && `?${text}`;
}
