package openaitest

import (
	"io"
	"net/http"
	"slices"
	"sync"
)

// A Server answers each request with the next of its answers, the last one for ever. It is safe for concurrent use.
type Server struct {
	mu      sync.Mutex
	answers []Answer
	asked   []string
}

// Serve returns a server with these answers, at least one.
func Serve(answers ...Answer) *Server { return &Server{answers: answers} }

// ServeHTTP reads the request and sends the next answer.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, "the request cannot be read", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.asked = append(s.asked, string(body))
	next := s.answers[0]
	if len(s.answers) > 1 {
		s.answers = s.answers[1:]
	}
	s.mu.Unlock()
	next.ServeHTTP(w, r)
}

// Requests are the bodies of the requests so far, in the order in which they came.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}
