import { useId } from "react";
import { factsOf } from "client/facts";
import { speakerName } from "client/react/speaker";
import { SpeakerSign } from "../chat/Speaker";
import { Seen } from "client/react/Seen";
import { Value } from "client/react/Value";
import { cardOf } from "client/card";
import type { AnsweredQuestion } from "../gateway/types";
import { IconCheck } from "../shell/icons";
import { ago } from "../shell/time";
import { asks, lone, offered, readable } from "./past";

const states: Record<AnsweredQuestion["status"], string> = { resolved: "Answered", cancelled: "Skipped", expired: "Expired" };

/** How many options are shown at first. */
const FIRST = 8;

/** An answered question: the agent, the question, its options, the answer, and the time. */
export function Answered({ answered }: { answered: AnsweredQuestion }) {
  const { interrupt, status, payload, answeredAt } = answered;
  const title = useId();
  const { agent } = cardOf(interrupt);
  const { options, chosen } = offered(answered);
  return (
    <section className="answered" aria-labelledby={title} data-testid="answered" data-id={interrupt.id} data-status={status}>
      <header>
        {agent && <SpeakerSign name={agent} />}
        <h3 id={title}>
          {agent && <span className="unseen">{speakerName(agent)} asked: </span>}
          <Seen text={asks(interrupt)} lines />
        </h3>
        <p className="answered-when">
          {states[status]} <time dateTime={answeredAt} title={new Date(answeredAt).toLocaleString()}>{ago(answeredAt)}</time>
        </p>
      </header>
      {options.length > 0 && <Options options={options} chosen={chosen} />}
      {status === "resolved" && chosen < 0 && <Written value={readable(lone(payload))} />}
    </section>
  );
}

/** The options; of very many the first, and the chosen one. */
function Options({ options, chosen }: { options: unknown[]; chosen: number }) {
  const all = options.map((option, i) => ({ option, i }));
  const first = all.filter(({ i }) => i < FIRST || i === chosen);
  const rest = all.filter((one) => !first.includes(one));
  const items = (some: typeof all) => some.map(({ option, i }) => <Offered key={i} option={option} index={i} chosen={i === chosen} />);
  return (
    <>
      <ul className="offered">{items(first)}</ul>
      {rest.length > 0 && (
        <details>
          <summary>{rest.length} more</summary>
          <ul className="offered">{items(rest)}</ul>
        </details>
      )}
    </>
  );
}

function Offered({ option, index, chosen }: { option: unknown; index: number; chosen: boolean }) {
  const { title, facts } = factsOf(option, index);
  return (
    <li data-testid="offered" data-value={title} data-chosen={chosen || undefined}>
      {chosen && <IconCheck />}
      <span className="offered-title"><Seen text={title} /></span>
      {chosen && <span className="unseen">(chosen)</span>}
      {facts.length > 0 && <span className="offered-facts"><Seen text={facts.map(({ label, value }) => `${label} ${value}`).join(" · ")} lines /></span>}
    </li>
  );
}

/** What somebody has written, or put together. */
function Written({ value }: { value: unknown }) {
  return (
    <div className="written" data-testid="written">
      <Value value={value} />
    </div>
  );
}
