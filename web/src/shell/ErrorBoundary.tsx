import { Component, type ErrorInfo, type ReactNode } from "react";

interface Props {
  /** What broke, for people: "page", "conversation". */
  what: string;
  children: ReactNode;
}

/** Shows a way on where a component threw, instead of a blank page. */
export class ErrorBoundary extends Component<Props, { error: Error | undefined }> {
  override state: { error: Error | undefined } = { error: undefined };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override componentDidCatch(error: Error, info: ErrorInfo) {
    console.error(error, info.componentStack);
  }

  override render() {
    if (!this.state.error) return this.props.children;
    return (
      <div className="broken" role="alert" data-testid="broken">
        <h2>This {this.props.what} ran into an error</h2>
        <p>The gateway has what was said, nothing is lost.</p>
        <p className="broken-detail">{this.state.error.message}</p>
        <div className="row">
          <button type="button" className="button primary" onClick={() => this.setState({ error: undefined })}>
            Try again
          </button>
          <button type="button" className="button" onClick={() => location.reload()}>
            Reload the page
          </button>
        </div>
      </div>
    );
  }
}
