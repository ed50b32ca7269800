/** Longer texts are shown as they are. */
const MAX_LENGTH = 100_000;

/** How deep lists and quotes may be in each other, and brackets in a paragraph. The time that a parser takes grows with the square of either. */
const MAX_DEPTH = 12;
const MAX_BRACKETS = 100;

/** A line with more marks of lists and quotes than may be in each other, or an item of a list that is indented as far as that. */
const DEEP = new RegExp(`^(?:[ \\t]*(?:>|(?:[-*+]|\\d{1,9}[.)])(?=[ \\t]))){${MAX_DEPTH + 1}}|^[ \\t>]{${2 * MAX_DEPTH + 1},200}(?:[-*+]|\\d{1,9}[.)])[ \\t]`, "m");

/** Whether a text would take a Markdown parser longer than people wait, so that it is shown as it is. */
export function costly(text: string): boolean {
  if (text.length > MAX_LENGTH || DEEP.test(text)) return true;
  let open = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 91 /* [ */ && ++open > MAX_BRACKETS) return true;
    if (c === 93 /* ] */ && open > 0) open--;
    if (c === 10 && text.charCodeAt(i + 1) === 10) open = 0;
  }
  return false;
}
