//go:build !linux

package chat

import (
	"os"
)

// dropInput does nothing, because there is no way to do it that is the same on all other systems. What the program itself has read ahead is
// forgotten in any case: see [Terminal.Drop].
//
// A person who types an answer before the question is there may then answer it.
func dropInput(_ *os.File) {}
