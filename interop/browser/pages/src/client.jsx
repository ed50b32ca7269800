import { useGatewayAgent, Questions } from "@agui-gateway/client/react";
import "@agui-gateway/client/style.css";

/** A page without CopilotKit: a conversation by the hook and cards of the client package. */
export function clientPage({ url }) {
  return <Conversation url={url} />;
}

function Conversation({ url }) {
  const { messages, questions, running, error, refusal, send, answer, stop } = useGatewayAgent({ url, session: "conversation" });
  const submit = (event) => {
    event.preventDefault();
    const form = event.currentTarget;
    void send(new FormData(form).get("text"));
    form.reset();
  };
  return (
    <main data-running={running}>
      {messages
        .filter(({ role, content }) => /user|assistant/.test(role) && content)
        .map(({ id, content }) => (
          <p key={id} data-message={id}>
            {content}
          </p>
        ))}
      <Questions questions={questions} onAnswer={answer} refusal={refusal} disabled={running} />
      {error && <p role="alert">{error.message}</p>}
      <form onSubmit={submit}>
        <label>
          Message <input name="text" required />
        </label>
        <button disabled={running || questions.length > 0}>Send</button>
        <button type="button" onClick={() => void stop()}>
          Stop
        </button>
      </form>
    </main>
  );
}
