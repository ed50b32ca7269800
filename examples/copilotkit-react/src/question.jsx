import { Questions } from "@agui-gateway/client/react";
import "@agui-gateway/client/style.css";
import { useInterrupt } from "@copilotkit/react-core/v2";

/** Shows what an agent asks in the chat. The run continues when all of its questions are answered. */
export function Question() {
  useInterrupt({
    render: ({ interrupts, resolve, cancel }) => {
      const give = ({ interruptId: id, status, payload }) => (status === "resolved" ? resolve(payload, id) : cancel(id));
      return <Questions questions={interrupts} onAnswer={(answers) => Promise.all(answers.map(give))} />;
    },
  });
  return null;
}
