// A chat of assistant-ui's. The query says where the agent is (url), which thread is shown (thread), and the version of the client (client), and whether the
// thread has been begun (known).

import * as client100 from "@ag-ui/client";
import * as client57 from "agui-client-0.0.57";
import { AssistantRuntimeProvider, ComposerPrimitive, ExportedMessageRepository, MessagePrimitive, ThreadPrimitive, makeAssistantTool } from "@assistant-ui/react";
import { fromAgUiMessages, useAgUiInterrupts, useAgUiRuntime, useAgUiSetState, useAgUiState, useAgUiSubmitInterruptResponses } from "@assistant-ui/react-ag-ui";
import { createRoot } from "react-dom/client";

const { url, thread, client, known } = Object.fromEntries(new URLSearchParams(location.search));
const { HttpAgent } = { "1.0.0": client100, "0.0.57": client57 }[client];
const agent = new HttpAgent({ url, threadId: thread });

// What a thread that is known has already. What is said from now on is the gateway's to keep.
const history = {
  async load() {
    if (!known) return null;
    const { messages, state, status } = await (await fetch(new URL(`/threads/${thread}`, url))).json();
    const repository = ExportedMessageRepository.fromArray(fromAgUiMessages(messages));
    // A run that brings nothing new joins the one that goes on, or asks again what is open.
    if (status !== "idle") setTimeout(() => window.runtime.thread.startRun({ parentId: repository.messages.at(-1).message.id }));
    return { ...repository, state };
  },
  async append() {},
};

const WhereAmI = makeAssistantTool({
  toolName: "where_am_i",
  description: "The city in which the person is",
  parameters: { type: "object", properties: { precise: { type: "boolean" } } },
  execute: async () => "Paris",
});

const Text = ({ text }) => <p data-testid="text">{text}</p>;
const Call = ({ toolName, args, result }) => (
  <p data-testid="call">
    {toolName} {JSON.stringify(args)} {JSON.stringify(result)}
  </p>
);
const Message = () => (
  <MessagePrimitive.Root data-testid="message">
    <MessagePrimitive.Parts components={{ Text, tools: { Fallback: Call } }} />
  </MessagePrimitive.Root>
);

function Questions() {
  const questions = useAgUiInterrupts();
  const submit = useAgUiSubmitInterruptResponses();
  return questions.map(({ id, message, metadata }) => (
    <fieldset key={id}>
      <legend>{message}</legend>
      {metadata.value.options.map((value) => (
        <button key={value} onClick={() => submit([{ interruptId: id, status: "resolved", payload: { value } }])}>
          {value}
        </button>
      ))}
    </fieldset>
  ));
}

function State() {
  const state = useAgUiState();
  const setState = useAgUiSetState();
  return (
    <>
      <output>{JSON.stringify(state)}</output>
      <button onClick={() => setState((state) => ({ ...state, address: "Quay 1" }))}>Move</button>
    </>
  );
}

function App() {
  const runtime = useAgUiRuntime({ agent, adapters: { history } });
  window.runtime = runtime;
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <WhereAmI />
      <ThreadPrimitive.Root>
        <ThreadPrimitive.Messages components={{ Message }} />
        <Questions />
        <State />
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input aria-label="Message" />
          <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
          <ComposerPrimitive.Cancel>Stop</ComposerPrimitive.Cancel>
        </ComposerPrimitive.Root>
        <ThreadPrimitive.If running={false}>
          <p>Ready</p>
        </ThreadPrimitive.If>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
}

createRoot(document.getElementById("root")).render(<App />);
