// The steps of a run as the lines of a tree, in the order of time.

import type { Step } from "../../gateway/types";

export interface Line {
  step: Step;
  /** From 1 on. */
  level: number;
  /** Among its siblings, from 1 on. */
  position: number;
  siblings: number;
  /** How many steps it has inside, all levels counted. */
  inside: number;
  open: boolean;
}

/**
 * The lines to be seen, top down; closed are the ids of the folded steps. Steps without a known parent are at the
 * top, and those that are parts of each other, which no gateway tells, too.
 */
export function linesOf(steps: readonly Step[], closed: ReadonlySet<string> = new Set()): Line[] {
  const known = new Map(steps.map((step) => [step.id, step]));
  const parts = new Map<string | undefined, Step[]>();
  for (const step of known.values()) {
    const parent = step.parent !== undefined && step.parent !== step.id && known.has(step.parent) ? step.parent : undefined;
    const siblings = parts.get(parent);
    if (siblings) siblings.push(step);
    else parts.set(parent, [step]);
  }
  for (const siblings of parts.values()) siblings.sort((a, b) => a.start - b.start); // stable: equal times keep their order
  const lines: Line[] = [];
  const seen = new Set<string>();
  const top = parts.get(undefined) ?? [];
  walk(top, parts, closed, lines, seen);
  if (seen.size < known.size) {
    const circles = [...known.values()].filter(({ id }) => !seen.has(id));
    walk(circles, new Map(), closed, lines, seen);
  }
  return lines;
}

// Without recursion, because a browser's stack is smaller than a trace may be deep.
function walk(top: readonly Step[], parts: ReadonlyMap<string | undefined, Step[]>, closed: ReadonlySet<string>, lines: Line[], seen: Set<string>) {
  interface Visit {
    siblings: readonly Step[];
    next: number;
    line: Line | undefined; // what they are inside of
    hidden: boolean;
  }
  const stack: Visit[] = [{ siblings: top, next: 0, line: undefined, hidden: false }];
  for (let visit = stack.at(-1); visit; visit = stack.at(-1)) {
    const step = visit.siblings[visit.next++];
    if (!step) {
      stack.pop();
      const outer = stack.at(-1)?.line;
      if (outer && visit.line) outer.inside += visit.line.inside;
      continue;
    }
    seen.add(step.id);
    if (visit.line) visit.line.inside++;
    const inner = parts.get(step.id) ?? [];
    const open = inner.length > 0 && !closed.has(step.id);
    const line: Line = { step, level: stack.length, position: visit.next, siblings: visit.siblings.length, inside: 0, open };
    if (!visit.hidden) lines.push(line);
    if (inner.length > 0) stack.push({ siblings: inner, next: 0, line, hidden: visit.hidden || !open });
  }
}

/** The ids of the steps that a step is inside of, from its parent up. */
export function above(steps: readonly Step[], id: string): string[] {
  const parents = new Map(steps.map((step) => [step.id, step.parent]));
  const found = new Set<string>();
  for (let up = parents.get(id); up !== undefined && parents.has(up) && !found.has(up); up = parents.get(up)) found.add(up);
  return [...found];
}

/** Both together: of a step in both the one that has ended, or else the later one. */
export function merged(before: readonly Step[], later: Iterable<Step>): Step[] {
  const all = new Map(before.map((step) => [step.id, step]));
  for (const step of later) {
    const known = all.get(step.id);
    if (!known || known.end === undefined || step.end !== undefined) all.set(step.id, step);
  }
  return [...all.values()];
}

/** What names something in the conversation or in the log. */
export interface Mark {
  messageId?: string | undefined;
  toolCallId?: string | undefined;
  subagentRunId?: string | undefined;
  interruptId?: string | undefined;
}

/**
 * The step that is the most about something: the one that names its call, question or message, a model call before the turn
 * around it, or else the turn it was said in.
 */
export function stepOf(steps: readonly Step[], { messageId, toolCallId, subagentRunId, interruptId }: Mark): Step | undefined {
  const named = (find: (step: Step) => boolean) => {
    const found = steps.filter(find);
    return found.findLast(({ kind }) => kind === "model") ?? found.at(-1);
  };
  return (
    (toolCallId !== undefined ? named((step) => step.toolCallId === toolCallId) : undefined) ??
    (interruptId !== undefined ? named((step) => step.interruptId === interruptId) : undefined) ??
    (messageId !== undefined ? named((step) => step.messageId === messageId) : undefined) ??
    (subagentRunId !== undefined ? steps.find((step) => step.kind === "turn" && step.subagentRunId === subagentRunId) : undefined)
  );
}
