// JSON with numbers as they are written. JavaScript has numbers of 53 bits: it would read 9007199254740993 as another number, and
// send that back.

/** A number as it is written, where JavaScript has no such number. */
export class Exact {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }

  /** For JSON.stringify of values to be shown: the exact number where the browser can write it. Requests use stringify. */
  toJSON(): unknown {
    return rawJSON ? rawJSON(this.text) : Number(this.text);
  }
}

const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown };

/** A string that replaces a number while other code has the value. It cannot be guessed, so no text of an agent is taken for one. */
const MARK = `#${Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(36)).join("")}:`;
const MARKED = new RegExp(`(\\\\*)"${MARK}([-+.\\deE]+)\\1"`, "g");
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;

/** What every number with more digits than JavaScript keeps has, and few other texts. */
const SUSPICIOUS = /[\d.]{16}|\d[eE][-+]?\d{3}/;

/** Reads JSON. spelling: a number is exact also if only its spelling would be lost, as of 1.50. */
export function parse(text: string, { spelling = false } = {}): unknown {
  const value: unknown = JSON.parse(text);
  if (!spelling && !SUSPICIOUS.test(text)) return value;
  let found = false;
  const marked = text.replace(TOKEN, (token) => {
    if (token.startsWith('"') || (spelling ? String(Number(token)) === token : isKept(token))) return token;
    found = true;
    return `"${MARK}${token}"`;
  });
  return found ? unmarked(JSON.parse(marked)) : value;
}

/** Writes JSON, exact numbers as they are. */
export function stringify(value: unknown, indent?: number): string {
  return (JSON.stringify(marked(value), undefined, indent) ?? "").replaceAll(MARKED, "$2");
}

/** A value for code that knows only JSON: each exact number is a string, which unmarked and unmarkedText read. */
export const marked = (value: unknown): unknown => mapped(value, (one) => (one instanceof Exact ? MARK + one.text : one));

/** The value behind one of marked. */
export const unmarked = (value: unknown): unknown => mapped(value, (one) => (isMarked(one) ? new Exact(one.slice(MARK.length)) : one));

/** The JSON behind that of a value of marked, also where it is JSON in a string. */
export const unmarkedText = (text: string): string => text.replaceAll(MARKED, "$2");

/** A value with the nearest numbers that JavaScript has, for what computes with them. */
export const rounded = (value: unknown): unknown => mapped(value, (one) => (one instanceof Exact ? Number(one.text) : isMarked(one) ? Number(one.slice(MARK.length)) : one));

/** Whether a value has exact numbers. */
export const hasExact = (value: unknown): boolean => marked(value) !== value;

/** Whether a value was read by code that may have rounded a number of it. */
export function mayBeRounded(value: unknown): boolean {
  if (typeof value === "number") return !Number.isFinite(value) || String(value).replaceAll(/[^0-9]/g, "").length > 15;
  return isContainer(value) && Object.values(value).some(mayBeRounded);
}

/** Whether a value is a list or an object. */
export const isContainer = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !(value instanceof Exact);

const isMarked = (value: unknown): value is string => typeof value === "string" && value.startsWith(MARK);

/** The number in the text of a form's field, in the form of marked. A text that is no number stays a text. */
export function typed(text: string): unknown {
  const number = text.trim();
  if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(number)) return number === "" ? undefined : Number.isFinite(Number(number)) ? Number(number) : text;
  return isKept(number) ? Number(number) : MARK + number;
}

/** A number of a form, as it is written in its field. */
export const shownNumber = (value: unknown): string => (isMarked(value) ? value.slice(MARK.length) : value === undefined || value === null ? "" : String(value));

/** Whether two numbers, exact or not, are the same number. */
export function sameNumber(a: unknown, b: unknown): boolean {
  if (!(a instanceof Exact || b instanceof Exact)) return a === b;
  const [x, y] = [a, b].map((one) => (one instanceof Exact || typeof one === "number" ? canonical(String(one)) : undefined));
  return x !== undefined && x === y;
}

const isKept = (token: string): boolean => {
  const number = Number(token);
  return Number.isFinite(number) && canonical(String(number)) === canonical(token);
};

/** The digits of a number without zeros at either end, and the power of ten that they are multiplied with. */
function canonical(text: string): string {
  const [, sign = "", whole = "", part = "", power = "0"] = /^([-+]?)(\d*)\.?(\d*)(?:[eE]([-+]?\d+))?$/.exec(text) ?? [, text];
  const digits = (whole + part).replace(/^0+/, "");
  const kept = digits.replace(/0+$/, "");
  return kept === "" ? "0" : `${sign === "-" ? "-" : ""}${kept}e${Number(power) - part.length + digits.length - kept.length}`;
}

function mapped(value: unknown, leaf: (value: unknown) => unknown): unknown {
  const made = leaf(value);
  if (made !== value || typeof value !== "object" || value === null) return made;
  if (Array.isArray(value)) {
    const items = value.map((item) => mapped(item, leaf));
    return items.every((item, i) => item === value[i]) ? value : items;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype && Object.getPrototypeOf(value) !== null) return value; // JsonText, File
  const members = Object.entries(value).map(([key, member]) => [key, mapped(member, leaf)] as const);
  return members.every(([key, member]) => member === (value as Record<string, unknown>)[key]) ? value : Object.fromEntries(members);
}
