// Texts of agents with every character to be seen: one that shows nothing, or turns the order of others around, makes a text read as
// another than it is.

/** Characters without a glyph. */
const UNSEEN = String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`;
/** A picture of several characters, in which joiners have their place. */
const PICTURE = String.raw`\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\u{FE0F})*(?:\u{200D}\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\u{FE0F})*)*`;
const NAME = new RegExp(`(${PICTURE})|${UNSEEN}|(?! )\\p{Zs}`, "gu");
const LINES = new RegExp(`(${PICTURE})|(?![\\n\\t])${UNSEEN}`, "gu");

/** A part of a text; unseen: in the place of a character, its name. */
export interface Piece {
  text: string;
  unseen: boolean;
}

/** A text in pieces. lines: it may have lines and tabs, which a name may not. */
export function pieces(text: string, { lines = false } = {}): Piece[] {
  const found: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(lines ? LINES : NAME)) {
    if (match[1] !== undefined) continue;
    if (match.index > from) found.push({ text: text.slice(from, match.index), unseen: false });
    found.push({ text: `U+${match[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`, unseen: true });
    from = match.index + match[0].length;
  }
  if (from < text.length || found.length === 0) found.push({ text: text.slice(from), unseen: false });
  return found;
}

/** A text for where there is only text, with the names of the characters that cannot be seen. */
export const visible = (text: string, options?: { lines?: boolean }): string =>
  pieces(text, options).map(({ text: piece, unseen }) => (unseen ? `⟦${piece}⟧` : piece)).join("");
