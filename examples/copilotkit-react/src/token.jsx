// Who the person at the page is, for a gateway that asks: a key of its keys file, or a token of the issuer that it trusts. An application
// has the token from its own sign-in and asks for nothing; this page asks, and keeps it for as long as its tab is open.

const token = sessionStorage.getItem("token");

/** What every request of CopilotKit's is sent with, from the first one on. The object stays the same, as the provider wants it. */
export const headers = token ? { Authorization: `Bearer ${token}` } : undefined;

/** The status with which the gateway refused a request, if an error is such a refusal: CopilotKit has two places for it. */
export const statusOf = (error) => error.status ?? error.runtimeInfoStatus;

/** Asks for a key or token, and loads the page with it. The thread is in the address, so all but the last, refused message is there again. */
export function SignIn() {
  const submit = (event) => {
    event.preventDefault();
    sessionStorage.setItem("token", new FormData(event.currentTarget).get("token").trim());
    location.reload();
  };
  return (
    <form onSubmit={submit}>
      <label>
        Key or token <input name="token" type="password" required autoComplete="off" />
      </label>{" "}
      <button>Sign in</button>
    </form>
  );
}
