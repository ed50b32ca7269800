// Colours for code. It is loaded with the first block of code that names its language.

import { common, createLowlight } from "lowlight";

export type Highlighted = ReturnType<ReturnType<typeof createLowlight>["highlight"]>;

const lowlight = createLowlight(common);

/** The code as a tree of elements with classes; undefined if the language is not known here. */
export const highlight = (code: string, language: string): Highlighted | undefined => (lowlight.registered(language) ? lowlight.highlight(language, code) : undefined);
