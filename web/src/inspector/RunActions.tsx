import { useMemo } from "react";
import { forkThread, getTrace, runAgain, stopThread } from "../gateway/api";
import type { Run, SeenEvent, Thread } from "../gateway/types";
import { goToThread, linkTo } from "../place";
import { useAttempt } from "../shell/notices";
import { CopyButton } from "./CopyButton";
import { eventsOf, inputsOf, lastMessageOf } from "./find";
import { save } from "./save";

interface Props {
  agent: string;
  thread: string;
  known: Thread | undefined;
  run: Run & { number: number };
  /** It is the newest one. */
  newest: boolean;
  events: readonly SeenEvent[];
}

/** What can be done about a run. */
export function RunActions({ agent, thread, known, run, newest, events }: Props) {
  const attempt = useAttempt();
  const own = useMemo(() => eventsOf(events, run.runId), [events, run.runId]);
  const messages = known?.messages ?? [];
  const told = inputsOf(own).get(run.runId);
  const input = newest ? (told ?? messages.findLast(({ role }) => role === "user")) : told;
  const running = run.status === "running";
  const asks = (known?.interrupts.length ?? 0) > 0;
  const fork = lastMessageOf(own, messages) ?? (newest ? messages.at(-1)?.id : undefined);

  const again = () =>
    attempt("The run could not be started again", async () => {
      if (!input) return;
      if (newest) return runAgain(thread, agent, input);
      // Messages after an older run stay: it is run again in a copy of the conversation before it.
      const copy = await forkThread(thread, agent, input.id);
      await runAgain(copy, agent, input);
      goToThread(agent, copy);
    });
  const download = () =>
    attempt("The run could not be exported", async () => {
      const trace = await getTrace(thread, agent, run.number).catch(() => undefined);
      save(`run-${run.number}-of-${thread}.json`, { agent, threadId: thread, run, trace, events: own.map(({ id, event }) => ({ id, event })) });
    });
  return (
    <div className="insp-actions" role="group" aria-label="What can be done about this run">
      {running && (
        <button type="button" className="insp-button insp-small insp-stop" onClick={() => void attempt("The run could not be stopped", () => stopThread(thread, agent))} data-testid="run-stop">
          Stop
        </button>
      )}
      {!running && input && !(newest && asks) && (
        <button
          type="button"
          className="insp-button insp-small"
          title={newest ? "Runs the last message again; what was answered leaves the conversation" : "Runs this run's message again, in a copy of the conversation before it"}
          onClick={() => void again()}
          data-testid="run-again"
        >
          {newest ? "Run again" : "Run again in a copy"}
        </button>
      )}
      {!running && fork !== undefined && (
        <button
          type="button"
          className="insp-button insp-small"
          title="Copies the conversation up to the end of this run into a new one"
          onClick={() => void attempt("The conversation could not be copied", async () => goToThread(agent, await forkThread(thread, agent, fork)))}
          data-testid="run-fork"
        >
          Fork here
        </button>
      )}
      <button type="button" className="insp-button insp-small" title="Downloads the trace and the events as JSON" onClick={() => void download()} data-testid="run-export">
        Export
      </button>
      <CopyButton small label="Copy link" hint="To this run" text={() => linkTo({ agent, thread, dock: { tab: "trace", run: run.number } })} testid="run-link" />
    </div>
  );
}
