import type { AgentInfo } from "../gateway/types";
import type { Following } from "../gateway/useFollow";
import { speakerName } from "client/react/speaker";
import { SpeakerSign } from "./Speaker";

interface Props {
  participants: AgentInfo["participants"];
  following: Following;
}

type Doing = "speaking" | "running" | "suspended" | "finished" | "error" | "idle";

const doingText: Record<Doing, string> = {
  speaking: "speaking",
  running: "working",
  suspended: "needs your answer",
  finished: "done",
  error: "could not finish",
  idle: "",
};

/** The members of the team, and their present work. */
export function Specialists({ participants, following }: Props) {
  return (
    <section className="card specialists" aria-labelledby="specialists-title" data-testid="specialists">
      <h2 id="specialists-title">The team</h2>
      <ul>
        {participants.map(({ name, description }) => {
          const doing = doingOf(name, following);
          return (
            <li key={name} data-testid="specialist" data-name={name} data-doing={doing}>
              <SpeakerSign name={name} />
              <div>
                <p className="specialist-name">
                  {speakerName(name)}
                  {doingText[doing] && <span className="tag" data-doing={doing}>{doingText[doing]}</span>}
                </p>
                {description && <p className="specialist-what">{description}</p>}
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** A participant's own invocation, or that of somebody below it. */
function doingOf(name: string, { specialists, view, running }: Following): Doing {
  const mine = specialists.filter((s) => s.name === name || s.name.startsWith(`${name}.`));
  const now = mine.findLast(({ current }) => current);
  if (view.speaking && (view.speaking.name === name || mine.some(({ id }) => id === view.speaking?.subagentRunId))) return "speaking";
  if (now) return now.status;
  return mine.length > 0 && running ? "finished" : "idle";
}
