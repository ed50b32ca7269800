import { useEffect } from "react";
import type { AgentInfo, ThreadSummary } from "../gateway/types";
import { goToThread } from "../place";
import { IconArrow } from "../shell/icons";
import { useInbox } from "../shell/inbox";
import { startThread } from "../start";
import { viewOf } from "../views/registry";
import "./home.css";

/** The start page: the agents that are served, what each is for, and where somebody is waited for. */
export function Agents({ agents }: { agents: AgentInfo[] }) {
  const { asking } = useInbox();
  useEffect(() => void (document.title = "AG-UI gateway"), []);
  return (
    <main className="agents" id="chat" tabIndex={-1} data-testid="agents">
      <h2>Whom would you like to talk to?</h2>
      {agents.length === 0 && <p>This gateway serves no agents yet. Whoever runs it can name some in a team file.</p>}
      <ul>
        {agents.map((agent) => (
          <Agent key={agent.id} agent={agent} waiting={asking.filter((thread) => thread.agent === agent.id)} />
        ))}
      </ul>
    </main>
  );
}

function Agent({ agent, waiting }: { agent: AgentInfo; waiting: ThreadSummary[] }) {
  const { id, description, participants } = agent;
  const name = viewOf(agent).name(agent);
  const [newest] = waiting;
  return (
    <li className="card agent-card" data-testid="agent" data-agent={id}>
      <button type="button" className="agent-open" onClick={() => startThread(id)}>
        <span className="agent-name">{name}</span>
        <IconArrow />
      </button>
      {description && <p>{description}</p>}
      {participants.length > 0 && <p className="muted">A team of {participants.length}</p>}
      {newest && (
        <button type="button" className="button quiet agent-waiting" data-testid="agent-waiting" onClick={() => goToThread(id, newest.id)}>
          {counted(waiting.length)}
        </button>
      )}
    </li>
  );
}

const counted = (n: number) => `${n} ${n === 1 ? "needs" : "need"} your answer`;
