package main

import (
	"fmt"
	"sync"
	"time"
)

// stats counts what the readers of a scenario saw, and keeps the problems.
type stats struct {
	mu       sync.Mutex
	streams  int            // that were opened
	cut      int            // of them, that broke off without an end
	goneOn   int            // continued exactly with the cursor
	restated int            // began anew with a prelude
	resumes  int            // answers that were sent, repetitions included
	errors   map[string]int // RUN_ERROR and HTTP errors by code
	hung     int
	invalid  int
	silence  time.Duration // the longest
	problems []string
}

func (s *stats) do(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// problem records a problem; the first twenty are enough.
func (s *stats) problem(format string, args ...any) {
	s.do(func() {
		if len(s.problems) < 20 {
			s.problems = append(s.problems, fmt.Sprintf(format, args...))
		}
	})
}

func (s *stats) failure(code string) {
	s.do(func() {
		if s.errors == nil {
			s.errors = map[string]int{}
		}
		s.errors[code]++
	})
}

// figures are the readers' as lines of a report.
func (s *stats) figures() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return []string{
		fmt.Sprintf("streams %d, cut %d, gone on with the cursor %d, begun anew %d, resumes sent %d",
			s.streams, s.cut, s.goneOn, s.restated, s.resumes),
		fmt.Sprintf("hung streams %d, invalid streams %d, longest silence of a reader %d ms, errors by code %v",
			s.hung, s.invalid, s.silence.Milliseconds(), s.errors),
	}
}
