import { forkThread } from "../gateway/api";
import type { Interrupt, Step, Thread } from "../gateway/types";
import { goToThread, inspect } from "../place";
import { useAttempt } from "../shell/notices";

interface Props {
  agent: string;
  thread: string;
  known: Thread | undefined;
  step: Step;
  /** The open questions. */
  open: readonly Interrupt[];
}

/** What can be done about a step of a run. */
export function StepActions({ agent, thread, known, step, open }: Props) {
  const attempt = useAttempt();
  const { messageId, toolCallId, interruptId, subagentRunId } = step;
  const told = messageId !== undefined || toolCallId !== undefined || subagentRunId !== undefined || interruptId !== undefined;
  const said = messageId !== undefined && known?.messages.some(({ id }) => id === messageId);
  return (
    <>
      {interruptId !== undefined && open.some(({ id }) => id === interruptId) && (
        <button type="button" className="insp-button insp-small" onClick={() => inspect({ tab: "questions" })} data-testid="step-answer">
          Answer
        </button>
      )}
      {told && (
        <button type="button" className="insp-button insp-small" onClick={() => inspect({ tab: "events" })} data-testid="step-events">
          Show in events
        </button>
      )}
      {said && (
        <button
          type="button"
          className="insp-button insp-small"
          title="Copies the conversation up to this message into a new one"
          onClick={() => void attempt("The conversation could not be copied", async () => goToThread(agent, await forkThread(thread, agent, messageId)))}
          data-testid="step-fork"
        >
          Fork here
        </button>
      )}
    </>
  );
}
