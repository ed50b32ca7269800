import { CopilotChat, UseAgentUpdate, useAgent, useCopilotKit, useDefaultRenderTool, useInterrupt } from "@copilotkit/react-core/v2";
import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from "react";
import { forkThread } from "../gateway/api";
import type { AgentInfo, Interrupt } from "../gateway/types";
import { useFollow } from "../gateway/useFollow";
import { newID } from "../id";
import { goToThread } from "../place";
import { startThread } from "../start";
import { nounFor } from "../words";
import { useConnection } from "../shell/connection";
import { IconChat, IconMap } from "../shell/icons";
import { useAttempt } from "../shell/notices";
import { ChatView } from "./ChatView";
import { type Talk, TalkContext, WorkingContext } from "./context";
import { Itinerary } from "./Itinerary";
import { keyOf } from "./difference";
import { Questions } from "./Questions";
import { SpokenNow, workingNow } from "./Speaker";
import { Specialists } from "./Specialists";
import { StateTree } from "./StateTree";
import { suggest } from "./suggest";
import { ToolLine } from "./ToolLine";
import { readTrip } from "./trip";
import { useExpired } from "./useExpired";
import { useThreadDeleted } from "./useThreadDeleted";
import { usePickUp } from "./usePickUp";
import { useSignals } from "./useSignals";

const updates = [UseAgentUpdate.OnMessagesChanged, UseAgentUpdate.OnStateChanged, UseAgentUpdate.OnRunStatusChanged];

const tools: Parameters<typeof useDefaultRenderTool>[0] = { render: (call) => <ToolLine {...call} /> };

const travelLabels = { chatInputPlaceholder: "Where would you like to go?" };
const plainLabels = { chatInputPlaceholder: "Write a message" };

export function Conversation({ agent: info, thread, fresh }: { agent: AgentInfo; thread: string; fresh: boolean }) {
  const { copilotkit } = useCopilotKit();
  const { agent } = useAgent({ agentId: info.id, updates });
  const following = useFollow(info.id, thread, { fresh });
  const { away } = useConnection();
  const attempt = useAttempt();
  const [pane, setPane] = useState<"chat" | "plan">("chat");
  const [asking, setAsking] = useState(false);
  const question = useRef<HTMLElement>(null);
  const [submissions, submitted] = useReducer((n: number) => n + 1, 0);

  const expired = useExpired(following.interrupts);
  usePickUp(agent, thread, following, expired);
  const { refusal, answering } = useSignals(agent, thread, following.kick);
  useEffect(() => {
    // The client sends nothing while it has a question, and does not know when one has expired.
    if (agent.pendingInterrupts.every(({ id }) => expired.has(id))) agent.pendingInterrupts = [];
  }, [agent, expired]);

  const travel = info.id === "travel";
  const trip = useMemo(() => readTrip(agent.state), [agent.state]);
  const deleted = useThreadDeleted(following.status, agent.messages.some(({ role }) => role !== "user"), agent.isRunning);

  useDefaultRenderTool(tools);

  useInterrupt({
    agentId: info.id,
    render: ({ interrupts, resolve, cancel }) => (
      <Questions
        key={interrupts.map(({ id }) => id).join()}
        questions={interrupts as Interrupt[]}
        resolve={resolve}
        cancel={cancel}
        onSend={(questions, done) => {
          submitted();
          answering(questions, done);
        }}
        onOpen={setAsking}
        focus={question}
      />
    ),
  });

  const send = useCallback(
    (text: string) => {
      submitted();
      agent.addMessage({ id: newID(), role: "user", content: text });
      void copilotkit.runAgent({ agent });
    },
    [agent, copilotkit],
  );
  const last = agent.messages.findLastIndex(({ role }) => role === "user");
  const free = !agent.isRunning && !away && !deleted;
  const regenerate = useCallback(() => {
    submitted();
    // What ends with a known user message and leaves out what followed is run anew from there.
    agent.setMessages(agent.messages.slice(0, last + 1));
    void copilotkit.runAgent({ agent });
  }, [agent, copilotkit, last]);
  const fork = useCallback(
    (messageId: string) =>
      void attempt(`This ${nounFor(info.id)} could not be copied`, async () => {
        goToThread(info.id, await forkThread(thread, info.id, messageId));
      }),
    [attempt, info.id, thread],
  );
  const suggestions = useMemo(() => (travel ? suggest(trip) : []), [travel, trip]);
  const showQuestion = useCallback(() => question.current?.focus(), []);
  const answered = refusal?.to === keyOf(agent.pendingInterrupts) ? refusal : undefined;
  const failed = agent.isRunning ? undefined : following.view.failure;
  const failure = useMemo(() => failed && { text: failed.message, code: failed.code }, [failed]);
  const talk: Talk = useMemo(
    () => ({
      agent: info.id,
      thread,
      send,
      submissions,
      submitted,
      regenerate: free && !asking && last >= 0 ? regenerate : undefined,
      fork,
      asking,
      mute: away || deleted,
      expired,
      refusal: answered ?? failure,
      failure,
      showQuestion,
      suggestions,
      deleted,
    }),
    [info.id, thread, send, submissions, free, asking, last, regenerate, fork, away, deleted, expired, answered, failure, showQuestion, suggestions],
  );

  const destination = travel && trip.step !== "start" ? trip.destination : undefined;
  useEffect(() => {
    document.title = destination ? `To ${destination} · Travel planner` : travel ? "Travel planner" : info.id;
  }, [destination, travel, info.id]);

  const planName = travel ? "Your trip" : "State";
  return (
    <TalkContext value={talk}>
      <div className="planner" data-pane={pane}>
        <div className="panes" role="group" aria-label="What to show">
          <button type="button" aria-pressed={pane === "chat"} data-testid="pane-chat" onClick={() => setPane("chat")}>
            <IconChat /> Chat
            {asking && pane !== "chat" && <span className="dot"><span className="unseen">A question waits</span></span>}
          </button>
          <button type="button" aria-pressed={pane === "plan"} data-testid="pane-plan" onClick={() => setPane("plan")}>
            <IconMap /> {planName}
          </button>
        </div>
        <main className="chat" id="chat" tabIndex={-1} data-testid="chat" aria-label="Conversation">
          <SpokenNow following={following} running={agent.isRunning} asking={asking} />
          {deleted && <Gone agent={info.id} />}
          <WorkingContext value={workingNow(following)}>
            <CopilotChat agentId={info.id} threadId={thread} labels={travel ? travelLabels : plainLabels} chatView={ChatView} />
          </WorkingContext>
        </main>
        <aside className="side" aria-label={planName}>
          {info.participants.length > 0 && <Specialists participants={info.participants} following={following} />}
          {travel ? <Itinerary trip={trip} /> : <StateTree state={agent.state} />}
        </aside>
      </div>
    </TalkContext>
  );
}

function Gone({ agent }: { agent: string }) {
  return (
    <div className="gone" role="alert" data-testid="gone">
      <p>
        <strong>The gateway no longer has this conversation.</strong> It was deleted, or kept in memory and lost when the gateway
        was started again. You can still read it here.
      </p>
      <button type="button" className="button primary" onClick={() => startThread(agent)}>
        Start a new {nounFor(agent)}
      </button>
    </div>
  );
}
