// The gateway's clock, which decides when a question expires. The clock of this machine may be wrong by hours.

let ahead = 0; // milliseconds by which the gateway's clock is ahead of this machine's

/** Sets the clock by an answer of the gateway. */
export function learnTime(response: Response) {
  const time = Date.parse(response.headers.get("Date") ?? "");
  if (!Number.isNaN(time)) ahead = time - Date.now();
}

/** The gateway's time in Unix milliseconds, accurate to a second or so. */
export const gatewayNow = (): number => Date.now() + ahead;
