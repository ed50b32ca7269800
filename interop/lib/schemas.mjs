// The validators of the protocol itself, from @ag-ui/core.

import * as schemas from "@ag-ui/core/schemas";

/** The wire names of all events the protocol has. */
export const eventTypes = Object.values(schemas.EventTypeSchema.enum);

/**
 * Problems of one value under one schema, as texts; none means valid.
 *
 * The published objects are loose so that middleware can see what it does not know.
 * A server must not send such material, so every object is made strict first.
 */
export function problems(schemaName, value) {
  const schema = schemas[schemaName];
  if (schema === undefined) throw new Error(`@ag-ui/core has no ${schemaName}`);
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    return parsed.error.issues.map((issue) => `/${issue.path.join("/")}: ${issue.message}`);
  }
  return unknownMembers(schema, value, "");
}

/** What the schema makes of a value; throws if it is not valid. */
export const parse = (schemaName, value) => schemas[schemaName].parse(value);

/** Problems of an event. */
export const eventProblems = (event) => problems("EventSchema", event);

// RFC 6902 tells readers to ignore members an operation does not define, so the schema
// marks its operations as open.
const isOpen = (schema) => schema.meta?.()?.specOpen === true;

// Wrappers that do not change the shape of what they wrap.
function inner(schema) {
  let s = schema;
  for (;;) {
    const { type, innerType, in: input, getter } = s.def;
    if (type === "lazy") s = getter();
    else if (type === "pipe") s = input;
    else if (innerType !== undefined) s = innerType;
    else return s;
  }
}

function unknownMembers(schema, value, path) {
  const s = inner(schema);
  switch (s.def.type) {
    case "object": {
      const shape = s.def.shape;
      return Object.keys(value).flatMap((key) => {
        if (Object.hasOwn(shape, key)) return unknownMembers(shape[key], value[key], `${path}/${key}`);
        return isOpen(s) ? [] : [`${path}/${key}: unknown member`];
      });
    }
    case "array":
      return value.flatMap((item, i) => unknownMembers(s.def.element, item, `${path}/${i}`));
    case "record":
      return Object.keys(value).flatMap((key) => unknownMembers(s.def.valueType, value[key], `${path}/${key}`));
    case "union": {
      // A value can satisfy several members only because they are loose: the right one
      // is the one that knows all of it.
      const found = s.options
        .filter((option) => option.safeParse(value).success)
        .map((option) => unknownMembers(option, value, path));
      return found.find((list) => list.length === 0) ?? found[0] ?? [];
    }
    default:
      return []; // a leaf, or a place where the protocol takes any JSON
  }
}
