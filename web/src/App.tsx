import { lazy, Suspense, useEffect, useState } from "react";
import { ApprovalsWhereOpen } from "./approvals/OpenApprovals";
import { GatewayError, listAgents } from "./gateway/api";
import type { AgentInfo } from "./gateway/types";
import { FollowProvider } from "./gateway/useFollow";
import { isFresh } from "./fresh";
import { Agents } from "./home/Agents";
import { go, parseAgent, type Place, useHash, usePlace } from "./place";
import { SignIn } from "./session/SignIn";
import { useSession } from "./session/tab";
import { useMe } from "./session/useMe";
import { Docked } from "./shell/Docked";
import { Banner, ConnectionProvider, useConnection } from "./shell/connection";
import { useDrawer } from "./shell/drawer";
import { ErrorBoundary } from "./shell/ErrorBoundary";
import { Header } from "./shell/Header";
import { InboxProvider } from "./shell/inbox";
import { Notices } from "./shell/notices";
import { Threads } from "./shell/Threads";
import { startThread } from "./start";
import { viewOf } from "./views/registry";
import { AgentsContext, ViewContext } from "./views/useView";

// The chat is the largest part of the page. The frame around it is shown first, and the chat is loaded without waiting for the agents.
const chat = import("./chat/Chat");
chat.then(
  () => dispatchEvent(new Event("page-is-there")), // see public/assets/again.js
  () => {}, // the component that shows it handles the error
);
const Chat = lazy(() => chat.catch(() => import("./chat/Chat")));
const Inspector = lazy(() => import("./inspector/Inspector"));

const none: AgentInfo[] = [];

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
  const hash = useHash();
  // One agent is the page's without being chosen.
  const first = parseAgent(hash) ?? (agents?.length === 1 ? agents[0]?.id : undefined);

  useEffect(() => {
    if (!place && agents && first) startThread(first, { replace: true });
  }, [place, agents, first]);

  const agent = agents?.find(({ id }) => id === place?.agent);
  return (
    <AgentsContext value={agents ?? none}>
      <InboxProvider allowed={agents !== undefined} watched={place && agent && { agent: agent.id, id: place.thread }}>
        <div className="page">
          <Header agents={agents ?? none} place={place} onThreads={openDrawer} drawer={drawer} />
          <Banner />
          <div className="below">
            {place && agent && <Threads agent={agent.id} thread={place.thread} open={drawer} onClose={closeDrawer} />}
            <div className="content" inert={drawer}>
              {refused && !agents ? <NotAllowed refused={refused} /> : !agents || (!place && first) ? <Waiting /> : !place ? <Agents agents={agents} /> : agent ? <Content place={place} agent={agent} /> : <NoSuchAgent name={place.agent} agents={agents} />}
            </div>
          </div>
          <ApprovalsWhereOpen place={place} />
        </div>
      </InboxProvider>
    </AgentsContext>
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
    <ViewContext value={viewOf(agent)}>
      <Docked dock={inspector}>
        <ErrorBoundary key={key} what="conversation">
          <Suspense fallback={<Waiting />}>
            <Chat agent={agent} thread={thread} fresh={fresh} />
          </Suspense>
        </ErrorBoundary>
      </Docked>
    </ViewContext>
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
