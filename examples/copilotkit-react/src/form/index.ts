export { type Checked, checked, type Problem, problemsOf } from "./check";
export { JsonText, read } from "./json";
export { schemaOf } from "./schema";
export { SchemaForm } from "./SchemaForm";
