// Answers that are written as JSON.

import { type ParseError, parse as parseLoosely } from "jsonc-parser";
import { parse, stringify } from "./exact";

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
    const errors: ParseError[] = [];
    parseLoosely(text, errors, { disallowComments: true, allowTrailingComma: false });
    const before = text.slice(0, errors[0]?.offset ?? text.length);
    const line = before.split("\n").length;
    const column = before.length - before.lastIndexOf("\n");
    return { problem: `This is not JSON yet: look at line ${line}, column ${column}.` };
  }
}

/** A value as people edit it; nothing as nothing. */
export const written = (value: unknown): string => (value === undefined ? "" : stringify(value, 2));
