// The browser tab of the other tests, which also looks for secrets in all that it is sent.

import assert from "node:assert/strict";
import * as client from "../../lib/client.mjs";
import { key } from "./mock.mjs";

/** What a model is told before the result of a call whose arguments a person has changed. */
export const changed = "[A person changed the arguments of this call, and approved of it.]\n";

/** Words that are secrets: the key, and what only the cause of an error says. */
export const secrets = [key, "sk-secret-cause"];

export class Tab extends client.Tab {
  async run(parameters) {
    const stream = await super.run(parameters);
    for (const secret of secrets) assert.ok(!stream.text.includes(secret), stream.text);
    return stream;
  }
}

/** Fails if a gateway wrote a secret into its log. */
export function keepsSecrets(gateway) {
  for (const secret of secrets) assert.ok(!gateway.log().includes(secret), "the log holds a secret");
}
