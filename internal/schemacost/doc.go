// Package schemacost bounds what a JSON Schema costs whoever holds values against it. Schemas come from other people's
// servers: remote agents ask questions with them, MCP servers describe tools. A validator does what they say, and a few
// lines can say that it shall go round for ever, which ends the process, or take 2 to the 30th steps.
//
// [New] refuses a schema that is large, refers to anything but a place in itself, or has patterns that are large
// machines. [Cost.Check] refuses a value that would take too many steps: it walks schema and value as a validator does,
// but every branch of every alternative, so that no validator has more to do than was counted, in whichever order it
// goes.
package schemacost
