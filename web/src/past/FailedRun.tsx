import { useCopilotKit } from "@copilotkit/react-core/v2";
import { useTalk } from "../chat/context";
import { forkThread, runAgain } from "../gateway/api";
import type { Message } from "../gateway/types";
import { goToThread, inspect } from "../place";
import { IconAlert, IconPulse, IconRestart } from "../shell/icons";
import { useAttempt } from "../shell/notices";
import type { NumberedRun } from "./past";

/** An earlier turn that failed. Later messages stay: it is run again in a copy of the conversation as it was then. */
export function FailedRun({ run, after }: { run: NumberedRun; after: string }) {
  const { agent, thread, mute } = useTalk();
  const { copilotkit } = useCopilotKit();
  const attempt = useAttempt();
  const again = () =>
    void attempt("The turn could not be run again", async () => {
      const messages = copilotkit.getAgent(agent)?.messages ?? [];
      const asked = messages.slice(0, messages.findIndex(({ id }) => id === after) + 1).findLast(({ role }) => role === "user");
      if (!asked) throw new Error("the message that began it has left the conversation");
      const copy = await forkThread(thread, agent, asked.id);
      await runAgain(copy, agent, asked as Message);
      goToThread(agent, copy);
    });
  return (
    <section className="failed" aria-label={`Run ${run.number} failed`} data-testid="failed-run" data-run={run.number} data-code={run.code}>
      <IconAlert />
      <p>
        <strong>This turn failed.</strong> {run.message} {run.code && <code>{run.code}</code>}
      </p>
      <span className="failed-actions">
        <button type="button" className="button" disabled={mute} title="Runs this turn again, in a copy of the conversation before it" onClick={again}>
          <IconRestart /> Try again in a copy
        </button>
        <OpenInspector run={run.number} />
      </span>
    </section>
  );
}

/** Leads to a run in the inspector. */
export function OpenInspector({ run }: { run: number }) {
  return (
    <button type="button" className="button quiet" data-testid="failure-inspect" onClick={() => inspect({ tab: "trace", run })}>
      <IconPulse /> Open in inspector
    </button>
  );
}
