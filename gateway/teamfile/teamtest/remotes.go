package teamtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/gateway/teamfile"
	"github.com/agui-gateway/gateway/internal/inprocess"
)

// A remote replaces a remote agent: it is an agent of another team file, or one that the conversation describes as team
// files do.
type remote struct {
	at    *teamfile.Value
	name  string
	team  string          // the path of a team file
	agent string          // its agent
	is    json.RawMessage // or an agent
}

func (c *conversation) readRemotes(v *teamfile.Value) {
	keys, values := v.Pairs("remotes")
	c.remotes = map[string]*remote{}
	for i, key := range keys {
		f := values[i].Fields(fmt.Sprintf("remote agent %q", key.Text()), "remote")
		r := &remote{at: key, name: key.Text(), agent: "stand-in"}
		team, agent := f.Take("team"), f.Need("agent", "name an agent of `team:`, or describe one: `agent: { type: "+
			"script, steps: […] }`")
		f.End()
		switch {
		case team != nil && agent.IsMapping():
			agent.Bad("with a team this is the name of one of its agents; remove team, or name one")
		case team != nil:
			r.team, r.agent = c.path(team), agent.Text()
		case agent != nil && !agent.IsMapping():
			agent.Bad("describe an agent, as in a team file, or name the team file that has it: `team: other.yaml`")
		case agent != nil:
			r.is = agent.JSON()
		}
		c.remotes[r.name] = r
	}
}

// serve returns the client of the replacement. Stop ends it.
func (r *remote) serve(o teamfile.Options) (_ *http.Client, stop func(), err error) {
	file, dir := r.team, ""
	if r.is != nil {
		raw, err := json.Marshal(map[string]any{"version": 1, "agents": map[string]json.RawMessage{r.agent: r.is}})
		if err != nil {
			return nil, nil, err
		}
		if dir, err = os.MkdirTemp("", "conversation"); err != nil {
			return nil, nil, err
		}
		defer func() { _ = os.RemoveAll(dir) }() // a failure leaves a small file in the directory for such files
		file = filepath.Join(dir, "agent.yaml")
		if err := os.WriteFile(file, raw, 0o600); err != nil {
			return nil, nil, err
		}
	}
	team, err := teamfile.Load(file, o)
	if err != nil {
		if dir != "" { // the file is gone, and the problems are at places of the description
			return nil, nil, errors.New(strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""))
		}
		return nil, nil, err
	}
	g, err := gateway.New(gateway.Options{Agents: team.Agents, Agent: team.Options, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		_ = team.Close() // it was never used
		return nil, nil, err
	}
	path := "/agents/" + r.agent
	redirected := http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Method == http.MethodPost && !strings.HasPrefix(q.URL.Path, "/threads/") { // any path is the agent's
			q.URL.Path, q.URL.RawPath, q.RequestURI = path, "", path
		}
		q.Host = "127.0.0.1"
		g.ServeHTTP(w, q)
	})
	return inprocess.Client(redirected), func() {
		_ = g.Close()
		_ = team.Close()
	}, nil
}
