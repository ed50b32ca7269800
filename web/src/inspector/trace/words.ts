// What the parts of a trace are called.

import type { RunStatus, Step } from "../../gateway/types";
import { took } from "./scale";

const kinds: Record<string, string> = {
  run: "run",
  turn: "turn",
  choice: "choice of the next speaker",
  model: "model call",
  tool: "tool call",
  remote: "remote agent",
  question: "question to a person",
  store: "store",
};

export const kindOf = ({ kind }: Step): string => kinds[kind] ?? kind;

/** The kinds as a legend names them, in its order. */
export const legend = [
  ["choice", "Supervisor"],
  ["turn", "Turn"],
  ["model", "Model"],
  ["tool", "Tool"],
  ["remote", "Remote"],
  ["question", "Person"],
] as const;

export const nameOf = (step: Step): string => (step.kind === "question" ? "Answer of a person" : (step.name ?? step.model ?? kindOf(step)));

export const signs: Record<RunStatus, string> = { running: "●", success: "✓", interrupt: "?", cancelled: "■", error: "✕" };
export const statusWords: Record<RunStatus, string> = { running: "running", success: "success", interrupt: "asked a question", cancelled: "cancelled", error: "failed" };

/** How long a step took, or has taken until now; of a question that is still open only that it waits. */
export function durationOf({ kind, start, end }: Step, { now, over }: { now: number; over: boolean }): string {
  if (end !== undefined) return took(end - start);
  if (kind === "question") return "waiting";
  return over ? "not ended" : took(Math.max(0, now - start));
}

/** All that a row shows, as a sentence for those who do not see it. */
export function spoken(step: Step, duration: string): string {
  const parts = [nameOf(step), kindOf(step), duration];
  if ((step.attempt ?? 1) > 1) parts.push(`try ${step.attempt}`);
  if (step.usage) parts.push(`${step.usage.inputTokens ?? 0} input and ${step.usage.outputTokens ?? 0} output tokens`);
  if (step.code) parts.push(`failed: ${step.code}`);
  return parts.join(", ");
}
