// What a question shows beside its text. Metadata is anybody's: a remote agent's may have any shape under any name.

import type { Interrupt, InterruptCard } from "./types";

/** The card of an interrupt, with only what has the shape it should have. */
export function cardOf({ metadata }: Interrupt): InterruptCard {
  const value: unknown = metadata?.["value"];
  if (typeof value !== "object" || value === null) return {};
  const { message, options, recommendation, agent } = value as Record<string, unknown>;
  const card: InterruptCard = {};
  if (typeof message === "string") card.message = message;
  if (Array.isArray(options)) card.options = options;
  if (recommendation !== undefined && recommendation !== null) card.recommendation = recommendation;
  if (typeof agent === "string") card.agent = agent;
  return card;
}

/** Who asked: the specialist's path, or what the card says; empty if neither is known. */
export function askerOf(interrupt: Interrupt): string {
  const groupchat: unknown = interrupt.metadata?.["groupchat"];
  const path = typeof groupchat === "object" && groupchat !== null ? (groupchat as { path?: unknown }).path : undefined;
  return typeof path === "string" && path !== "" ? path : (cardOf(interrupt).agent ?? "");
}
