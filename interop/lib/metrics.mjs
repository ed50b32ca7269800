// The metrics of a gateway that was started with openly.

import assert from "node:assert/strict";

/** The flags of a gateway that shows its metrics. */
export const openly = ["-admin-addr", "127.0.0.1:0"];

/** The value that a metric without labels has now. */
export async function metric(gateway, name) {
  const [, admin] = /\badmin: .*?(http:\/\/[\d.]+:\d+)/.exec(gateway.log());
  const text = await (await fetch(`${admin}/metrics`)).text();
  const found = new RegExp(`^${name} (\\S+)$`, "m").exec(text);
  assert.ok(found, text);
  return Number(found[1]);
}
