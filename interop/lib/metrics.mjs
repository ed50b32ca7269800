// The metrics of a gateway that was started with the flags withMetrics.

import assert from "node:assert/strict";

/** The flags that make a gateway serve its metrics. */
export const withMetrics = ["-admin-addr", "127.0.0.1:0"];

/** Returns the value of a metric without labels. */
export async function metric(gateway, name) {
  const [, admin] = /\badmin: .*?(http:\/\/[\d.]+:\d+)/.exec(gateway.log());
  const text = await (await fetch(`${admin}/metrics`)).text();
  const found = new RegExp(`^${name} (\\S+)$`, "m").exec(text);
  assert.ok(found, text);
  return Number(found[1]);
}
