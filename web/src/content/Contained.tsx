import { Component, type ReactNode } from "react";
import { Tree } from "./Tree";

interface Props {
  /** The value to show as a tree if the children throw. */
  value: unknown;
  children: ReactNode;
}

interface State {
  value: unknown;
  error?: Error | undefined;
}

/** Keeps an error inside one message: what cannot be drawn is shown as data, until other data comes. */
export class Contained extends Component<Props, State> {
  override state: State = { value: this.props.value };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  static getDerivedStateFromProps({ value }: Props, state: State): State | null {
    return value === state.value ? null : { value, error: undefined };
  }

  override render() {
    if (!this.state.error) return this.props.children;
    return <NotDrawn value={this.props.value} />;
  }
}

/** What cannot be drawn, as the data that it is. */
export function NotDrawn({ value }: { value: unknown }) {
  return (
    <div className="activity" role="group" aria-label="What cannot be shown" data-testid="not-drawn">
      <p>This cannot be drawn. What the agent has sent:</p>
      <Tree name="Data" value={value} />
    </div>
  );
}
