import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { Problem, Wanted } from "./session";
import { session, signOut, useSession } from "./tab";
import "./session.css";

const titles: Record<Wanted, string> = {
  key: "Sign in",
  again: "Sign in again",
  proxy: "You are signed out",
};

/** Asks for the credentials that the page's requests need, over the page: drafts stay. */
export function SignIn() {
  const { wanted } = useSession();
  if (!wanted) return null;
  return <Sheet title={titles[wanted]}>{wanted === "proxy" ? <Elsewhere /> : <KeyForm again={wanted === "again"} />}</Sheet>;
}

/** A dialog that stays until what it asks for is done. */
function Sheet({ title, children }: { title: string; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const open = () => dialog.current?.open === false && dialog.current.showModal();
  useEffect(() => void open(), []);
  return (
    <dialog
      ref={dialog}
      className="sign-in"
      aria-labelledby={`${id}-title`}
      data-testid="sign-in"
      onCancel={(event) => event.preventDefault()}
      onClose={open} // a browser closes it at the second Escape
    >
      <h2 id={`${id}-title`}>{title}</h2>
      {children}
    </dialog>
  );
}

function KeyForm({ again }: { again: boolean }) {
  const [key, setKey] = useState("");
  const [problem, setProblem] = useState<Problem>();
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => field.current?.focus(), []);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setProblem(undefined); // said anew, also if it is the same
    const found = await session.signIn(key);
    setBusy(false);
    setProblem(found);
    if (found) field.current?.select();
  };
  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <p id={`${id}-what`}>
        {again
          ? "Your key or token is no longer accepted: it was withdrawn, or it has expired. Nothing on this page is lost; it goes on when you have signed in."
          : "This gateway wants to know who you are. Enter the API key or the access token that you were given for it. It is kept in this tab only, until you close it or sign out."}
      </p>
      <label htmlFor={`${id}-key`}>Key or token</label>
      <input
        ref={field}
        id={`${id}-key`}
        className="field"
        type="password"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        enterKeyHint="go"
        value={key}
        onChange={(event) => setKey(event.target.value)}
        aria-describedby={`${id}-what ${id}-problem`}
        aria-invalid={problem !== undefined}
        data-testid="sign-in-key"
      />
      <p className="problem" id={`${id}-problem`} role="alert" data-testid="sign-in-problem" data-code={problem?.code}>
        {problem?.text}
      </p>
      <div className="row">
        <button type="submit" className="button primary" aria-disabled={busy} data-testid="sign-in-go">
          {busy ? "Signing in…" : "Sign in"}
        </button>
        {again && (
          <button type="button" className="button quiet" data-testid="sign-in-leave" onClick={signOut}>
            Sign out instead
          </button>
        )}
      </div>
    </form>
  );
}

/** A proxy has its own sign-in page, which cannot be shown from here. */
function Elsewhere() {
  return (
    <>
      <p>
        Something before this gateway wants you to sign in, and has a page of its own for that. Reload this page to see it. If you have
        written something that you want to keep, sign in there in a second tab, then go on here.
      </p>
      <div className="row">
        <button type="button" className="button primary" autoFocus data-testid="sign-in-reload" onClick={() => location.reload()}>
          Reload the page
        </button>
        <button type="button" className="button" data-testid="sign-in-retry" onClick={() => session.retry()}>
          Go on
        </button>
      </div>
    </>
  );
}
