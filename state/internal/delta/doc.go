// Package delta encodes events of logs in a tenth of their bytes. Events of one type differ little, most of all the
// pieces of a text, so each is written as its difference from the one before of its type. A [Pack] has the frames
// of a part of a log, as the stores in memory and in Redis keep them after the end of a run.
package delta
