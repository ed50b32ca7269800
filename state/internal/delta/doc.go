// Package delta writes events of logs in a tenth of their bytes. Events of one type differ by little, the pieces of a text most of all, so that
// each is written as what it has that the one before it of its type has not in the same place.
package delta
