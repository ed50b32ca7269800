import { lazy, Suspense } from "react";
import type { Place } from "../place";
import { ErrorBoundary } from "../shell/ErrorBoundary";
import { IconShield } from "../shell/icons";
import { openApprovals, useApprovalsOpen } from "./open";

const Approvals = lazy(() => import("./Approvals"));

/** Opens the list of remembered approvals. */
export function OpenApprovals({ testid }: { testid: string }) {
  const open = (button: HTMLElement) => {
    button.closest<HTMLElement>("[popover]")?.hidePopover(); // the focus comes back to what opened that
    openApprovals();
  };
  return (
    <button type="button" className="button" aria-haspopup="dialog" data-testid={testid} onClick={(event) => open(event.currentTarget)}>
      <IconShield /> Remembered approvals
    </button>
  );
}

/** The list of remembered approvals, while it is open. */
export function ApprovalsWhereOpen({ place }: { place: Place | undefined }) {
  const open = useApprovalsOpen();
  if (!open) return null;
  return (
    <ErrorBoundary what="list of approvals">
      <Suspense>
        <Approvals place={place} />
      </Suspense>
    </ErrorBoundary>
  );
}
