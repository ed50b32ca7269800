import type { AbstractAgent } from "@ag-ui/client";
import { useCopilotKit } from "@copilotkit/react-core/v2";
import { useCallback, useEffect, useRef } from "react";
import { rounded } from "client/form";
import type { Following } from "../gateway/useFollow";
import { useConnection } from "../shell/connection";
import { difference, hasLaterState } from "./difference";
import { same } from "client/facts";

/** How long a difference has to last, because the end of this tab's run arrives on two connections, one after the other. */
const SETTLE_MS = 300;

/**
 * Keeps this tab's conversation equal to the thread. Another tab, a script or a run that outlived its connection changes
 * the thread without this tab's agent; the follow stream shows it, and the agent connects again. expired are the questions
 * that have expired.
 */
export function usePickUp(agent: AbstractAgent, thread: string, following: Following, expired: ReadonlySet<string>) {
  const { copilotkit } = useCopilotKit();
  const { away, epoch, suspect } = useConnection();
  const tried = useRef("");
  const seenEpoch = useRef(epoch);

  const connect = useCallback(() => {
    if (agent.isRunning || agent.threadId !== thread) return;
    // Open questions would make the client refuse to connect; the thread brings them back if they still are.
    agent.pendingInterrupts = [];
    void copilotkit.connectAgent({ agent });
  }, [agent, copilotkit, thread]);

  const ended = useRef(""); // the run with an end that was read here
  const before = useRef(""); // the last run in the follow stream by then
  const latest = useRef(following.view);
  latest.current = following.view;
  useEffect(() => {
    let started = "";
    const end = () => {
      ended.current = started;
      before.current = latest.current.runs.at(-1)?.runId ?? "";
    };
    const subscription = agent.subscribe({
      onRunStartedEvent: ({ event }) => void (started = event.runId),
      onRunFinishedEvent: end,
      onRunErrorEvent: end,
      // CopilotKit drops its card when a run fails, also when the gateway never saw that run; its client keeps the
      // questions. Without them what the thread still asks is missing here, and is fetched.
      onRunFailed: () => void (agent.pendingInterrupts = []),
    });
    return () => subscription.unsubscribe();
  }, [agent]);

  const { view, status } = following;
  const behind = difference(view, { messages: agent.messages, pending: agent.pendingInterrupts, expired, ended: ended.current });
  const idle = !agent.isRunning;
  useEffect(() => {
    if (behind === "") tried.current = ""; // what differs next is tried again, also if it is the same
    if (status !== "open" || away || !idle || behind === "" || tried.current === behind) return;
    const timer = setTimeout(() => {
      tried.current = behind;
      connect();
    }, SETTLE_MS);
    return () => clearTimeout(timer);
  }, [status, away, idle, behind, connect]);

  useEffect(() => {
    // A patch from outside of a run changes the state and nothing else, also while a question is open.
    if (status !== "open" || away || !idle || behind !== "" || !hasLaterState(view, [ended.current, before.current]) || same(rounded(view.state), agent.state)) return;
    const timer = setTimeout(() => agent.setState(rounded(view.state) as AbstractAgent["state"]), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [agent, status, away, idle, behind, view]);

  const wasOpen = useRef(false);
  useEffect(() => {
    // If the stream never opens, a proxy may block such streams, although the gateway can be reached.
    if (status === "lost" && wasOpen.current) suspect();
    wasOpen.current = status === "open" || (status !== "lost" && wasOpen.current);
  }, [status, suspect]);

  useEffect(() => {
    if (seenEpoch.current === epoch) return;
    seenEpoch.current = epoch;
    tried.current = "";
    connect();
  }, [epoch, connect]);
}
