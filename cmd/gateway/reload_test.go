package main

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/agui-gateway/gateway/gateway"
)

func rewrite(t *testing.T, path, data string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

// hangUp tests SIGHUP with a process: the team file is read again, and a live run continues with its team.
func hangUp(t *testing.T, binary string) {
	path := writeFile(t, "team.yaml", slowTeam)
	p := startProcess(t, binary, "-config", path)
	events := p.post(t, "short")
	rewrite(t, path, "version: 1\nagents:\n  fresh: { type: script, steps: [ { say: new } ] }\n")
	p.signal(t, syscall.SIGHUP)
	for status := 0; status != http.StatusOK; { // the signal takes its time
		status, _ = get(t, http.MethodPost, p.url+"/agents/fresh", input("t1"))
	}
	if status, body := get(t, http.MethodPost, p.url+"/agents/long", input("t2")); status != http.StatusNotFound {
		t.Errorf("an agent that is gone = %d, %s", status, body)
	}
	if last := events(); !strings.Contains(last, `"RUN_FINISHED"`) {
		t.Errorf("the run that was under way ended with %s", last)
	}
	p.signal(t, syscall.SIGTERM)
	p.wantExit(t, 0)
	if !strings.Contains(p.log.String(), "team file read again") {
		t.Errorf("the log does not tell:\n%s", &p.log)
	}
}

// TestReload keeps the team when the file has mistakes, or is gone, and logs each of them.
func TestReload(t *testing.T) {
	t.Parallel()
	const good = "version: 1\nagents:\n  one: { type: script, steps: [ { say: x } ] }\n"
	path := writeFile(t, "team.yaml", good)
	c, err := parse(serveCommand(), []string{"-config", path}, environment(nil))
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	s := &teamReloader{c: c, log: slog.New(slog.NewTextHandler(&log, nil))}
	c.options.Log = s.log
	if s.team, err = c.loadTeam(); err != nil {
		t.Fatal(err)
	}
	if s.g, err = gateway.New(gateway.Options{Agents: s.team.Agents, Log: s.log}); err != nil {
		t.Fatal(err)
	}
	first := s.team

	rewrite(t, path, "version: 1\nagents:\n  one: { type: dance }\n  two: { type: script, steps: [ { hum: x } ] }\n")
	s.reload()
	for _, want := range []string{":3:", "dance", ":4:", "hum", "the team stays as it was"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not say %q:\n%s", want, &log)
		}
	}
	if n := strings.Count(log.String(), "has a mistake"); n != 2 || s.team != first {
		t.Errorf("%d mistakes, team replaced: %v", n, s.team != first)
	}
	rewrite(t, path, "version: 1\nagents:\n  one: { type: script, steps: [ { say: \"${SECRET}\" } ] }\n")
	env := c.env
	c.env = func(string) (string, bool) { panic("in the middle of it") }
	s.reload()
	c.env = env
	if !strings.Contains(log.String(), "in the middle of it") || s.team != first {
		t.Errorf("after a panic, team replaced: %v, the log:\n%s", s.team != first, &log)
	}
	log.Reset()

	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	s.reload()
	if n := strings.Count(log.String(), "has a mistake"); n != 1 || s.team != first {
		t.Errorf("without the file: %d mistakes, team replaced: %v", n, s.team != first)
	}
	rewrite(t, path, good)
	s.reload()
	if s.team == first || !strings.Contains(log.String(), "team file read again") {
		t.Errorf("mended, it is not read:\n%s", &log)
	}
	if err := s.g.Close(); err != nil {
		t.Error(err)
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
}

// TestHangUpWithoutATeamFile is what it always is.
func TestHangUpWithoutATeamFile(t *testing.T) {
	t.Parallel()
	told, stop := (&config{}).notifyReload()
	defer stop()
	if told != nil {
		t.Error("there is nothing to read again")
	}
}

// TestReloadDecidesAnewWhoIsServed: an agent that others now name is not found any more, and the log lists the served
// and the other agents.
func TestReloadDecidesAnewWhoIsServed(t *testing.T) {
	t.Parallel()
	const part = "version: 1\nagents:\n  part: { type: script, steps: [ { say: x } ] }\n"
	const desk = "  desk: { type: groupchat, manager: { type: sequential }, participants: [ { name: a, agent: part } ] }\n"
	path := writeFile(t, "team.yaml", part)
	c, err := parse(serveCommand(), []string{"-config", path}, environment(nil))
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	// not the gateway's, which logs the ends of runs
	s := &teamReloader{c: c, log: slog.New(slog.NewTextHandler(&log, nil))}
	c.options.Log = slog.New(slog.DiscardHandler)
	if s.team, err = c.loadTeam(); err != nil {
		t.Fatal(err)
	}
	if s.g, err = gateway.New(gateway.Options{Agents: s.team.Agents, Agent: s.team.Options, Log: c.options.Log}); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		text, told string
		status     int // of a run of part
	}{
		{part, `served=part not_served=""`, http.StatusOK},
		{part + desk, "served=desk not_served=part", http.StatusNotFound},
		{strings.Replace(part, "script,", "script, serve: on,", 1) + desk, `served="desk, part" not_served=""`, http.StatusOK},
		{strings.Replace(part, "script,", "script, serve: off,", 1) + desk, "served=desk not_served=part", http.StatusNotFound},
	} {
		log.Reset()
		rewrite(t, path, step.text)
		s.reload()
		if !strings.Contains(log.String(), step.told) {
			t.Errorf("the log does not say %s:\n%s", step.told, &log)
		}
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/agents/part", strings.NewReader(input("t")))
		request.Header.Set("Content-Type", "application/json")
		answer := httptest.NewRecorder()
		s.g.ServeHTTP(answer, request)
		if answer.Code != step.status {
			t.Errorf("with %s: POST /agents/part = %d, want %d", step.text, answer.Code, step.status)
		}
	}
	if err := s.g.Close(); err != nil {
		t.Error(err)
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
}
