/** Code, which stays as it is, or maths between the marks of LaTeX. A formula has a limit, so that a mark without an end is not searched to the end of the text. */
const MATHS = /(```[^]*?(?:```|$)|~~~[^]*?(?:~~~|$)|`[^`\n]*`)|\\\([^`\n]{1,1000}?\\\)|^[ \t]*\\\[[^`]{1,5000}?\\\][ \t]*$|\$\$[^`]{1,5000}?\$\$/gm;

/** A text in which maths is code: Markdown would take backslashes and underscores out of it. */
export const withMathsAsCode = (text: string): string =>
  /\\[([]|\$\$/.test(text) ? text.replace(MATHS, (all, code?: string) => (code === undefined ? `\`${all.trim().replaceAll(/\s+/g, " ")}\`` : all)) : text;
