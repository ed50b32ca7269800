import type { Reason } from "../types.ts";

/** Why the answer that was given did not count. */
export function Refused({ refusal: { text, code } }: { refusal: Reason }) {
  return (
    <p className="refusal" role="alert" data-testid="refusal" data-code={code}>
      {text}
      {code && <code>{code}</code>}
    </p>
  );
}
