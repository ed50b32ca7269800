// Answers that are written as JSON.

import { parse, stringify } from "./exact.ts";

/** What somebody is writing as JSON in the place of a form. It is kept as it is, also while it is no JSON yet. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The value of a text, or its problem. */
export function read(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: parse(text) };
  } catch {
    const before = text.slice(0, mistakeIn(text));
    const line = before.split("\n").length;
    const column = before.length - before.lastIndexOf("\n");
    return { problem: `This is not JSON yet: look at line ${line}, column ${column}.` };
  }
}

/** A value as people edit it; nothing as nothing. */
export const written = (value: unknown): string => (value === undefined ? "" : stringify(value, 2));

const TOKEN = /[ \t\n\r]*(?:([[\]{},:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)))/y;

/** Where the first token of a text is that cannot be there; its end, if more should follow. */
function mistakeIn(text: string): number {
  const open: string[] = []; // the brackets that are not closed
  let wanted: "value" | "value or end" | "key" | "key or end" | "colon" | "comma" = "value";
  for (let at = 0; ; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    const start = at + (/^[ \t\n\r]*/.exec(text.slice(at))?.[0].length ?? 0);
    if (!match) return start;
    const [, sign, plain] = match;
    const inside = open.at(-1);
    if (plain !== undefined && wanted.startsWith("value")) wanted = "comma";
    else if (plain?.startsWith('"') && wanted.startsWith("key")) wanted = "colon";
    else if (sign === ":" && wanted === "colon") wanted = "value";
    else if ((sign === "{" || sign === "[") && wanted.startsWith("value")) {
      open.push(sign);
      wanted = sign === "{" ? "key or end" : "value or end";
    } else if (sign === "," && wanted === "comma" && inside) wanted = inside === "{" ? "key" : "value";
    else if ((sign === "}" && inside === "{" && /^(key or end|comma)$/.test(wanted)) || (sign === "]" && inside === "[" && /^(value or end|comma)$/.test(wanted))) {
      open.pop();
      wanted = "comma";
    } else return start;
  }
}
