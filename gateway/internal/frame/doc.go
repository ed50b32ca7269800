// Package frame reads the frames of a log: what each decodes to, which snapshot a marker stands for, and which snapshots the readers
// of a thread share.
package frame
