import { use } from "react";
import type { Following } from "../gateway/useFollow";
import { IconPeople } from "../shell/icons";
import { ViewContext } from "../views/useView";
import type { Sign } from "../views/view";
import { speakerName } from "client/react/speaker";
import { WorkingContext } from "./context";

/** The colour and the sign of a speaker, beside the name. */
export function SpeakerSign({ name }: { name: string }) {
  const { tone, Icon } = use(ViewContext).sign?.(name) ?? anybody;
  return (
    <span className="sign" data-tone={tone} aria-hidden="true">
      <Icon />
    </span>
  );
}

const anybody: Sign = { tone: "lead", Icon: IconPeople };

export function SpeakerLine({ name }: { name: string }) {
  return (
    <p className="speaker">
      <SpeakerSign name={name} />
      <span>{speakerName(name)}</span>
    </p>
  );
}

/** The name of the agent that speaks or works now, or an empty string. */
export function workingNow({ view, specialists, running }: Following): string {
  if (!running) return "";
  const step = view.steps.findLast((s) => s.running);
  return view.speaking?.name ?? specialists.findLast(({ status, current }) => current && status === "running")?.name ?? step?.name ?? "";
}

/** Is shown below the last message while a run is live. */
export function Working() {
  const name = use(WorkingContext);
  return (
    <p className="working" data-testid="working" data-name={name || undefined}>
      <span className="working-dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      {name ? `${speakerName(name)} is working…` : "Working…"}
    </p>
  );
}

/** Says to a screen reader who speaks or works, and when a person is asked. */
export function SpokenNow({ following, running, asking }: { following: Following; running: boolean; asking: boolean }) {
  const name = workingNow(following);
  let text = "";
  if (asking) text = "A question needs your answer.";
  else if (name) text = `${speakerName(name)} is ${following.view.speaking ? "speaking" : "working"}.`;
  else if (running) text = "The team is working.";
  return (
    <p className="unseen" role="status" aria-live="polite" data-testid="speaking">
      {text}
    </p>
  );
}
