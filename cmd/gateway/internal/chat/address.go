package chat

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// A Place is the location of an agent: a URL and a client for it.
type Place struct {
	URL    string
	Header http.Header
	HTTP   *http.Client
}

// errAddress is an invalid URL. It is not quoted, because it may contain a secret.
var errAddress = errors.New("-url (GATEWAY_URL): not a URL; write such as http://127.0.0.1:8080/agents/NAME")

// Agent returns the place's URL, or that of a gateway's agent: the named one, or the only one.
func (p Place) Agent(ctx context.Context, name string) (string, error) {
	u, err := url.Parse(p.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", errAddress
	}
	root := strings.Trim(u.Path, "/") == ""
	if name == "" && !root {
		return p.URL, nil
	}
	if name != "" && strings.Contains(u.Path, "/agents/") {
		return "", &Problem{Text: "The URL names an agent already.",
			Hint: "Leave out -agent, or shorten the URL to the gateway's address."}
	}
	if name == "" {
		names := p.Agents(ctx)
		if len(names) == 0 {
			return p.URL, nil // not a gateway, or unavailable: the run will show
		}
		if len(names) > 1 {
			return "", &Problem{Text: "The gateway has several agents: " + line(strings.Join(names, ", "), 400) + ".",
				Hint: "Name one with -agent NAME."}
		}
		name = names[0]
	}
	return u.JoinPath("agents", url.PathEscape(name)).String(), nil
}

// Agents are the names of the agents at the gateway of the URL; none if it is none, or is away.
func (p Place) Agents(ctx context.Context) []string {
	var names []string
	for _, a := range p.agents(ctx) {
		names = append(names, a.ID)
	}
	slices.Sort(names)
	return names
}

// Reads reports whether the named agent reads messages as answers, according to the gateway at the URL.
func (p Place) Reads(ctx context.Context, name string) bool {
	return slices.ContainsFunc(p.agents(ctx), func(a agent) bool { return a.ID == name && a.TypedAnswers })
}

type agent struct {
	ID           string `json:"id"`
	TypedAnswers bool   `json:"typedAnswers"`
}

// agents are those at the gateway of the URL.
func (p Place) agents(ctx context.Context) []agent {
	u, err := url.Parse(p.URL)
	if err != nil {
		return nil
	}
	before, _, _ := strings.Cut(u.EscapedPath(), "/agents/")
	u.Path, u.RawPath, u.RawQuery, u.Fragment = "", "", "", ""
	u = u.JoinPath(before, "agents")
	const patience, enough = 5 * time.Second, 1 << 20
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil
	}
	r.Header = p.Header.Clone()
	answer, err := p.HTTP.Do(r)
	if err != nil {
		return nil
	}
	defer func() { _ = answer.Body.Close() }() // read as far as needed
	var reply struct {
		Agents []agent `json:"agents"`
	}
	if answer.StatusCode != http.StatusOK ||
		json.NewDecoder(io.LimitReader(answer.Body, enough)).Decode(&reply) != nil {
		return nil
	}
	return reply.Agents
}

// Quote is text as one word of a shell's command.
func Quote(text string) string {
	plain := func(r rune) bool {
		return r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("-_./:=@,+%", r))
	}
	if text != "" && !strings.ContainsFunc(text, func(r rune) bool { return !plain(r) }) {
		return text
	}
	return "'" + strings.ReplaceAll(Clean(text), "'", `'\''`) + "'"
}
