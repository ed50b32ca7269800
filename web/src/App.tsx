import { lazy, Suspense, useEffect, useState } from "react";
import { GatewayError, listAgents } from "./gateway/api";
import type { AgentInfo } from "./gateway/types";
import { FollowProvider } from "./gateway/useFollow";
import { isFresh } from "./fresh";
import { go, type Place, usePlace } from "./place";
import { SignIn } from "./session/SignIn";
import { useSession } from "./session/tab";
import { useMe } from "./session/useMe";
import { Docked } from "./shell/Docked";
import { Banner, ConnectionProvider, useConnection } from "./shell/connection";
import { useDrawer } from "./shell/drawer";
import { ErrorBoundary } from "./shell/ErrorBoundary";
import { Header } from "./shell/Header";
import { Notices } from "./shell/notices";
import { Threads } from "./shell/Threads";
import { startThread } from "./start";

// The chat is the largest part of the page. The frame around it is shown first, and the chat is loaded without waiting for the agents.
const planner = import("./planner/Planner");
planner.then(
  () => dispatchEvent(new Event("page-is-there")), // see public/assets/again.js
  () => {}, // the component that shows it handles the error
);
const Planner = lazy(() => planner.catch(() => import("./planner/Planner")));
const Inspector = lazy(() => import("./inspector/Inspector"));

export function App() {
  const { over } = useSession();
  if (over) return null; // another page is on its way
  return (
    <ConnectionProvider>
      <Notices>
        <FollowProvider>
          <Page />
          <SignIn />
        </FollowProvider>
      </Notices>
    </ConnectionProvider>
  );
}

function Page() {
  const { agents, refused } = useAgents();
  useMe();
  const place = usePlace();
  const [drawer, openDrawer, closeDrawer] = useDrawer(place);
  const first = agents?.find(({ id }) => id === "travel") ?? agents?.[0];

  useEffect(() => {
    if (!place && first) startThread(first.id, { replace: true });
  }, [place, first]);

  const agent = agents?.find(({ id }) => id === place?.agent);
  return (
    <div className="page">
      <Header agents={agents ?? []} place={place} onThreads={openDrawer} drawer={drawer} />
      <Banner />
      <div className="below">
        {place && agent && <Threads key={agent.id} agent={agent.id} thread={place.thread} open={drawer} onClose={closeDrawer} />}
        <div className="content" inert={drawer}>
          {refused && !agents ? <NotAllowed refused={refused} /> : !agents || !place ? <Waiting /> : agent ? <Content place={place} agent={agent} /> : <NoSuchAgent name={place.agent} agents={agents} />}
        </div>
      </div>
    </div>
  );
}

function Content({ place, agent }: { place: Place; agent: AgentInfo }) {
  const { thread, dock } = place;
  const key = `${agent.id}/${thread}`;
  const fresh = isFresh(thread);
  const close = () => {
    go({ ...place, dock: undefined });
    document.querySelector<HTMLElement>('[data-testid="inspector-open"]')?.focus();
  };
  const inspector = dock && (
    <ErrorBoundary key={key} what="inspector">
      <Suspense fallback={<Opening />}>
        <Inspector agent={agent} thread={thread} fresh={fresh} dock={dock} onClose={close} />
      </Suspense>
    </ErrorBoundary>
  );
  return (
    <Docked dock={inspector}>
      <ErrorBoundary key={key} what="conversation">
        <Suspense fallback={<Waiting />}>
          <Planner agent={agent} thread={thread} fresh={fresh} />
        </Suspense>
      </ErrorBoundary>
    </Docked>
  );
}

/** The served agents. They are requested until they are there, and again when the gateway could not be reached. */
function useAgents(): { agents?: AgentInfo[]; refused?: GatewayError } {
  const { epoch, suspect } = useConnection();
  const [answer, setAnswer] = useState<{ agents?: AgentInfo[]; refused?: GatewayError }>({});
  useEffect(() => {
    const abort = new AbortController();
    listAgents({ signal: abort.signal }).then(
      (agents) => setAnswer({ agents }),
      (error: unknown) => {
        if (abort.signal.aborted) return;
        if (error instanceof GatewayError && error.status === 403) setAnswer((last) => ({ ...last, refused: error }));
        else suspect(error);
      },
    );
    return () => abort.abort();
  }, [epoch, suspect]);
  return answer;
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

function Opening() {
  return (
    <div className="waiting" aria-busy="true">
      <p className="unseen">Opening the inspector</p>
      <div className="bone wide" />
      <div className="bone" />
    </div>
  );
}

/** The gateway knows who one is, and does not want one. */
function NotAllowed({ refused }: { refused: GatewayError }) {
  return (
    <main className="nobody" id="chat" tabIndex={-1} role="alert" data-testid="not-allowed" data-code={refused.code}>
      <h2>You may not use this gateway</h2>
      <p>It knows who you are, and lets you see nothing. Whoever runs it can change that. It says: {refused.message}</p>
      <p>
        <button type="button" className="button" onClick={() => location.reload()}>
          Try again
        </button>
      </p>
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
