// How much of the window the inspector takes, in percent. It is kept for the next visit, beside and below the conversation
// each for itself.

export const [LEAST, GREATEST] = [20, 80];

export type Side = "beside" | "below";

const usual: Record<Side, number> = { beside: 48, below: 60 };

/** A share within the bounds, in whole percent. */
export const bounded = (share: number): number => Math.round(Math.min(GREATEST, Math.max(LEAST, share)));

/** The share after a key, or nothing if the key means nothing: arrows move the edge by a step, Home and End to the bounds. */
export function moved(share: number, key: string, side: Side): number | undefined {
  const [grow, shrink] = side === "beside" ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
  if (key === grow) return bounded(share + 4);
  if (key === shrink) return bounded(share - 4);
  if (key === "Home") return LEAST;
  if (key === "End") return GREATEST;
  if (key === "Enter") return usual[side];
  return undefined;
}

/** The share when the pointer is at a place of the frame: the inspector ends at its right, or at its bottom. */
export function shareAt({ x, y }: { x: number; y: number }, frame: Pick<DOMRect, "left" | "top" | "width" | "height">, side: Side): number {
  const part = side === "beside" ? (x - frame.left) / frame.width : (y - frame.top) / frame.height;
  return bounded(100 * (1 - part));
}

const key = (side: Side) => `inspector ${side}`;

export function keptShare(side: Side): number {
  try {
    const kept = Number(localStorage.getItem(key(side)));
    return kept >= LEAST && kept <= GREATEST ? kept : usual[side];
  } catch {
    return usual[side]; // storage is forbidden
  }
}

export function keepShare(side: Side, share: number) {
  try {
    localStorage.setItem(key(side), String(share));
  } catch {
    // It is forgotten with the page.
  }
}
