import { useId } from "react";
import { OpenApprovals } from "../approvals/OpenApprovals";
import { IconPerson } from "../shell/icons";
import { signOut, useSession } from "./tab";

const by: Record<string, string> = {
  keys: "by API key",
  jwt: "by access token",
  header: "by the proxy before this gateway",
};

/** Who one is to the gateway, if it asks that of anybody, and the way out. */
export function Person() {
  const { me, signedIn } = useSession();
  const id = useId();
  if (!me || me.auth === "none") return null;
  const { principal, auth } = me;
  return (
    <>
      <button type="button" className="icon-button" popoverTarget={id} aria-label={`Signed in as ${principal.id}`} title={principal.id} data-testid="person" data-principal={principal.id}>
        <IconPerson />
      </button>
      <div className="person" id={id} popover="auto" role="group" aria-label="Who you are" data-testid="person-card">
        <p className="person-id">{principal.id}</p>
        <p className="muted">Signed in {by[auth] ?? ""}</p>
        {principal.roles.length > 0 && <p className="muted">Roles: {principal.roles.join(", ")}</p>}
        <OpenApprovals testid="person-approvals" />
        {signedIn && (
          <button type="button" className="button" data-testid="sign-out" onClick={signOut}>
            Sign out
          </button>
        )}
      </div>
    </>
  );
}
