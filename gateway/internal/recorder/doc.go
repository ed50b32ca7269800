// Package recorder writes the frames of one run to the log of its thread: numbered, in batches, and together with
// commits. It waits for a store that is away, and appends lost frames again.
package recorder
