import { lazy, Suspense, useEffect, useState } from "react";
import { listAgents } from "./gateway/api";
import type { AgentInfo } from "./gateway/types";
import { FollowProvider } from "./gateway/useFollow";
import { isFresh } from "./fresh";
import { go, type Place, usePlace } from "./place";
import { Banner, ConnectionProvider, useConnection } from "./shell/connection";
import { useDrawer } from "./shell/drawer";
import { ErrorBoundary } from "./shell/ErrorBoundary";
import { Header } from "./shell/Header";
import { Notices } from "./shell/notices";
import { Threads } from "./shell/Threads";
import { startThread } from "./start";

// The chat is the largest part of the page. The frame around it is shown first, and the chat is loaded without waiting for the agents.
const planner = import("./planner/Planner");
planner.catch(() => {}); // the component that shows it handles the error
const Planner = lazy(() => planner.catch(() => import("./planner/Planner")));
const Inspector = lazy(() => import("./inspector/Inspector"));

export function App() {
  return (
    <ConnectionProvider>
      <Notices>
        <FollowProvider>
          <Page />
        </FollowProvider>
      </Notices>
    </ConnectionProvider>
  );
}

function Page() {
  const agents = useAgents();
  const place = usePlace();
  const [drawer, openDrawer, closeDrawer] = useDrawer(place);
  const first = agents?.find(({ id }) => id === "travel") ?? agents?.[0];

  useEffect(() => {
    if (!place && first) startThread(first.id, { replace: true });
  }, [place, first]);

  const agent = agents?.find(({ id }) => id === place?.agent);
  return (
    <div className="page" data-view={place?.view ?? "plan"}>
      <Header agents={agents ?? []} place={place} onThreads={openDrawer} drawer={drawer} />
      <Banner />
      <div className="below">
        {place && agent && <Threads key={agent.id} agent={agent.id} thread={place.thread} open={drawer} onClose={closeDrawer} />}
        <div className="content" inert={drawer}>
          {!agents || !place ? <Waiting /> : agent ? <Content place={place} agent={agent} /> : <NoSuchAgent name={place.agent} agents={agents} />}
        </div>
      </div>
    </div>
  );
}

function Content({ place, agent }: { place: Place; agent: AgentInfo }) {
  const { thread } = place;
  return (
    <ErrorBoundary key={`${agent.id}/${thread}/${place.view}`} what={place.view === "plan" ? "conversation" : "inspector"}>
      <Suspense fallback={<Waiting />}>
        {place.view === "plan" ? (
          <Planner agent={agent} thread={thread} fresh={isFresh(thread)} />
        ) : (
          <Inspector agent={agent.id} thread={thread} onClose={() => go({ view: "plan", agent: agent.id, thread })} />
        )}
      </Suspense>
    </ErrorBoundary>
  );
}

/** The served agents. They are requested until they are there, and again when the gateway could not be reached. */
function useAgents(): AgentInfo[] | undefined {
  const { epoch, suspect } = useConnection();
  const [agents, setAgents] = useState<AgentInfo[]>();
  useEffect(() => {
    const abort = new AbortController();
    listAgents({ signal: abort.signal }).then(setAgents, () => abort.signal.aborted || suspect());
    return () => abort.abort();
  }, [epoch, suspect]);
  return agents;
}

function Waiting() {
  return (
    <main className="waiting" id="chat" tabIndex={-1} aria-busy="true">
      <p className="unseen">Loading</p>
      <div className="bone wide" />
      <div className="bone" />
      <div className="bone narrow" />
    </main>
  );
}

function NoSuchAgent({ name, agents }: { name: string; agents: AgentInfo[] }) {
  return (
    <main className="nobody" id="chat" tabIndex={-1} data-testid="no-agent">
      <h2>There is no agent called “{name}” here</h2>
      <p>{agents.length > 0 ? "This gateway serves:" : "This gateway serves no agents yet."}</p>
      <ul>
        {agents.map(({ id, description }) => (
          <li key={id}>
            <button type="button" className="button" onClick={() => startThread(id)}>
              {id}
            </button>
            <span>{description}</span>
          </li>
        ))}
      </ul>
    </main>
  );
}
