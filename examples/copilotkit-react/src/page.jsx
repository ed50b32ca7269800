import { CopilotChat, CopilotKitProvider, useAgent, useDefaultRenderTool } from "@copilotkit/react-core/v2";
import { Component } from "react";
import { Question } from "./question.jsx";
import { SignIn, statusOf } from "./token.jsx";

/** The chat, and what went wrong: CopilotKit itself says little when its runtime is away, and throws where the agent is not served. */
export class Page extends Component {
  state = { error: undefined, broken: false, unknown: false };

  static getDerivedStateFromError(error) {
    return { error, broken: true };
  }

  render() {
    const { runtimeUrl, headers, agentId, threadId } = this.props;
    const { error, broken, unknown } = this.state;
    return (
      <>
        {unknown && (
          <>
            <p role="alert">{headers ? "The gateway does not accept this key or token any more." : "The gateway wants to know who you are."}</p>
            <SignIn />
          </>
        )}
        {error && !unknown && (
          <p role="alert">
            {error.message} <button onClick={() => location.reload()}>Try again</button>
          </p>
        )}
        {!broken && (
          <CopilotKitProvider
            runtimeUrl={runtimeUrl}
            headers={headers}
            agentId={agentId}
            enableInspector={false}
            onError={({ error }) => this.setState(({ unknown }) => ({ error, unknown: unknown || statusOf(error) === 401 }))}
          >
            <State />
            <Question />
            <Tools />
            <CopilotChat threadId={threadId} />
          </CopilotKitProvider>
        )}
      </>
    );
  }
}

/** The shared state: of a trip what is booked, of anything else all of it. */
function State() {
  const { agent } = useAgent();
  const { itinerary } = agent.state ?? {};
  if (!itinerary) return <aside>{Object.keys(agent.state ?? {}).length > 0 && <pre>{JSON.stringify(agent.state, undefined, 2)}</pre>}</aside>;
  return (
    <aside>
      <p>Flight: {itinerary.flight?.airline ?? "open"}</p>
      <p>Hotel: {itinerary.hotel?.name ?? "open"}</p>
    </aside>
  );
}

/** Shows every call of a tool by CopilotKit's own card. */
function Tools() {
  useDefaultRenderTool();
  return null;
}
