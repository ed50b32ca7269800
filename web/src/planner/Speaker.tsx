import type { Following } from "../gateway/useFollow";
import { IconBed, IconPeople, IconPlane, IconSpark } from "../shell/icons";
import { words } from "./answer";

/** The name people see: "flights_agent" is "Flights". */
export function speakerName(name: string): string {
  const leaf = name.split(".").at(-1) ?? name;
  return words(leaf.replace(/_agent$/, "")) || name;
}

/** The colour and the sign of a speaker; the name says it, they only help to find it. */
export function SpeakerSign({ name }: { name: string }) {
  const { tone, Icon } = signs.find(({ pattern }) => pattern.test(name)) ?? other;
  return (
    <span className="sign" data-tone={tone} aria-hidden="true">
      <Icon />
    </span>
  );
}

const other = { tone: "lead", Icon: IconPeople };
const signs = [
  { pattern: /flight/i, tone: "flights", Icon: IconPlane },
  { pattern: /hotel/i, tone: "hotels", Icon: IconBed },
  { pattern: /experience/i, tone: "experiences", Icon: IconSpark },
];

export function SpeakerLine({ name }: { name: string }) {
  return (
    <p className="speaker">
      <SpeakerSign name={name} />
      <span>{speakerName(name)}</span>
    </p>
  );
}

/** Says to a screen reader who speaks or works, and when a person is asked. */
export function SpokenNow({ following, running, asking }: { following: Following; running: boolean; asking: boolean }) {
  const { speaking } = following.view;
  const working = following.specialists.find(({ status, current }) => current && status === "running");
  let text = "";
  if (asking) text = "A question waits for your answer.";
  else if (speaking?.name) text = `${speakerName(speaking.name)} is speaking.`;
  else if (working) text = `${speakerName(working.name)} is working.`;
  else if (running) text = "The team is working.";
  return (
    <p className="unseen" role="status" aria-live="polite" data-testid="speaking">
      {text}
    </p>
  );
}
