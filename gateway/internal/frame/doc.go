// Package frame reads the frames of a log: it decodes events, and resolves markers to shared snapshots.
package frame
