import type { Message } from "@ag-ui/client";
import { useCallback, useEffect, useReducer, useState } from "react";
import { GatewayAgent, type GatewayAgentConfig } from "../agent.ts";
import { AnswerError, RefusedError } from "../errors.ts";
import { mayBeRounded } from "../form/exact.ts";
import type { Answer, Interrupt } from "../types.ts";

export interface GatewayConversation {
  agent: GatewayAgent;
  messages: readonly Message[];
  state: unknown;
  /** The open questions, with exact numbers. */
  questions: readonly Interrupt[];
  /** A run is read, or the thread is on its way. */
  running: boolean;
  /** Why the last run or request failed. */
  error: Error | undefined;
  /** Why the last answers were refused; the questions are still open. */
  refusal: AnswerError | undefined;
  /** Says something as the person. */
  send(text: string): Promise<void>;
  /** Answers all open questions. */
  answer(answers: readonly Answer[]): Promise<void>;
  /** Ends the run, for every reader. */
  stop(): Promise<void>;
}

/**
 * A conversation with an agent. When the page is loaded it shows the thread that the tab remembers (`session`), or that
 * is named (`threadId`), and follows its live run. A page that is left ends no run. Another `url`, `threadId` or `session`
 * is another conversation: give the component a React `key` of them.
 */
export function useGatewayAgent(config: GatewayAgentConfig): GatewayConversation {
  const [agent] = useState(() => new GatewayAgent({ session: config.threadId ?? config.url, ...config }));
  const [, show] = useReducer((n: number) => n + 1, 0);
  const [questions, setQuestions] = useState<readonly Interrupt[]>([]);
  const [working, setWorking] = useState(0);
  const [error, setError] = useState<Error>();
  agent.headers = config.headers ?? agent.headers; // a token may have been renewed

  const run = useCallback(
    async (what: () => Promise<unknown>) => {
      setWorking((n) => n + 1);
      setError(undefined);
      try {
        await what();
      } catch (error) {
        if ((error as Error).name !== "AbortError") setError(error as Error);
      }
      const asked = agent.pendingInterrupts as Interrupt[];
      setQuestions(asked.some(mayBeRounded) ? await agent.questions().catch(() => asked) : asked);
      setWorking((n) => n - 1);
    },
    [agent],
  );

  useEffect(() => {
    const left = new AbortController();
    const changed = () => show();
    const subscription = agent.subscribe({ onMessagesChanged: changed, onStateChanged: changed, onRunFinalized: changed });
    void run(() => agent.open({ signal: left.signal }));
    return () => {
      left.abort();
      subscription.unsubscribe();
      agent.abortRun();
      void agent.detachActiveRun();
    };
  }, [agent, run]);

  const send = useCallback(
    (text: string) =>
      run(() => {
        agent.addMessage({ id: crypto.randomUUID(), role: "user", content: text });
        return agent.runAgent();
      }),
    [agent, run],
  );
  const answer = useCallback((answers: readonly Answer[]) => run(() => agent.answer(answers)), [agent, run]);
  const stop = useCallback(async () => {
    try {
      await agent.stop();
    } catch (error) {
      if (!(error instanceof RefusedError) || error.status !== 404) setError(error as Error); // 404: nothing has run yet
    }
  }, [agent]);
  const refusal = error instanceof AnswerError ? error : undefined;
  const failure = refusal ? undefined : error;
  const { messages, state } = agent;
  return { agent, messages, state, questions, running: working > 0, error: failure, refusal, send, answer, stop };
}
