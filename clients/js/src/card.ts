// The card of a question, from its metadata. A remote agent's metadata may have any form.

import type { Interrupt, InterruptCard } from "./types.ts";

/** The card of an interrupt, with the members that are of the right type. */
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
