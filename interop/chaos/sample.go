package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// calmWithin is how long it may take until nothing is open any more.
const calmWithin = time.Minute

// calm waits until no run and no reader is open and every thread has expired.
func (t *town) calm(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, calmWithin)
	defer cancel()
	for {
		why := errors.New("nothing was asked")
		for _, s := range t.sites() {
			if why = s.calm(ctx); why != nil {
				why = fmt.Errorf("%s does not come to rest: %w", s.name, why)
				break
			}
		}
		if why == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return why
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// calm returns an error about open runs, readers or kept data.
func (s *site) calm(ctx context.Context) error {
	for _, server := range s.servers {
		m, err := server.metrics(ctx)
		if err != nil {
			return err
		}
		if m["gateway_open_runs"]+m["gateway_open_readers"] > 0 {
			return fmt.Errorf("%s has %.0f runs and %.0f readers", server.name, m["gateway_open_runs"],
				m["gateway_open_readers"])
		}
	}
	for _, client := range s.principals {
		if err := s.empty(ctx, client); err != nil {
			return err
		}
	}
	return nil
}

// empty says which threads a principal still has.
func (s *site) empty(ctx context.Context, client *http.Client) error {
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.any()+"/threads?limit=100", nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // decoded
	var list struct{ Threads []struct{ ID, Status string } }
	if err := json.NewDecoder(response.Body).Decode(&list); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK || len(list.Threads) > 0 {
		return fmt.Errorf("%s, %d threads: %.200v", response.Status, len(list.Threads), list.Threads)
	}
	return nil
}

// sample measures everything. It is called when nothing is going on.
func (t *town) sample(ctx context.Context, to *trend) error {
	for _, site := range t.sites() {
		for _, s := range site.servers {
			if err := s.sample(ctx, to); err != nil {
				return err
			}
		}
	}
	return t.redis.sample(ctx, to)
}

// sampleFile measures the file. It is level when the data of a minute is.
func (t *town) sampleFile(to *trend) error {
	info, err := os.Stat(t.store())
	if err == nil {
		to.add("file", "size", float64(info.Size()))
	}
	return err
}

// sample measures a server.
func (s *server) sample(ctx context.Context, to *trend) error {
	http.DefaultClient.CloseIdleConnections()
	m, err := s.measureWhenSettled(ctx)
	if err != nil {
		return err
	}
	heap, err := s.heap(ctx)
	if err != nil {
		return err
	}
	if s.young {
		to.add(s.name, "young heap", heap)
	} else {
		to.add(s.name, "heap", heap)
	}
	to.add(s.name, "goroutines", m["go_goroutines"])
	to.add(s.name, "file descriptors", m["process_open_fds"])
	to.add(s.name, "resident memory", m["process_resident_memory_bytes"])
	return nil
}

// measureWhenSettled returns the metrics when connections that were closed are: when as many goroutines run as at most
// half a second ago.
func (s *server) measureWhenSettled(ctx context.Context) (map[string]float64, error) {
	const tries = 20
	var before float64
	for i := 0; ; i++ {
		m, err := s.metrics(ctx)
		if err != nil || i == tries || m["go_goroutines"] == before {
			return m, err
		}
		before = m["go_goroutines"]
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(250 * time.Millisecond):
		}
	}
}

// leftScript counts the keys that deletions have left, and their bytes: a mark of an hour for each thread, and its log
// of a minute. Threads with ids from the servers, which are forks and notices for the webhook, leave them; the others
// are made again.
const leftScript = `local n, bytes = 0, 0
for _, thread in ipairs(redis.call('KEYS', 'agui:*:thread')) do
  if redis.call('HEXISTS', thread, 'tag') == 0 then
    for _, key in ipairs({ thread, (thread:gsub('thread$', 'ev')) }) do
      local size = redis.call('MEMORY', 'USAGE', key)
      if size then n, bytes = n + 1, bytes + size end
    end
  end
end
return { n, bytes }`

// sample measures what Redis holds, but for what deletions have left.
func (d *database) sample(ctx context.Context, to *trend) error {
	reply, err := d.ask(ctx, "EVAL", leftScript, "0")
	if err != nil {
		return err
	}
	left, _ := reply.([]any)
	if len(left) != 2 {
		return fmt.Errorf("redis counts %v", reply)
	}
	count, _ := left[0].(int64)
	bytes, _ := left[1].(int64)
	size, err := d.ask(ctx, "DBSIZE")
	if err != nil {
		return err
	}
	keys, _ := size.(int64)
	info, err := d.ask(ctx, "INFO")
	if err != nil {
		return err
	}
	text, _ := info.(string)
	of := func(name string) float64 {
		_, value, _ := strings.Cut(text, "\n"+name+":")
		value, _, _ = strings.Cut(value, "\r")
		v, parseErr := strconv.ParseFloat(value, 64)
		err = errors.Join(err, parseErr)
		return v
	}
	to.add("redis-server", "keys", float64(keys-count))
	to.add("redis-server", "bytes", of("used_memory")-float64(bytes))
	to.add("redis-server", "connections", of("connected_clients"))
	return err
}
