// How soon something is tried again that failed although the gateway is there.

const PAUSES_MS = [0, 500, 1000, 2000, 4000, 8000];
const FORGOTTEN_MS = 20_000;

/** Gives the pauses of a row of failures: none for the first, longer ones for those that follow it soon. */
export class Calm {
  private row = 0;
  private last = -Infinity;

  /** How long to wait from now on, in milliseconds. */
  next(now: number): number {
    this.row = now - this.last < FORGOTTEN_MS ? this.row + 1 : 0;
    this.last = now;
    return PAUSES_MS[Math.min(this.row, PAUSES_MS.length - 1)]!;
  }
}
