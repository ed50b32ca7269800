// Values that tests make at random. No part of the package.

/** Numbers that are random, and the same again for the same seed (mulberry32). */
export function random(seed: number) {
  let s = seed;
  const next = () => {
    s = (s + 0x6d2b79f5) | 0;
    let t = Math.imul(s ^ (s >>> 15), 1 | s);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (n: number) => Math.floor(next() * n);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const chance = (p: number) => next() < p;
  const word = () => Array.from({ length: below(8) }, () => pick(["a", "ü", "€", "😀", ":", "{", " b", "~", "/"])).join("");
  return { next, below, pick, chance, word };
}
