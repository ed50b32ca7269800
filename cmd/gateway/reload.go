package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/gateway/teamfile"
)

// hangUps delivers SIGHUP, which reads the team file again. Without a team file there is nothing to read, and the signal
// does what it always does. Stop is to be called in the end.
func (c *config) hangUps() (told <-chan os.Signal, stop func()) {
	if c.team == "" {
		return nil, func() {}
	}
	signals := make(chan os.Signal, 1) // one more while it is read is enough
	signal.Notify(signals, syscall.SIGHUP)
	return signals, func() { signal.Stop(signals) }
}

// A staff is the team that is served, and those before it of which some still work.
type staff struct {
	c    *config
	g    *gateway.Gateway
	log  *slog.Logger
	team *teamfile.Team

	leaving sync.WaitGroup
	mu      sync.Mutex
	errs    []error
}

// reload reads the team file again. With mistakes in it the team stays as it is, and the log has them all; a panic is one.
func (s *staff) reload() {
	defer func() {
		if v := recover(); v != nil {
			s.refuse(fmt.Errorf("panic: %v\n%s", v, debug.Stack()))
		}
	}()
	team, err := s.c.readTeam()
	if err != nil {
		s.refuse(err)
		return
	}
	left, err := s.g.Replace(team.Agents, team.Options)
	if err != nil {
		s.refuse(errors.Join(err, team.Close()))
		return
	}
	last := s.team
	s.team = team
	s.leaving.Go(func() {
		<-left
		if err := last.Close(); err != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.errs = append(s.errs, err)
		}
	})
	s.log.Info("team file read again", "file", s.c.team)
	announceAgents(s.log, team)
}

// refuse logs every mistake.
func (s *staff) refuse(err error) {
	if bad, ok := errors.AsType[*teamfile.Error](err); ok {
		for _, p := range bad.Problems {
			s.log.Error("team file needs mending", "problem", p.String())
		}
	} else {
		s.log.Error("team file needs mending", "problem", err)
	}
	s.log.Error("the team stays as it was", "file", s.c.team)
}

// close ends what the teams have started. The gateway has been closed.
func (s *staff) close() error {
	s.leaving.Wait()
	return errors.Join(append(s.errs, s.team.Close())...)
}
