// What the gateway refuses, and why.

/** A problem of an answer, and its place: a JSON Pointer into the answer. */
export interface AnswerProblem {
  /** The question that was answered. */
  interruptId?: string;
  path: string;
  problem: string;
}

/** An answer that a question cannot have. Nothing was sent, or the gateway refused it: the question stays open. */
export class AnswerError extends Error {
  /** The contract's code; resume_invalid for an answer that was not sent. */
  readonly code: string;
  readonly problems: readonly AnswerProblem[];

  constructor(code: string, message: string, problems: readonly AnswerProblem[] = []) {
    super([message, ...problems.map(({ path, problem }) => `${path || "the answer"}: ${problem}`)].join("\n"));
    this.name = "AnswerError";
    [this.code, this.problems] = [code, problems];
  }
}

/** A request that the gateway refused. */
export class RefusedError extends Error {
  readonly status: number;
  /** The contract's code; empty if the answer is not the gateway's. */
  readonly code: string;
  /** The problems of the answers of the request. */
  readonly problems: readonly AnswerProblem[];
  /** Milliseconds after which the request may be made again. */
  readonly retryAfter: number;

  constructor(response: Response, text: string) {
    const { code, message, details } = bodyOf(text);
    super(message ?? `HTTP ${response.status}: ${text}`);
    this.name = "RefusedError";
    [this.status, this.code, this.problems] = [response.status, code ?? "", problemsOf(details)];
    this.retryAfter = 1000 * Math.min(30, Number(response.headers.get("Retry-After")) || 0);
  }
}

function bodyOf(text: string): { code?: string; message?: string; details?: unknown } {
  try {
    const body: unknown = JSON.parse(text);
    const error = isObject(body) ? body["error"] : undefined;
    if (!isObject(error) || typeof error["code"] !== "string") return {};
    const { code, message, details } = error;
    return { code, ...(typeof message === "string" && { message }), details };
  } catch {
    return {}; // a proxy's page, or empty
  }
}

/** The problems in `details` of an error. */
export function problemsOf(details: unknown): AnswerProblem[] {
  if (!Array.isArray(details)) return [];
  return details.filter(isObject).map(({ interruptId, path, problem }) => ({
    ...(typeof interruptId === "string" && { interruptId }),
    path: String(path ?? ""),
    problem: String(problem ?? ""),
  }));
}

const ANSWERS = /^(interrupt_(not_found|expired|already_resolved)|resume_(incomplete|invalid|ambiguous))$/;

/** The refusal of an answer in an event of a run; undefined for other events. */
export function refusalIn(event: Record<string, unknown>): AnswerError | undefined {
  const { type, code, message, metadata, name, value } = event;
  if (type === "CUSTOM" && name === "gateway.refused" && isObject(value)) {
    return refusalIn({ type: "RUN_ERROR", ...value, metadata: value });
  }
  if (type !== "RUN_ERROR" || typeof code !== "string" || !ANSWERS.test(code)) return undefined;
  return new AnswerError(code, String(message ?? code), problemsOf(isObject(metadata) ? metadata["details"] : undefined));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
