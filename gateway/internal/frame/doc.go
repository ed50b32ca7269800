// Package frame reads the frames of a log: it decodes events, and resolves markers to snapshots, shared by a thread's
// readers.
package frame
