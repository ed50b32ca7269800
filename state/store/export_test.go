package store

import "github.com/agui-gateway/gateway/state"

// Feeds returns the number of threads with kept frames for readers.
func Feeds(s state.Store) int {
	of, _ := s.(*store)
	of.mu.Lock()
	defer of.mu.Unlock()
	return len(of.feeds)
}
