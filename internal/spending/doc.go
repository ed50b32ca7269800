// Package spending counts what owners have spent, each within a window of time that begins with the first that it
// spends. A table has a limit, and forgets the owner that has spent least: an owner that has spent too much cannot be
// washed out by others.
package spending
