import { expect, test } from "vitest";
import { read } from "./json.ts";

test("JSON is read", () => expect(read(' {"a": [1, -2.5e3, true, null, "x\\n"], "b": {}} ')).toEqual({ value: { a: [1, -2500, true, null, "x\n"], b: {} } }));

test.each([
  ["", 1],
  ["x", 1],
  ["{", 2],
  ["[1 2]", 4],
  ["[1,]", 4],
  ["[1}", 3],
  ['{"a" 1}', 6],
  ['{"a": }', 7],
  ['{"a": 1,}', 9],
  ["{a: 1}", 2],
  ["[01]", 2],
  ["[truely]", 2],
  ['["open]', 2],
  ["1 2", 3],
  ["[]]", 3],
])("the first mistake of %j is at column %i", (text, column) => expect(read(text)).toEqual({ problem: `This is not JSON yet: look at line 1, column ${column}.` }));
