// What can be read off an activity's content without knowing its type: agents make up types as they like.

export interface Step {
  text: string;
  /** done, failed or running; anything else is a step that has not begun. */
  doing: "done" | "failed" | "running" | "waiting";
}

export interface Shape {
  title?: string;
  text?: string;
  status?: string;
  /** From 0 to 1. */
  progress?: number;
  steps: Step[];
  /** How many steps more there are than are shown. */
  moreSteps: number;
  /** The other members. */
  rest: Record<string, unknown>;
}

const MAX_STEPS = 100;
const MAX_TEXT = 2000;

const titles = ["title", "name", "label", "heading"];
const texts = ["message", "text", "description", "summary", "detail"];
const statuses = ["status", "state", "phase"];
const lists = ["steps", "tasks", "items", "todos"];

/** The shape of a content; undefined if none of its members is known. */
export function shapeOf(content: unknown): Shape | undefined {
  if (!isObject(content)) return undefined;
  const rest = { ...content };
  const title = take(rest, titles, text);
  const said = take(rest, texts, text);
  const status = take(rest, statuses, text);
  const progress = take(rest, ["progress", "percent", "percentage"], share);
  const steps = take(rest, lists, stepsOf);
  if (title === undefined && said === undefined && status === undefined && progress === undefined && steps === undefined) return undefined;
  return {
    ...(title !== undefined && { title }),
    ...(said !== undefined && { text: said }),
    ...(status !== undefined && { status }),
    ...(progress !== undefined && { progress }),
    steps: steps?.slice(0, MAX_STEPS) ?? [],
    moreSteps: Math.max(0, (steps?.length ?? 0) - MAX_STEPS),
    rest,
  };
}

/** Takes the first member that is there and can be read out of an object. */
function take<T>(from: Record<string, unknown>, names: string[], read: (value: unknown) => T | undefined): T | undefined {
  for (const name of names) {
    const value = read(from[name]);
    if (value === undefined) continue;
    delete from[name];
    return value;
  }
  return undefined;
}

function text(value: unknown): string | undefined {
  if (typeof value !== "string" || value.trim() === "") return undefined;
  return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value;
}

/** A share from 0.6, 60 (of a hundred) or {current: 6, total: 10}. */
function share(value: unknown): number | undefined {
  if (typeof value === "number" && value >= 0 && value <= 100) return value > 1 ? value / 100 : value;
  if (!isObject(value)) return undefined;
  const [done, total] = [value.current ?? value.done ?? value.completed, value.total];
  if (typeof done !== "number" || typeof total !== "number" || !(total > 0) || !(done >= 0)) return undefined;
  return Math.min(1, done / total);
}

function stepsOf(value: unknown): Step[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const steps = value.map(stepOf);
  return steps.every((step) => step !== undefined) ? steps : undefined;
}

function stepOf(value: unknown): Step | undefined {
  const plain = text(value);
  if (plain !== undefined) return { text: plain, doing: "waiting" };
  if (!isObject(value)) return undefined;
  const members = { ...value };
  const said = take(members, [...titles, ...texts, "step", "task", "content"], text);
  if (said === undefined) return undefined;
  return { text: said, doing: doingOf(value) };
}

function doingOf({ status, state, done, completed }: Record<string, unknown>): Step["doing"] {
  if (done === true || completed === true) return "done";
  const said = String(status ?? state ?? "").toLowerCase();
  if (/^(done|completed?|finished|success|succeeded|ok)$/.test(said)) return "done";
  if (/^(failed|error|cancell?ed|skipped)$/.test(said)) return "failed";
  if (/^(running|in[-_ ]?progress|active|started|executing|working)$/.test(said)) return "running";
  return "waiting";
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);
