export { type Checked, checked, type Problem, problemsOf } from "./check.ts";
export { Exact, hasExact, isContainer, marked, mayBeRounded, parse, rounded, sameNumber, stringify, unmarked, unmarkedText } from "./exact.ts";
export { JsonText, read } from "./json.ts";
export { visible } from "./visible.ts";
export { schemaOf } from "./schema.ts";
export { SchemaForm } from "./SchemaForm.tsx";
