/** Code, which stays as it is, or maths between the marks of LaTeX. */
const MATHS = /(```[^]*?(?:```|$)|~~~[^]*?(?:~~~|$)|`[^`\n]*`)|\\\([^`\n]+?\\\)|^[ \t]*\\\[[^`]+?\\\][ \t]*$|\$\$[^`]+?\$\$/gm;

/** A text in which maths is code: Markdown would take backslashes and underscores out of it. */
export const withMathsAsCode = (text: string): string =>
  /\\[([]|\$\$/.test(text) ? text.replace(MATHS, (all, code?: string) => (code === undefined ? `\`${all.trim().replaceAll(/\s+/g, " ")}\`` : all)) : text;
