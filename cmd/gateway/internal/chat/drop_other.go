//go:build !linux

package chat

import (
	"os"
)

// dropInput does nothing, because other systems have no common way to do it. Input that the program has read ahead is
// discarded in any case: see [Terminal.Drop].
//
// Input typed before a question is shown may therefore answer it.
func dropInput(_ *os.File) {}
