import { CopilotChat, UseAgentUpdate, useAgent, useCopilotKit, useDefaultRenderTool, useInterrupt } from "@copilotkit/react-core/v2";
import { Suspense, use, useCallback, useEffect, useMemo, useReducer, useRef, useState } from "react";
import { OpenApprovals } from "../approvals/OpenApprovals";
import { Contained } from "../content/Contained";
import { rounded } from "client/form";
import { forkThread } from "../gateway/api";
import type { AgentInfo, Interrupt } from "../gateway/types";
import { useFollow } from "../gateway/useFollow";
import { newID } from "../id";
import { goToThread } from "../place";
import { PastContext, usePast } from "../past/usePast";
import { startThread } from "../start";
import { useConnection } from "../shell/connection";
import { ErrorBoundary } from "../shell/ErrorBoundary";
import { IconChat, IconMap } from "../shell/icons";
import { useAttempt } from "../shell/notices";
import { hasOwnView } from "../views/registry";
import { ViewContext } from "../views/useView";
import { CallsContext, useCalls } from "./calls";
import { ChatView } from "./ChatView";
import { type Talk, TalkContext, WorkingContext } from "./context";
import { keyOf } from "./difference";
import { same } from "client/facts";
import { Questions } from "./Questions";
import { SpokenNow, workingNow } from "./Speaker";
import { Specialists } from "./Specialists";
import { ToolLine } from "./ToolLine";
import { useExpired } from "./useExpired";
import { useOpenCalls } from "./useOpenCalls";
import { useThreadDeleted } from "./useThreadDeleted";
import { usePickUp } from "./usePickUp";
import { useSignals } from "./useSignals";
import { useSuggested } from "./useSuggested";

const updates = [UseAgentUpdate.OnMessagesChanged, UseAgentUpdate.OnStateChanged, UseAgentUpdate.OnRunStatusChanged];

const tools: Parameters<typeof useDefaultRenderTool>[0] = {
  render: (call) => (
    <Contained value={call.parameters}>
      <ToolLine {...call} />
    </Contained>
  ),
};

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

  const view = use(ViewContext);
  const deleted = useThreadDeleted(following.status, agent.messages.some(({ role }) => role !== "user"), agent.isRunning);

  useDefaultRenderTool(tools);
  const calls = useCalls(following.view, useOpenCalls(info.id, thread, agent.messages, following.view));
  const past = usePast(info.id, thread, following);

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
      // The client sends nothing while it has a question. What a message means for that is the gateway's to say.
      if (info.typedAnswers) agent.pendingInterrupts = [];
      agent.addMessage({ id: newID(), role: "user", content: text });
      void copilotkit.runAgent({ agent });
    },
    [agent, copilotkit, info.typedAnswers],
  );
  const last = agent.messages.findLastIndex(({ role }) => role === "user");
  const free = !agent.isRunning && !away && !deleted;
  const regenerate = useCallback(() => {
    submitted();
    // What ends with a known user message and leaves out what followed is run again from there.
    agent.setMessages(agent.messages.slice(0, last + 1));
    void copilotkit.runAgent({ agent });
  }, [agent, copilotkit, last]);
  const fork = useCallback(
    (messageId: string) =>
      void attempt(`This ${view.noun} could not be copied`, async () => {
        goToThread(info.id, await forkThread(thread, info.id, messageId));
      }),
    [attempt, view.noun, info.id, thread],
  );
  const begun = fresh || following.status === "open" || following.status === "unknown";
  const suggested = useSuggested(agent, info.id, info.suggestions === true && !view.suggest && begun && !away && !deleted);
  const suggestions = useMemo(() => view.suggest?.(agent.state) ?? suggested.suggestions, [view, agent.state, suggested.suggestions]);
  const showQuestion = useCallback(() => question.current?.focus(), []);
  const answered = refusal?.to === keyOf(agent.pendingInterrupts) ? refusal : undefined;
  const failed = agent.isRunning ? undefined : following.view.failure;
  const failure = useMemo(() => failed && { text: failed.message, code: failed.code }, [failed]);
  const answerable = agent.pendingInterrupts.filter(({ id }) => !expired.has(id)).length;
  const talk: Talk = useMemo(
    () => ({
      agent: info.id,
      thread,
      attachments: info.attachments,
      send,
      submissions,
      submitted,
      regenerate: free && !asking && last >= 0 ? regenerate : undefined,
      fork,
      asking,
      typing: info.typedAnswers === true && answerable === 1,
      mute: away || deleted,
      open: following.interrupts,
      expired,
      refusal: answered ?? failure,
      failure,
      showQuestion,
      suggestions,
      suggesting: suggested.suggesting,
      deleted,
    }),
    [info.id, info.attachments, info.typedAnswers, thread, send, submissions, free, asking, last, regenerate, fork, away, deleted, following.interrupts, answerable, expired, answered, failure, showQuestion, suggestions, suggested.suggesting],
  );

  const subject = view.subject?.(agent.state);
  const name = view.name(info);
  useEffect(() => {
    document.title = subject ? `${subject} · ${name}` : name;
  }, [subject, name]);

  // CopilotKit may have rounded numbers of the state, which is else the same.
  const state: unknown = useMemo(() => (same(rounded(following.view.state), agent.state) ? following.view.state : agent.state), [following.view.state, agent.state]);
  const { label, Panel, isEmpty } = view.panel;
  const [unfolded, unfold] = useReducer(() => true, false);
  const folded = !unfolded && info.participants.length === 0 && isEmpty?.(agent.state) === true;
  const side = useRef<HTMLElement>(null);
  const labels = useMemo(() => ({ chatInputPlaceholder: view.placeholder }), [view]);
  return (
    <TalkContext value={talk}>
      <div className="conversation-page" data-pane={pane} data-side={folded ? "folded" : undefined}>
        <nav className="panes" aria-label="What to show">
          <button type="button" aria-pressed={pane === "chat"} data-testid="pane-chat" onClick={() => setPane("chat")}>
            <IconChat /> Chat
            {asking && pane !== "chat" && <span className="dot"><span className="unseen">A question needs your answer</span></span>}
          </button>
          <button type="button" aria-pressed={pane === "plan"} data-testid="pane-plan" onClick={() => setPane("plan")}>
            <IconMap /> {label}
          </button>
        </nav>
        <main className="chat" id="chat" tabIndex={-1} data-testid="chat" aria-label="Conversation">
          <SpokenNow following={following} running={agent.isRunning} asking={asking} />
          {deleted && <Gone agent={info.id} noun={view.noun} />}
          <WorkingContext value={workingNow(following)}>
            <CallsContext value={calls}>
              <PastContext value={past}>
                <CopilotChat agentId={info.id} threadId={thread} labels={labels} chatView={ChatView} />
              </PastContext>
            </CallsContext>
          </WorkingContext>
        </main>
        <aside className="side" ref={side} tabIndex={-1} aria-label={label} data-testid="side">
          {folded && (
            <button type="button" className="button quiet unfold" data-testid="side-unfold" onClick={() => (unfold(), side.current?.focus())}>
              {label}
            </button>
          )}
          {info.participants.length > 0 && <Specialists participants={info.participants} following={following} />}
          <ErrorBoundary what="panel">
            <Suspense>
              <Panel agent={info} thread={thread} state={state} />
            </Suspense>
          </ErrorBoundary>
          {info.interrupts && !hasOwnView(info) && <OpenApprovals testid="side-approvals" />}
        </aside>
      </div>
    </TalkContext>
  );
}

function Gone({ agent, noun }: { agent: string; noun: string }) {
  return (
    <div className="gone" role="alert" data-testid="gone">
      <p>
        <strong>The gateway no longer has this conversation.</strong> It was deleted, or kept in memory and lost when the gateway
        was started again. You can still read it here.
      </p>
      <button type="button" className="button primary" onClick={() => startThread(agent)}>
        Start a new {noun}
      </button>
    </div>
  );
}
