// Who the person in this tab is to the gateway: the key or token that they have given, and what to ask of them.

import { mount } from "../mount";
import { refusal } from "../gateway/api";
import type { Me } from "../gateway/types";

/** The reason for which requests wait. key: not signed in. again: the credentials are no longer accepted.
 * proxy: something before the gateway wants a person to sign in there.
 */
export type Wanted = "key" | "again" | "proxy";

/** A session as it is now; a new object after each change. */
export interface Seen {
  wanted: Wanted | undefined;
  /** Who one is; unknown until the gateway has said it. */
  me: Me | undefined;
  /** Whether a key or token is sent with requests. */
  signedIn: boolean;
  /** How many requests wait because the gateway had too many. */
  pausing: number;
  /** The session is over, and a new page is about to take the place of this one. */
  over: boolean;
}

/** Why a key or token was not taken. */
export interface Problem {
  text: string;
  code: string;
}

const KEY = "session";

interface Kept {
  key?: string;
  /** The id of the page's principal. */
  owner?: string;
}

/** What a session needs of its tab. */
export interface Tab {
  fetch: typeof fetch;
  storage: Pick<Storage, "getItem" | "setItem" | "clear"> | undefined;
  /** Loads the page anew, at no thread: nothing that this page has in memory is left. */
  restart: () => void;
}

/** The session of a tab. It outlives a reload, and not the tab. */
export class Session {
  private readonly tab: Tab;
  private readonly listeners = new Set<() => void>();
  private readonly waiting = new Set<() => void>();
  private kept: Kept;
  private seen: Seen;

  constructor(tab: Tab) {
    this.tab = tab;
    this.kept = this.read();
    this.seen = { wanted: undefined, me: undefined, signedIn: this.kept.key !== undefined, pausing: 0, over: false };
  }

  readonly current = (): Seen => this.seen;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  /** What requests are sent with. */
  get key(): string | undefined {
    return this.kept.key;
  }

  /** The id of the page's principal, if known. */
  get owner(): string | undefined {
    return this.kept.owner;
  }

  /** Resolves when nothing is in the way of a request, and rejects when its signal is aborted. */
  async admitted(signal?: AbortSignal | null): Promise<void> {
    while (this.seen.wanted || this.seen.over) {
      signal?.throwIfAborted();
      await new Promise<void>((resolve) => {
        const done = () => {
          this.waiting.delete(done);
          signal?.removeEventListener("abort", done);
          resolve();
        };
        this.waiting.add(done);
        signal?.addEventListener("abort", done, { once: true });
      });
    }
    signal?.throwIfAborted();
  }

  /** The gateway has refused a request that was sent with this key, or with none. */
  refuse(key: string | undefined) {
    if (this.seen.wanted || key !== this.kept.key) return; // a newer key has been given since
    this.keep({ ...(this.kept.owner !== undefined && { owner: this.kept.owner }) });
    this.change({ wanted: this.kept.owner === undefined ? "key" : "again", signedIn: false });
  }

  /** Something before the gateway has answered in its place. */
  intercept() {
    if (!this.seen.wanted) this.change({ wanted: "proxy" });
  }

  /** Tries again what waits, after the person has signed in elsewhere. */
  retry() {
    this.change({ wanted: undefined });
  }

  /** Counts a request that waits because the gateway had too many, until the function it returns is called. */
  pause(): () => void {
    this.change({ pausing: this.seen.pausing + 1 });
    return () => this.change({ pausing: this.seen.pausing - 1 });
  }

  /** Who the gateway says one is. A page that was somebody else's is left. */
  meet(me: Me) {
    if (this.kept.owner !== undefined && this.kept.owner !== me.principal.id) return this.leave({ ...this.kept, owner: me.principal.id });
    if (me.auth !== "none") this.keep({ ...this.kept, owner: me.principal.id });
    this.change({ me });
  }

  /** Sets a key or token. Returns its problem; without one the waiting requests continue. */
  async signIn(typed: string): Promise<Problem | undefined> {
    const key = bare(typed);
    if (key === "") return { text: "Enter your key or token.", code: "empty" };
    if (!/^[\x21-\x7e]+$/.test(key)) return { text: "A key or token has no spaces and no signs beyond ASCII. Was something else copied with it?", code: "malformed" };
    let response: Response;
    try {
      const headers = { Accept: "application/json", Authorization: `Bearer ${key}` };
      response = await this.tab.fetch(`${mount}/me`, { headers, cache: "no-store", redirect: "manual" });
    } catch {
      return { text: "The gateway cannot be reached. Try again in a moment.", code: "unreachable" };
    }
    if (!response.ok) return problemOf(response);
    const me = (await response.json().catch(() => undefined)) as Me | undefined;
    if (!me?.principal) return { text: "The gateway’s answer could not be read.", code: "" };
    this.kept = { ...this.kept, key };
    this.meet(me);
    if (this.seen.over) return undefined;
    this.keep(this.kept);
    this.change({ wanted: undefined, signedIn: true });
    return undefined;
  }

  /** Forgets the key, and all that the page has of the person. */
  signOut() {
    this.leave({});
  }

  private leave(next: Kept) {
    try {
      this.tab.storage?.clear();
    } catch {
      // What cannot be used holds nothing.
    }
    this.keep(next);
    this.change({ me: undefined, signedIn: false, over: true });
    this.tab.restart();
  }

  private read(): Kept {
    try {
      const { key, owner } = JSON.parse(this.tab.storage?.getItem(KEY) ?? "{}") as Kept;
      return { ...(typeof key === "string" && { key }), ...(typeof owner === "string" && { owner }) };
    } catch {
      return {};
    }
  }

  private keep(kept: Kept) {
    this.kept = kept;
    try {
      this.tab.storage?.setItem(KEY, JSON.stringify(kept));
    } catch {
      // Storage is full or forbidden: the session ends with the page.
    }
  }

  private change(part: Partial<Seen>) {
    this.seen = { ...this.seen, ...part };
    if (!this.seen.wanted && !this.seen.over) for (const go of [...this.waiting]) go();
    for (const listener of [...this.listeners]) listener();
  }
}

/** The key in the typed or pasted text, which may be a whole header. */
function bare(typed: string): string {
  return typed
    .trim()
    .replace(/^authorization:\s*/i, "")
    .replace(/^bearer\s+/i, "");
}

async function problemOf(response: Response): Promise<Problem> {
  const { code, message } = await refusal(response);
  if (response.status === 401) return { text: "This key or token is not accepted. Check it, or ask for a new one.", code };
  if (response.status === 403) return { text: `You are known, but you may not use this gateway. ${code ? message : ""}`.trim(), code };
  if (response.status === 429) {
    const seconds = Number(response.headers.get("Retry-After")) || 0;
    return { text: `There were too many tries. Wait ${seconds > 0 ? `${seconds} s` : "a moment"}, then try again.`, code };
  }
  return { text: message, code };
}
