import { Activity, type ReactNode, useCallback, useDeferredValue, useEffect, useEffectEvent, useMemo, useState } from "react";
import { mount } from "../mount";
import type { FollowStatus } from "../gateway/follow";
import type { AgentInfo } from "../gateway/types";
import { useFollow } from "../gateway/useFollow";
import { type Dock, inspect, linkTo, type Tab } from "../place";
import { select, useSelection } from "../selection";
import { IconClose } from "../shell/icons";
import { CopyButton } from "./CopyButton";
import { attachCurl, runCurl } from "./curl";
import { versionAt, versionsOf } from "./history";
import { Interrupts } from "./Interrupts";
import { markOf, rowOf, runOf } from "./find";
import { RunActions } from "./RunActions";
import type { Row } from "./rows";
import { numbered } from "./runs";
import { Runs } from "./Runs";
import { StateView } from "./StateView";
import { Tabs } from "./Tabs";
import { Timeline } from "./Timeline";
import { StepActions } from "./StepActions";
import { TeamPanel } from "./team/TeamPanel";
import { TracePanel } from "./trace/TracePanel";
import { useLog, useRows, useStable, useThread } from "./use";
import "./inspector.css";
import "./panels.css";
import "./timeline.css";

interface Props {
  agent: AgentInfo;
  thread: string;
  /** Made up by this tab, and nothing said on it yet. */
  fresh: boolean;
  dock: Dock;
  onClose: () => void;
}

const says: Record<FollowStatus, string> = {
  connecting: "connecting",
  open: "live",
  lost: "connection lost, reconnecting",
  unknown: "the gateway does not know this thread yet",
};

/** What happens behind a conversation: beside it, as long as it is open. */
export default function Inspector({ agent: info, thread, fresh, dock, onClose }: Props) {
  const agent = info.id;
  const following = useFollow(agent, thread, { fresh });
  const { status, running, view, interrupts } = following;
  const { known, problem } = useThread(agent, thread, following);
  const { events, dropped, base, cursor, showAll } = useLog(agent, thread, useDeferredValue(following));
  const rows = useRows(events);
  const ofState = useStable(useMemo(() => events.filter(({ event }) => event.type.startsWith("STATE_")), [events]));
  const versions = useMemo(() => versionsOf(ofState, base), [ofState, base]);
  const [version, setVersion] = useState<number>();

  const showState = useCallback(
    (n: number) => {
      const index = versionAt(versions, n);
      setVersion(index === versions.length - 1 ? undefined : index);
      inspect({ tab: "state" });
    },
    [versions],
  );
  const selection = useSelection();
  const linked = selection === undefined && dock.event !== undefined;
  const row = useMemo(() => rowOf(rows, selection, dock.event), [rows, selection, dock.event]);
  const choose = useCallback((row: Row) => {
    const [seen] = row.events;
    if (seen) select({ from: "inspector", row: row.key, ...markOf(seen.event) });
  }, []);
  const linkOf = useCallback(
    (row: Row) => {
      const event = row.events.find(({ id }) => id !== undefined)?.id;
      return event === undefined ? undefined : linkTo({ agent, thread, dock: { tab: "events", event } });
    },
    [agent, thread],
  );

  // The selection of the conversation is looked up in its run.
  const runs = useMemo(() => numbered(known?.runs ?? []), [known?.runs]);
  const follow = useEffectEvent(() => {
    if (selection?.from !== "chat" || dock.tab !== "trace") return;
    const runId = runOf(events, selection);
    const number = runs.find((run) => run.runId === runId)?.number;
    if (number !== undefined && number !== (dock.run ?? runs[0]?.number)) inspect({ tab: "trace", run: number });
  });
  useEffect(() => follow(), [selection, dock.tab, runs]);

  const lastUser = () => known?.messages.findLast(({ role }) => role === "user");
  const counts = useMemo(() => ({ questions: interrupts.length }), [interrupts.length]);

  return (
    <section className="insp" data-testid="inspector" aria-label="Inspector">
      <header className="insp-head">
        <h2>Inspector</h2>
        <p className="insp-status" role="status">
          <span className={`insp-lamp insp-lamp-${status}`} aria-hidden="true" />
          {status === "unknown" && events.length > 0 ? "the gateway no longer has this thread" : says[status]}
          {running && status === "open" && <span className="insp-tag insp-tag-run">running</span>}
        </p>
        <details className="insp-menu">
          <summary className="insp-button insp-small">Copy</summary>
          <div className="insp-menu-body">
            <CopyButton
              label="Copy as curl"
              hint="The run's POST for the last message. The gateway knows the message: sent again to this thread it starts nothing, with another threadId it is sent again."
              text={() => runCurl(location.origin + mount, agent, thread, lastUser())}
              testid="copy-curl"
            />
            <CopyButton
              label="Copy stream command"
              hint="As curl: reads on behind the newest event"
              text={() => attachCurl(location.origin + mount, agent, thread, cursor)}
              testid="copy-attach"
            />
            <CopyButton label="Copy thread id" text={() => thread} testid="copy-thread" />
            <CopyButton label="Copy link" hint="To this thread" text={() => linkTo({ agent, thread })} testid="copy-link" />
          </div>
        </details>
        <button type="button" className="insp-icon" onClick={onClose} aria-label="Close the inspector" title="Close" data-testid="inspector-close">
          <IconClose />
        </button>
      </header>
      {problem && (
        <p className="insp-problem" role="alert">
          {problem}
        </p>
      )}
      <Tabs tab={dock.tab} counts={counts} onTab={(tab) => inspect({ tab })} />
      <Panel of="trace" tab={dock.tab}>
        <TracePanel
          agent={agent}
          thread={thread}
          known={known}
          following={following}
          events={events}
          run={dock.run}
          actions={(run) => <RunActions agent={agent} thread={thread} known={known} run={run} newest={run.number === runs[0]?.number} events={events} />}
          stepActions={(step) => <StepActions agent={agent} thread={thread} known={known} step={step} open={interrupts} />}
        />
      </Panel>
      <Panel of="events" tab={dock.tab}>
        <Timeline rows={rows} dropped={dropped} onShowAll={showAll} selected={row} linked={linked} onSelect={choose} onShowState={showState} onLink={linkOf} />
      </Panel>
      <Panel of="state" tab={dock.tab}>
        <div className="insp-panel">
          <StateView versions={versions} state={view.state} diverged={view.diverged} version={version} onVersion={setVersion} />
        </div>
      </Panel>
      <Panel of="questions" tab={dock.tab}>
        <div className="insp-panel">
          <Interrupts agent={agent} thread={thread} interrupts={interrupts} waiting={known?.openCalls ?? []} />
        </div>
      </Panel>
      <Panel of="runs" tab={dock.tab}>
        <div className="insp-panel">
          <Runs thread={known} events={events} />
        </div>
      </Panel>
      <Panel of="team" tab={dock.tab}>
        <div className="insp-panel">
          <TeamPanel agent={info} events={events} />
        </div>
      </Panel>
    </section>
  );
}

/** One tab's part. After its first use it keeps its selection, and costs nothing while it is hidden. */
function Panel({ of, tab, children }: { of: Tab; tab: Tab; children: ReactNode }) {
  const [visited, setVisited] = useState(false);
  if (of === tab && !visited) setVisited(true);
  if (of !== tab && !visited) return null;
  return (
    <Activity mode={of === tab ? "visible" : "hidden"}>
      <div className="insp-part" role="tabpanel" id={`insp-${of}`} aria-labelledby={`insp-tab-${of}`}>
        {children}
      </div>
    </Activity>
  );
}
