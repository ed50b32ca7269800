import type { AgentInfo } from "../gateway/types";
import { go, type Place } from "../place";
import { Person } from "../session/Person";
import { startThread } from "../start";
import { viewOf } from "../views/registry";
import { useAgentInfo } from "../views/useView";
import { IconMenu, IconMoon, IconPulse, IconSun } from "./icons";
import { useInbox } from "./inbox";
import { chooseTheme, useTheme } from "./theme";
import { WaitingButton } from "./WaitingButton";

interface Props {
  agents: AgentInfo[];
  place: Place | undefined;
  /** The list of threads lies over the page. */
  drawer: boolean;
  onThreads: () => void;
}

export function Header({ agents, place, drawer, onThreads }: Props) {
  const agent = useAgentInfo(place?.agent ?? "");
  const view = viewOf(agent);
  const { count } = useInbox();
  const name = place ? view.name(agent) : "AG-UI gateway";
  const inspecting = place?.dock !== undefined;
  return (
    <header className="header" inert={drawer}>
      <a className="skip" href="#chat" onClick={(event) => (event.preventDefault(), document.getElementById("chat")?.focus())}>
        Skip to the conversation
      </a>
      {place && (
        <button
          type="button"
          className="icon-button threads-toggle"
          aria-label={count > 0 ? `Conversations, ${count} ${count === 1 ? "needs" : "need"} your answer` : "Conversations"}
          aria-expanded={drawer}
          aria-controls="threads"
          data-testid="threads-toggle"
          onClick={onThreads}
        >
          <IconMenu />
          {count > 0 && <span className="count">{count}</span>}
        </button>
      )}
      <h1 className="brand">
        <Mark />
        {agents.length > 1 ? (
          <a href="#/" title="All agents" data-testid="all-agents">
            {name}
          </a>
        ) : (
          <span>{name}</span>
        )}
      </h1>
      <div className="header-tools">
        <WaitingButton />
        <label className="agent-switch">
          <span>Agent</span>
          <select
            data-testid="agent-switch"
            value={place?.agent ?? ""}
            onChange={({ target }) => target.value && startThread(target.value)}
            disabled={agents.length === 0}
          >
            {!place && <option value="">Choose an agent</option>}
            {place && !agents.some(({ id }) => id === place.agent) && <option value={place.agent}>{place.agent}</option>}
            {agents.map(({ id }) => (
              <option key={id} value={id}>
                {id}
              </option>
            ))}
          </select>
        </label>
        {place && (
          <button
            type="button"
            className="icon-button"
            aria-label="Inspector: what happens behind this conversation"
            title="Inspector"
            aria-pressed={inspecting}
            data-testid="inspector-open"
            aria-controls={inspecting ? "inspector" : undefined}
            onClick={() => go({ ...place, dock: inspecting ? undefined : { tab: "trace" } })}
          >
            <IconPulse />
          </button>
        )}
        <ThemeSwitch />
        <Person />
      </div>
    </header>
  );
}

function ThemeSwitch() {
  const theme = useTheme();
  const other = theme === "dark" ? "light" : "dark";
  return (
    <button
      type="button"
      className="icon-button"
      data-testid="theme-switch"
      data-theme-now={theme}
      aria-label={`Switch to the ${other} theme`}
      title={`Switch to the ${other} theme`}
      onClick={() => chooseTheme(other)}
    >
      {theme === "dark" ? <IconSun /> : <IconMoon />}
    </button>
  );
}

function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true" focusable="false" className="mark">
      <rect width="32" height="32" rx="9" className="mark-ground" />
      <path d="M7 21.500c5-.5 7-3 8-6s3-6 10-6.500" className="mark-route" />
      <circle cx="7.500" cy="21.500" r="2.700" className="mark-from" />
      <circle cx="25" cy="9" r="3.200" className="mark-to" />
    </svg>
  );
}
