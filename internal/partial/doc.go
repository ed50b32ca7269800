// Package partial reads JSON while it is being written: the arguments of a call that a model has begun, for example.
// The known part of a value is closed to valid JSON at any time, and reading costs the same per byte however long the
// text is.
package partial
