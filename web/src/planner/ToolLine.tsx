import { words } from "./answer";

interface Props {
  name: string;
  status: "inProgress" | "executing" | "complete";
  parameters: unknown;
  result: string | undefined;
}

/** A call of a tool without a view of its own: its name, its arguments, and whether there is a result. */
export function ToolLine({ name, status, parameters, result }: Props) {
  const done = status === "complete";
  return (
    <details className="tool" data-testid="tool-call" data-name={name} data-status={status}>
      <summary>
        {words(name)} <span className="tag" data-doing={done ? "finished" : "running"}>{done ? "done" : "called"}</span>
      </summary>
      <pre>{JSON.stringify(parameters ?? {}, null, 2)}</pre>
      {result !== undefined && result !== "" && <pre>{result}</pre>}
    </details>
  );
}
