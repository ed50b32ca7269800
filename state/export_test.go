package state

// Feeds is how many threads a store keeps what was written of them for, for readers.
func Feeds(s Store) int {
	of, _ := s.(*store)
	of.mu.Lock()
	defer of.mu.Unlock()
	return len(of.feeds)
}
