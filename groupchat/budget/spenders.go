package budget

import (
	"container/list"
	"sync"
	"time"
)

// maxPrincipals is of how many principals it is known what they have used. The one whose window began first is forgotten for another one.
const maxPrincipals = 65_536

// A spender is what a principal has used in a window.
type spender struct {
	principal string
	until     time.Time
	used      int64
}

// spenders knows what principals have used, each in a window that begins with the first tokens.
type spenders struct {
	window time.Duration
	most   int

	mu    sync.Mutex
	by    map[string]*list.Element // of *spender
	order list.List                // by the ends of their windows
}

func newSpenders(window time.Duration, most int) *spenders {
	return &spenders{window: window, most: most, by: map[string]*list.Element{}}
}

// spent is what a principal has used in its window.
func (s *spenders) spent(principal string, now time.Time) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(now)
	if e := s.by[principal]; e != nil {
		return e.Value.(*spender).used
	}
	return 0
}

// spend counts what a principal has used.
func (s *spenders) spend(principal string, more int64, now time.Time) {
	if more <= 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(now)
	e := s.by[principal]
	if e == nil {
		if len(s.by) >= s.most {
			s.drop(s.order.Front())
		}
		e = s.order.PushBack(&spender{principal: principal, until: now.Add(s.window)})
		s.by[principal] = e
	}
	if p := e.Value.(*spender); p.used+more >= p.used { // no sum that is too large to be one
		p.used += more
	}
}

// forget drops those whose windows are over.
func (s *spenders) forget(now time.Time) {
	for e := s.order.Front(); e != nil && !e.Value.(*spender).until.After(now); e = s.order.Front() {
		s.drop(e)
	}
}

func (s *spenders) drop(e *list.Element) {
	delete(s.by, e.Value.(*spender).principal)
	s.order.Remove(e)
}
