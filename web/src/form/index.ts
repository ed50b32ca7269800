export { type Checked, checked, type Problem, problemsOf } from "./check";
export { Exact, hasExact, isContainer, marked, mayBeRounded, parse, rounded, sameNumber, stringify, unmarked, unmarkedText } from "./exact";
export { JsonText, read } from "./json";
export { visible } from "./visible";
export { schemaOf } from "./schema";
export { SchemaForm } from "./SchemaForm";
