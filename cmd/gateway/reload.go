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

// notifyReload delivers SIGHUP if there is a team file to reload. The caller has to call stop.
func (c *config) notifyReload() (reloads <-chan os.Signal, stop func()) {
	if c.team == "" {
		return nil, func() {}
	}
	signals := make(chan os.Signal, 1) // signals that arrive while the file is read need only one more reading
	signal.Notify(signals, syscall.SIGHUP)
	return signals, func() { signal.Stop(signals) }
}

// A teamReloader has the team that is served, and closes those before it when their last run has ended.
type teamReloader struct {
	c    *config
	g    *gateway.Gateway
	log  *slog.Logger
	team *teamfile.Team

	closing sync.WaitGroup
	mu      sync.Mutex
	errs    []error
}

// reload reads the team file again. On mistakes, or a panic, the team stays unchanged and every mistake is logged.
func (s *teamReloader) reload() {
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
	unused, err := s.g.Replace(team.Agents, team.Options)
	if err != nil {
		s.refuse(errors.Join(err, team.Close()))
		return
	}
	previous := s.team
	s.team = team
	s.closing.Go(func() {
		<-unused
		if err := previous.Close(); err != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.errs = append(s.errs, err)
		}
	})
	s.log.Info("team file read again", "file", s.c.team)
	announceAgents(s.log, team)
}

func (s *teamReloader) refuse(err error) {
	if bad, ok := errors.AsType[*teamfile.Error](err); ok {
		for _, p := range bad.Problems {
			s.log.Error("team file has a mistake", "problem", p.String())
		}
	} else {
		s.log.Error("team file has a mistake", "problem", err)
	}
	s.log.Error("the team stays as it was", "file", s.c.team)
}

// close closes all teams, after the gateway has been closed.
func (s *teamReloader) close() error {
	s.closing.Wait()
	return errors.Join(append(s.errs, s.team.Close())...)
}
