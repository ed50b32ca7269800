import { CopilotChat, CopilotKitProvider, useAgent } from "@copilotkit/react-core/v2";
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
    const { runtimeUrl, headers, threadId } = this.props;
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
            agentId="travel"
            enableInspector={false}
            onError={({ error }) => this.setState(({ unknown }) => ({ error, unknown: unknown || statusOf(error) === 401 }))}
          >
            <Itinerary />
            <Question />
            <CopilotChat threadId={threadId} />
          </CopilotKitProvider>
        )}
      </>
    );
  }
}

function Itinerary() {
  const { agent } = useAgent();
  const { flight, hotel } = agent.state?.itinerary ?? {};
  return (
    <aside>
      <p>Flight: {flight?.airline ?? "open"}</p>
      <p>Hotel: {hotel?.name ?? "open"}</p>
    </aside>
  );
}
