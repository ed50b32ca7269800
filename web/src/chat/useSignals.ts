import type { AbstractAgent } from "@ag-ui/client";
import { useCopilotKit } from "@copilotkit/react-core/v2";
import { useCallback, useEffect, useRef, useState } from "react";
import { markUsed } from "../fresh";
import type { Interrupt } from "../gateway/types";
import { useNotify } from "../shell/notices";
import type { Reason } from "client/types";
import { keyOf } from "./difference";
import { describe } from "./failure";

const texts: Record<string, string> = {
  interrupt_already_resolved: "This question was answered already; showing the latest version.",
  interrupt_expired: "This question has expired; showing the latest version.",
  interrupt_not_found: "This question is no longer open; showing the latest version.",
  interrupt_pending: "A question is open; please answer it first.",
  resume_incomplete: "Not every open question was answered.",
  resume_invalid: "This answer does not fit the question. Please change it and send it again.",
  checkpoint_incompatible: "The team has changed since it asked. This question can only be cancelled.",
};

/** The refusals after which the question is no longer there to be answered. */
const CLOSED = new Set(["interrupt_already_resolved", "interrupt_expired", "interrupt_not_found"]);

interface Signals {
  /** What became of the last answer, and the key of the questions it was for. */
  refusal: (Reason & { to: string }) | undefined;
  /** An answer to these questions is on its way, until done. */
  answering: (questions: Interrupt[], done: Promise<unknown>) => void;
}

/** Listens to the custom events of this tab's runs. The problem of an answer belongs to its question, as long
 * as that is open; refusals and failures of anything else become notices.
 */
export function useSignals(agent: AbstractAgent, thread: string, kick: () => void): Signals {
  const { copilotkit } = useCopilotKit();
  const notify = useNotify();
  const [refusal, setRefusal] = useState<Signals["refusal"]>();
  const to = useRef(""); // the key of the questions with an answer in progress

  useEffect(() => {
    let told: Signals["refusal"];
    const subscription = agent.subscribe({
      onRunStartedEvent: () => {
        markUsed(thread);
        kick();
      },
      onCustomEvent: ({ event }) => {
        if (event.name !== "gateway.refused" && event.name !== "gateway.failed") return;
        const { code, message } = (event.value ?? {}) as { code?: unknown; message?: unknown };
        const known = typeof code === "string" ? texts[code] : undefined;
        const text = known ?? (typeof message === "string" ? message : "The gateway could not do this.");
        const refused = { text, ...(typeof code === "string" && { code }) };
        if (to.current !== "" && !CLOSED.has(refused.code ?? "")) told = { ...refused, to: to.current };
        else notify({ kind: event.name === "gateway.failed" ? "error" : "info", ...refused });
      },
      onRunFinalized: () => {
        if (!told) return;
        if (keyOf(agent.pendingInterrupts) === told.to) setRefusal(told);
        else notify({ kind: "error", text: told.text, ...(told.code && { code: told.code }) });
        told = undefined;
      },
    });
    return () => subscription.unsubscribe();
  }, [agent, thread, kick, notify]);

  useEffect(() => {
    // The answer was not accepted; Chat shows the notice.
    const subscription = copilotkit.subscribe({
      onError: ({ error, code }) => {
        const failure = describe(error, code);
        if (to.current !== "" && failure.kind === "notice") setRefusal({ ...failure, to: to.current });
      },
    });
    return () => subscription.unsubscribe();
  }, [copilotkit]);

  const answering = useCallback((questions: Interrupt[], done: Promise<unknown>) => {
    const key = keyOf(questions);
    to.current = key;
    setRefusal(undefined);
    void done.finally(() => {
      if (to.current === key) to.current = "";
    });
  }, []);
  return { refusal, answering };
}
