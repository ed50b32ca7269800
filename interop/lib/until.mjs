// Waiting for what nobody tells of.

import { setTimeout } from "node:timers/promises";

const WITHIN_MS = 60_000; // far more than it takes on a slow machine

/** Asks again and again until probe says something true, and returns that; it fails, with what was waited for, after a minute. */
export async function until(what, probe) {
  const end = Date.now() + WITHIN_MS;
  for (;;) {
    const found = await probe();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited for a minute: ${what}`);
    await setTimeout(10);
  }
}
