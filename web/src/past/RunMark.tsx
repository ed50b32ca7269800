import { Seen } from "client/react/Seen";
import { inspect } from "../place";
import type { Mark } from "./past";

const says: Record<Mark["kind"], string> = {
  stopped: "Stopped.",
  retried: "This try failed, and the turn ran again.",
  silent: "The agent finished without a message.",
};

/** A mark for the end of a run that its messages do not show. */
export function RunMark({ kind, run }: Mark) {
  return (
    <p className="run-mark" data-testid="run-mark" data-kind={kind} data-run={run.number}>
      {says[kind]} {kind === "retried" && run.message !== undefined && <Seen text={run.message} lines />}{" "}
      <button type="button" className="link" onClick={() => inspect({ tab: "trace", run: run.number })}>
        Open in inspector
      </button>
    </p>
  );
}
