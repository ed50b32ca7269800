// Every request of the page, CopilotKit's too, passes here: it is sent with the person's key, and if it is refused for want of
// one it waits until there is one, so that no pending request is lost. A refused request has started nothing.

import { unmarkedText } from "client/form/exact";
import type { Session } from "./session";

/** How often a request is sent again that came too early, and how long it waits at least and at most for each. */
const TRIES = 5;
const [LEAST_MS, MOST_MS] = [1000, 30_000];

/** A fetch that sends what goes to the gateway on behalf of the session; root is where that is. */
export function guard(send: typeof fetch, session: Session, root: string): typeof fetch {
  return async (input, init = {}) => {
    if (!concerns(input, root)) return send(input, init);
    for (let tries = 0; ; ) {
      await session.admitted(init.signal);
      const { key } = session;
      const response = await send(input, dressed(init, key));
      if (intercepted(response)) session.intercept();
      else if (response.status === 401) session.refuse(key);
      else if (response.status === 429 && tries++ < TRIES) await politely(session, response, init.signal);
      else return response;
      response.body?.cancel().catch(() => {});
    }
  };
}

/** Whether the gateway authenticates it; readiness needs no principal, and is requested while others wait. */
function concerns(input: RequestInfo | URL, root: string): input is string | URL {
  if (input instanceof Request) return false; // neither this page nor CopilotKit makes one
  const { href } = new URL(input, root);
  return href.startsWith(`${root}/`) && href !== `${root}/readyz`;
}

/** The request with the key, and with exact numbers in what CopilotKit sends for the page. */
function dressed(init: RequestInit, key: string | undefined): RequestInit {
  const headers = new Headers(init.headers);
  if (key !== undefined) headers.set("Authorization", `Bearer ${key}`);
  const body = typeof init.body === "string" && { body: unmarkedText(init.body) };
  return { ...init, ...body, headers, redirect: "manual" };
}

/**
 * Whether a proxy has answered instead of the gateway, because it wants a person to sign in: the gateway never redirects, has no
 * pages behind these paths, and says in a 401 that it takes a bearer token.
 */
function intercepted(response: Response): boolean {
  const type = response.headers.get("Content-Type") ?? "";
  if (response.type === "opaqueredirect" || (response.ok && /^text\/html\b/i.test(type))) return true;
  if (response.status !== 401) return false;
  return !/^application\/json\b/i.test(type) || !/^Bearer\b/i.test(response.headers.get("WWW-Authenticate") ?? "");
}

/** Waits as long as the gateway wants, and a little longer, because others wait too. */
async function politely(session: Session, response: Response, signal?: AbortSignal | null) {
  const wanted = 1000 * (Number(response.headers.get("Retry-After")) || 0);
  const ms = Math.min(MOST_MS, Math.max(LEAST_MS, wanted)) * (1 + Math.random() / 4);
  const over = session.pause();
  try {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener("abort", () => resolve(clearTimeout(timer)), { once: true });
    });
  } finally {
    over();
  }
}
