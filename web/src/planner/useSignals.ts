import type { AbstractAgent } from "@ag-ui/client";
import { useEffect } from "react";
import { markUsed } from "../fresh";
import { useNotify } from "../shell/notices";

const texts: Record<string, string> = {
  interrupt_already_resolved: "This question was answered already; here is how things stand.",
  interrupt_expired: "This question has expired; here is how things stand.",
  interrupt_not_found: "This question is no longer open; here is how things stand.",
  interrupt_pending: "A question is open; please answer it first.",
  resume_incomplete: "Not every open question was answered.",
  resume_invalid: "This answer does not fit the question.",
};

/** Listens to what runs of this tab say beside their messages: refusals and failures become notices. */
export function useSignals(agent: AbstractAgent, thread: string, kick: () => void) {
  const notify = useNotify();
  useEffect(() => {
    const subscription = agent.subscribe({
      onRunStartedEvent: () => {
        markUsed(thread);
        kick();
      },
      onCustomEvent: ({ event }) => {
        if (event.name !== "gateway.refused" && event.name !== "gateway.failed") return;
        const { code, message } = (event.value ?? {}) as { code?: unknown; message?: unknown };
        const known = typeof code === "string" ? texts[code] : undefined;
        notify({
          kind: event.name === "gateway.failed" ? "error" : "info",
          text: known ?? (typeof message === "string" ? message : "The gateway could not do this."),
          ...(typeof code === "string" && { code }),
        });
      },
    });
    return () => subscription.unsubscribe();
  }, [agent, thread, kick, notify]);
}
