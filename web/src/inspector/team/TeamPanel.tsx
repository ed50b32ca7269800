import { useId, useMemo } from "react";
import type { AgentInfo, SeenEvent, Team } from "../../gateway/types";
import { type Box, HEIGHT, type Line, pictureOf, WIDTH } from "./layout";
import { type Spoken, spokenIn } from "./spoken";
import "./team.css";

interface Props {
  agent: AgentInfo;
  events: readonly SeenEvent[];
}

const kinds: Record<string, string> = { chat: "team", fan: "team, all at once", model: "model", remote: "remote agent", script: "script" };
const managers: Record<string, string> = {
  rules: "Rules on the state choose who speaks",
  route: "Rules choose who speaks",
  handoff: "Speakers hand over to each other",
  round_robin: "All speak in turn, again and again",
  sequential: "All speak once, in turn",
  llm: "A model chooses who speaks",
  custom: "The program chooses who speaks",
};

/** The members of a team, their handoffs, past speakers, and the present one. */
export function TeamPanel({ agent, events }: Props) {
  const team = useMemo((): Team => agent.team ?? { participants: agent.participants }, [agent]);
  const picture = useMemo(() => pictureOf(agent.id, team), [agent.id, team]);
  const spoken = useMemo(() => spokenIn(events), [events]);
  const supervisor = team.supervisor;
  // The supervisor speaks in separate steps, beside those of its team; in the picture it is the team itself.
  const turnsOf = (path: string) => spoken.turns.get(path === "" ? (supervisor ?? "") : path) ?? 0;
  const isActive = (path: string) => spoken.active.has(path === "" ? (supervisor ?? "") : path);
  const arrow = useId();
  return (
    <div className="team" data-testid="team">
      <p className="insp-quiet">
        {(team.manager && managers[team.manager]) ?? "This agent works alone"}
        {supervisor && `, as “${supervisor}”`}.{picture.everybody.includes("") && " Everybody may hand over to everybody."}
        {team.more && " The team is larger than what is shown."}
      </p>
      <div className="team-picture" tabIndex={0} role="region" aria-label="Picture of the team">
        <svg width={picture.width} height={picture.height} viewBox={`0 0 ${picture.width} ${picture.height}`} role="img" aria-label={`Picture of the team ${agent.id}; the list below tells the same`}>
          <defs>
            <marker id={arrow} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
              <path d="M0 0.500L7.500 4L0 7.500z" className="team-head" />
            </marker>
          </defs>
          {picture.lines.map((line) => (
            <Edge key={`${line.kind} ${line.from} ${line.to}`} line={line} arrow={arrow} />
          ))}
          {picture.boxes.map((box) => (
            <Member key={box.path} box={box} turns={turnsOf(box.path)} active={isActive(box.path)} />
          ))}
        </svg>
      </div>
      {picture.boxes.length > 1 && <List boxes={picture.boxes} spoken={spoken} />}
    </div>
  );
}

function Edge({ line: { d, kind, both }, arrow }: { line: Line; arrow: string }) {
  const end = kind === "team" ? undefined : `url(#${arrow})`;
  return <path d={d} className="team-line" data-kind={kind} markerEnd={end} markerStart={both ? end : undefined} data-testid={kind === "handover" ? "handover" : undefined} />;
}

const short = (name: string, most: number) => (name.length > most ? `${name.slice(0, most - 1)}…` : name);

function Member({ box: { path, name, description, kind, x, y, start }, turns, active }: { box: Box; turns: number; active: boolean }) {
  const more = [kind && (kinds[kind] ?? kind), start && "starts"].filter(Boolean).join(" · ");
  return (
    <g className="team-member" data-testid="member" data-path={path} data-active={active || undefined} data-spoke={turns > 0 || undefined} transform={`translate(${x} ${y})`}>
      <title>{[path || name, description].filter(Boolean).join(": ")}</title>
      <rect x="1" y="1" width={WIDTH - 2} height={HEIGHT - 2} rx="9" />
      <text x="12" y={more ? 20 : HEIGHT / 2 + 4} className="team-name">
        {short(name, turns > 0 ? 13 : 15)}
      </text>
      {more && (
        <text x="12" y="36" className="team-kind">
          {more}
        </text>
      )}
      {turns > 0 && (
        <g transform={`translate(${WIDTH - 20} ${HEIGHT / 2})`}>
          <circle r="11" className="team-badge" />
          <text textAnchor="middle" y="4" className="team-count">
            {turns > 99 ? "99+" : turns}
          </text>
        </g>
      )}
    </g>
  );
}

/** The same in words. */
function List({ boxes, spoken }: { boxes: readonly Box[]; spoken: Spoken }) {
  return (
    <ul className="team-list" aria-label="Participants">
      {boxes.slice(1).map(({ path, name, description, kind, start, handsOverTo }) => {
        const turns = spoken.turns.get(path) ?? 0;
        return (
          <li key={path} data-testid="participant" data-path={path}>
            <span className="team-title">
              <strong>{name}</strong> {kind && <span className="insp-quiet">{kinds[kind] ?? kind}</span>}
              {spoken.active.has(path) && <span className="insp-tag insp-tag-run">working</span>}
              {start && <span className="insp-tag">starts</span>}
            </span>
            {description && <span>{description}</span>}
            <span className="insp-quiet">
              {turns === 0 ? "Has not spoken" : turns === 1 ? "1 turn" : `${turns} turns`}
              {handsOverTo.length > 0 && `; may hand over to ${handsOverTo.join(", ")}`}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
