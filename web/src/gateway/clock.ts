// The gateway's clock, which decides when a question's time is over: this machine's own may be wrong by hours.

let ahead = 0; // of this machine's clock, in milliseconds

/** Learns the time from an answer of the gateway. */
export function learnTime(response: Response) {
  const time = Date.parse(response.headers.get("Date") ?? "");
  if (!Number.isNaN(time)) ahead = time - Date.now();
}

/** The time as the gateway has it, in Unix milliseconds, right to a second or so. */
export const gatewayNow = (): number => Date.now() + ahead;
