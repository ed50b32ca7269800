package gateway

// growStack makes the calling goroutine's stack as large as a run needs it, before there is anything on it: a stack grows by being copied,
// each time to twice its size, and a run would have it copied with all that stands on it.
//
//go:noinline
func growStack() byte {
	var room [24 << 10]byte
	return room[touched]
}

// touched is not constant, so that the room is not optimised away.
var touched int
