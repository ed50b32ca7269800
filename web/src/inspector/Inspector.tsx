import { useCallback, useDeferredValue, useMemo, useRef, useState } from "react";
import { mount } from "../mount";
import type { FollowStatus } from "../gateway/follow";
import { useFollow } from "../gateway/useFollow";
import { CopyButton } from "./CopyButton";
import { attachCurl, runCurl } from "./curl";
import { versionAt, versionsOf } from "./history";
import { Interrupts } from "./Interrupts";
import { rowsOf } from "./rows";
import { Runs } from "./Runs";
import { StateView } from "./StateView";
import { Timeline } from "./Timeline";
import { useLog, useNarrow, useStable, useThread } from "./use";
import "./inspector.css";
import "./panels.css";
import "./timeline.css";

interface Props {
  agent: string;
  thread: string;
  onClose: () => void;
}

const says: Record<FollowStatus, string> = {
  connecting: "connecting",
  open: "live",
  lost: "connection lost, trying again",
  unknown: "the gateway does not know this thread yet",
};

const panels = ["Timeline", "State", "Questions", "Runs"] as const;
type Panel = (typeof panels)[number];

/** Everything that happens on a thread, as it is on the wire. */
export default function Inspector({ agent, thread, onClose }: Props) {
  const following = useFollow(agent, thread);
  const { status, running, view, interrupts } = following;
  const { known, problem } = useThread(agent, thread, following);
  const { events, dropped, base, cursor } = useLog(agent, thread, useDeferredValue(following));
  const rows = useMemo(() => rowsOf(events), [events]);
  const ofState = useStable(useMemo(() => events.filter(({ event }) => event.type.startsWith("STATE_")), [events]));
  const versions = useMemo(() => versionsOf(ofState, base), [ofState, base]);
  const [version, setVersion] = useState<number>();
  const whole = useRef<HTMLElement>(null);
  const narrow = useNarrow(whole);
  const [panel, setPanel] = useState<Panel>("Timeline");
  const state = useRef<HTMLElement>(null);

  const showState = useCallback(
    (n: number) => {
      const index = versionAt(versions, n);
      setVersion(index === versions.length - 1 ? undefined : index);
      setPanel("State");
      if (!narrow) state.current?.scrollIntoView({ block: "nearest" });
    },
    [versions, narrow],
  );
  const lastUser = () => known?.messages.findLast(({ role }) => role === "user");
  const link = `${location.origin}${location.pathname}#/t/${encodeURIComponent(agent)}/${encodeURIComponent(thread)}`;
  const hidden = (p: Panel) => narrow && p !== panel;

  return (
    <section className="insp" ref={whole} data-testid="inspector" aria-label="Inspector">
      <header className="insp-head">
        <div className="insp-title">
          <h1>Inspector</h1>
          <p className="insp-status" role="status">
            <span className={`insp-lamp insp-lamp-${status}`} aria-hidden="true" />
            {status === "unknown" && events.length > 0 ? "the gateway has forgotten this thread" : says[status]}
            {running && status === "open" && <span className="insp-tag insp-tag-run">a run is live</span>}
          </p>
          <p className="insp-where" title={thread}>
            <span className="insp-agent">{agent}</span> <code>{thread}</code>
          </p>
        </div>
        <div className="insp-actions">
          <CopyButton
            label="Copy as curl"
            hint="The run's POST for the last message. The gateway knows the message: sent again to this thread it starts nothing, with another threadId it is said anew."
            text={() => runCurl(location.origin + mount, agent, thread, lastUser())}
            testid="copy-curl"
          />
          <CopyButton
            label="Copy attach"
            hint="As curl: reads on behind the newest event"
            text={() => attachCurl(location.origin + mount, agent, thread, cursor)}
            testid="copy-attach"
          />
          <CopyButton label="Copy link" hint="To this thread" text={() => link} testid="copy-link" />
        </div>
        <button type="button" className="insp-button insp-close" onClick={onClose} data-testid="inspector-close">
          Close
        </button>
      </header>
      {problem && (
        <p className="insp-problem" role="alert">
          {problem}
        </p>
      )}
      {narrow && <Tabs panel={panel} waiting={interrupts.length} onPanel={setPanel} />}
      <div className="insp-body">
        <div className="insp-main" id="insp-Timeline" hidden={hidden("Timeline")}>
          <Timeline rows={rows} dropped={dropped} onShowState={showState} />
        </div>
        <div className="insp-side" hidden={narrow && panel === "Timeline"}>
          <section className="insp-panel" id="insp-Questions" hidden={hidden("Questions")} aria-labelledby="insp-h-questions">
            <h2 id="insp-h-questions">Waiting for an answer</h2>
            <Interrupts agent={agent} thread={thread} interrupts={interrupts} />
          </section>
          <section className="insp-panel" id="insp-State" ref={state} hidden={hidden("State")} aria-labelledby="insp-h-state">
            <h2 id="insp-h-state">State</h2>
            <StateView versions={versions} state={view.state} diverged={view.diverged} version={version} onVersion={setVersion} />
          </section>
          <section className="insp-panel" id="insp-Runs" hidden={hidden("Runs")} aria-labelledby="insp-h-runs">
            <h2 id="insp-h-runs">Runs</h2>
            <Runs thread={known} />
          </section>
        </div>
      </div>
    </section>
  );
}

function Tabs({ panel, waiting, onPanel }: { panel: Panel; waiting: number; onPanel: (panel: Panel) => void }) {
  return (
    <nav className="insp-tabs" aria-label="Parts of the inspector">
      {panels.map((p) => (
        <button key={p} type="button" className="insp-tab" aria-current={p === panel ? "page" : undefined} onClick={() => onPanel(p)} data-testid={`insp-tab-${p.toLowerCase()}`}>
          {p}
          {p === "Questions" && waiting > 0 && <span className="insp-badge">{waiting}</span>}
        </button>
      ))}
    </nav>
  );
}
