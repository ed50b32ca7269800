package groupchat

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/groupchat/failure"
)

// spends is a terminal event's usage of one model.
func spends(model string, tokens int) string {
	return fmt.Sprintf(`"usage":[{"provider":"there","model":%q,"inputTokens":%d}]`, model, tokens)
}

// sums lists the usage, a model a line.
func sums(u *Usage) string {
	var lines []string
	for _, one := range u.Total() {
		lines = append(lines, fmt.Sprintf("%s/%s %d", one.Provider, one.Model, *one.InputTokens))
	}
	return strings.Join(lines, "\n")
}

// What a remote agent says it used is part of what the run used, of each run there: the one that asked, the one that
// was answered, and one that failed and was tried again.
func TestUsageOfARemoteIsTheRuns(t *testing.T) {
	t.Parallel()
	asks := strings.Replace(askedOf(`{"id":"q","reason":"input_required","message":"Which?"}`), `"outcome"`, spends("big", 10)+`,"outcome"`, 1)
	fails := `{"type":"RUN_ERROR","message":"no","code":"no",` + spends("big", 3) + "}\n"
	done := strings.Replace(ends, `"runId":"r"`, `"runId":"r",`+spends("small", 5), 1)
	u := newUpstream(t, begins+fails, begins+asks, begins+done)
	r := newRig(t, legalDesk(remote(t, RemoteOptions{URL: u.URL}), failure.Policy{Retries: 1}))
	first, second := &Usage{}, &Usage{}
	if out := r.run(Session{Usage: first}); out.err != nil {
		t.Fatal(out.err)
	}
	equal(t, "usage of the run that asks", sums(first), "there/big 13")
	answers := r.answers(map[string]string{"Which?": `"a"`})
	if out := r.run(Session{Usage: second, Checkpoint: r.checkpoint, Answers: answers}); out.err != nil {
		t.Fatal(out.err)
	}
	equal(t, "usage of the run that answers", sums(second), "there/small 5")
	kept, _ := EarlierUsage(r.commits[len(r.commits)-1].checkpoint, nil, "1")
	equal(t, "usage in the checkpoint", len(kept), 1)
}

// What a remote agent claims to have used cannot fill a thread: too many models, and names too long, are counted
// without names.
func TestUsageOfARemoteIsBounded(t *testing.T) {
	t.Parallel()
	list := make([]string, 500)
	for i := range list {
		list[i] = fmt.Sprintf(`{"provider":"p","model":"m%d","inputTokens":1}`, i)
	}
	list = append(list, `{"provider":"p","model":"`+strings.Repeat("x", 10_000)+`","inputTokens":1}`)
	u := newUpstream(t, begins+strings.Replace(ends, `"runId":"r"`, `"runId":"r","usage":[`+strings.Join(list, ",")+`]`, 1))
	usage := &Usage{}
	if out := newRig(t, remote(t, RemoteOptions{URL: u.URL})).run(Session{Usage: usage}); out.err != nil {
		t.Fatal(out.err)
	}
	var sum int64
	for _, one := range usage.Total() {
		sum += *one.InputTokens
		if len(one.Model) > 1000 {
			t.Errorf("a name of %d bytes", len(one.Model))
		}
	}
	if n := len(usage.Total()); n > 101 || sum != 501 {
		t.Errorf("%d models with %d tokens in all, want at most 101 and 501", n, sum)
	}
}
