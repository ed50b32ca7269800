import { CopilotChat, CopilotKitProvider, useAgent } from "@copilotkit/react-core/v2";
import { Component } from "react";
import { Question } from "./question.jsx";

/** The chat, and what went wrong: CopilotKit itself says little when its runtime is away, and throws where the agent is not served. */
export class Page extends Component {
  state = { error: undefined, broken: false };

  static getDerivedStateFromError(error) {
    return { error, broken: true };
  }

  render() {
    const { runtimeUrl, threadId } = this.props;
    const { error, broken } = this.state;
    return (
      <>
        {error && (
          <p role="alert">
            {error.message} <button onClick={() => location.reload()}>Try again</button>
          </p>
        )}
        {!broken && (
          <CopilotKitProvider
            runtimeUrl={runtimeUrl}
            agentId="travel"
            enableInspector={false}
            onError={({ error }) => this.setState({ error })}
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
