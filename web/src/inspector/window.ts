// Which rows of a long list are to be seen. Rows have one height, but for those that are open.

export interface Span {
  /** Of the rows to render: from, up to but without, to. */
  from: number;
  to: number;
  /** The space that stands for the rows before and behind, in pixels. */
  above: number;
  below: number;
}

/** Where each row begins; one more than there are rows, for the end. */
export function offsets(count: number, height: number, open: ReadonlyMap<number, number>): Float64Array {
  const at = new Float64Array(count + 1);
  for (let i = 0; i < count; i++) at[i + 1] = (at[i] ?? 0) + (open.get(i) ?? height);
  return at;
}

/** The rows between top and bottom, and some more on both sides. */
export function span(at: Float64Array, top: number, bottom: number, more = 10): Span {
  const count = at.length - 1;
  const from = Math.max(0, before(at, top) - more);
  const to = Math.min(count, before(at, bottom) + 1 + more);
  const [start, end, all] = [at[from] ?? 0, at[to] ?? 0, at[count] ?? 0];
  return { from, to, above: start, below: all - end };
}

// The last row that begins at or before y.
function before(at: Float64Array, y: number): number {
  let [low, high] = [0, Math.max(0, at.length - 2)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((at[middle] ?? 0) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}
