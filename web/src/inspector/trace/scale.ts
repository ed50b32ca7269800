// The time of a trace as places on a line from 0 to 1, and as words.

import type { Step, Trace } from "../../gateway/types";

export interface Scale {
  start: number;
  end: number;
}

/** The time from a run's first step to its last, or to now while it is live. A question is older than the run that its answer
 * started, and stays open after the run that asked it: it does not count, or hours of waiting would leave no room for the rest.
 */
export function scaleOf({ startedAt, endedAt, steps }: Pick<Trace, "startedAt" | "endedAt" | "steps">, now: number): Scale {
  let [start, end] = [startedAt, endedAt ?? now];
  for (const step of steps) {
    if (step.kind === "question") continue;
    start = Math.min(start, step.start);
    end = Math.max(end, step.end ?? step.start);
  }
  return { start, end: Math.max(end, start + 1) };
}

export interface Bar {
  /** From 0 to 1. */
  from: number;
  to: number;
  /** It began before the scale does, or ends behind its end. */
  earlier: boolean;
  later: boolean;
  /** Where a model's first words came; absent if there are none. */
  first?: number;
}

export function barOf({ start, end, firstToken }: Pick<Step, "start" | "end" | "firstToken">, scale: Scale, over: boolean): Bar {
  const at = (time: number) => (time - scale.start) / (scale.end - scale.start);
  const bar: Bar = {
    from: within(at(start)),
    to: within(at(end ?? scale.end)),
    earlier: start < scale.start,
    later: end === undefined ? over : end > scale.end,
  };
  if (firstToken !== undefined && firstToken >= scale.start && firstToken <= scale.end) bar.first = at(firstToken);
  return bar;
}

const within = (part: number): number => Math.min(1, Math.max(0, part));

/** Round times on the scale, at most so many: milliseconds from its start. */
export function ticks({ start, end }: Scale, most: number): number[] {
  const length = end - start;
  const least = length / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = Math.max(1, [1, 2, 5, 10].map((n) => n * power).find((n) => n >= least) ?? 10 * power);
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, i) => i * step);
}

/** A duration in as few characters as tell it apart: "3 ms", "1.24 s", "2 m 5 s", "3 h 12 m". */
export function took(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const s = Math.round(ms / 1000);
  if (s < 3600) return `${Math.floor(s / 60)} m ${s % 60} s`;
  if (s < 86_400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} m`;
  return `${Math.floor(s / 86_400)} d ${Math.floor((s % 86_400) / 3600)} h`;
}

/** A cost with as many digits as small ones need. The gateway does not know the currency of its prices. */
export function price(cost: number): string {
  if (cost === 0) return "0";
  if (cost < 0.000_001) return "< 0.000001";
  return cost >= 1 ? cost.toFixed(2) : cost.toFixed(1 - Math.floor(Math.log10(cost)));
}

/** All tokens of a list of usages. */
export function tokens(usages: readonly NonNullable<Step["usage"]>[]): { input: number; output: number } {
  return usages.reduce((sum, { inputTokens = 0, outputTokens = 0 }) => ({ input: sum.input + inputTokens, output: sum.output + outputTokens }), { input: 0, output: 0 });
}
