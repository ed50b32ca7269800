// The parts of cards that a page may have its own of.

import { type ComponentType, createContext } from "react";

export interface CardParts {
  /** A sign beside the name of the agent that asks. */
  Sign?: ComponentType<{ name: string }>;
  /** Shows what a model said, for instance as Markdown. Without it the text is shown as it is. */
  Text?: ComponentType<{ children: string }>;
}

/** The page's own parts, for all cards inside of its provider. */
export const CardContext = createContext<CardParts>({});
