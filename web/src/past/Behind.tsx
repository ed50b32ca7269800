import { Contained } from "../content/Contained";
import { Answered } from "./Answered";
import { FailedRun } from "./FailedRun";
import { RunMark } from "./RunMark";
import { usePastOf } from "./usePast";

/** What happened behind a message. CopilotKit renders it beside each of them. */
export function Behind({ message, position }: { message: { id: string; role?: string }; position: "before" | "after" }) {
  const there = usePastOf().behind.get(message.id);
  if (position === "before" || !there) return null;
  return (
    <>
      {there.answered.map((answered) => (
        <Contained key={answered.interrupt.id} value={answered}>
          <Answered answered={answered} />
        </Contained>
      ))}
      {there.marks.map(({ kind, run }) => (kind === "silent" && message.role !== "user" ? null : <RunMark key={run.number} kind={kind} run={run} />))}
      {there.failed.map((run) => (
        <FailedRun key={run.number} run={run} after={message.id} />
      ))}
    </>
  );
}

/** For CopilotKit, which wants the same list each time. */
export const renderers = [{ render: Behind }];
