package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestWhereThreadsAreKept sets the store everywhere, and takes away the first place again and again.
func TestWhereThreadsAreKept(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		"GATEWAY_STORE": "file:named.db", "REDIS_URL": "redis://platform:6379", "GATEWAY_STORE_DEFAULT": "file:default.db",
	}
	without := func(names ...string) map[string]string {
		rest := map[string]string{}
		for name, value := range env {
			rest[name] = value
		}
		for _, name := range names {
			delete(rest, name)
		}
		return rest
	}
	tests := []struct {
		name        string
		args        []string
		env         map[string]string
		file, redis string
	}{
		{"a flag", []string{"-store", "redis://flag"}, env, "", "redis://flag"},
		{"memory, said in words", []string{"-store", "memory"}, env, "", ""},
		{"the variable", nil, env, "named.db", ""},
		{"the platform's Redis", nil, without("GATEWAY_STORE"), "", "redis://platform:6379"},
		{"the image's default", nil, without("GATEWAY_STORE", "REDIS_URL"), "default.db", ""},
		{"nobody says", nil, nil, "", ""},
		{"an absolute path", []string{"-store", "file:/data/threads.db"}, nil, "/data/threads.db", ""},
		{"a path as in a URL", []string{"-store", "file:///data/threads.db"}, nil, "/data/threads.db", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := parse(serveCommand(), tt.args, environment(tt.env))
			if err != nil || c.file != tt.file || c.redis != tt.redis {
				t.Errorf("parse() has file %q and Redis %q, %v; want %q and %q", c.file, c.redis, err, tt.file, tt.redis)
			}
		})
	}
}

// TestFileStore serves threads in a file with the real binary. Its run cannot end with the first team, and does with
// the second.
func TestFileStore(t *testing.T) {
	t.Parallel()
	binary := builtGateway(t)
	endless := writeFile(t, "endless.yaml", strings.Replace(slowTeam, "400ms", "1h", 1))
	team := writeFile(t, "team.yaml", slowTeam)
	// saysTwo waits for the end of the run.
	saysTwo := func(t *testing.T, p *process) {
		t.Helper()
		eventually(t, "the run comes to its end", func() bool {
			_, body := get(t, http.MethodGet, p.url+"/threads/t?agent=short", "")
			return strings.Contains(body, `"two"`)
		})
	}

	t.Run("a run goes on after kill -9", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "new", "threads.db")
		p := startProcess(t, binary, "-config", endless, "-store", "file:"+file)
		events := p.post(t, "short")
		p.signal(t, syscall.SIGKILL)
		events()
		p.wantExit(t, -1)
		p = startProcess(t, binary, "-config", team, "-store", "file:"+file)
		saysTwo(t, p)
		p.signal(t, syscall.SIGTERM)
		p.wantExit(t, 0)
		if log := p.log.String(); !strings.Contains(log, "run: taken over") || !strings.Contains(log, file) {
			t.Errorf("the log does not say that a run was taken over, or where threads are:\n%s", log)
		}
	})
	t.Run("a run that is not over after -drain goes on with the next process", func(t *testing.T) {
		t.Parallel()
		store := "file:" + filepath.Join(t.TempDir(), "threads.db")
		p := startProcess(t, binary, "-config", endless, "-store", store, "-drain", "10ms")
		events := p.post(t, "short")
		p.signal(t, syscall.SIGTERM)
		events()
		p.wantExit(t, 0)
		p = startProcess(t, binary, "-config", team, "-store", store)
		saysTwo(t, p)
		p.signal(t, syscall.SIGTERM)
		p.wantExit(t, 0)
	})
	t.Run("a file that cannot be used stops the start with one line", func(t *testing.T) {
		t.Parallel()
		damaged := filepath.Join(t.TempDir(), "threads.db")
		p := startProcess(t, binary, "-store", "file:"+damaged)
		refused(t, binary, damaged, "is in use by another process")
		p.signal(t, syscall.SIGTERM)
		p.wantExit(t, 0)
		if err := os.Truncate(damaged, 12288); err != nil {
			t.Fatal(err)
		}
		refused(t, binary, damaged, "is damaged")
		refused(t, binary, writeFile(t, "notes.txt", "to do\n"), "is not a store of this gateway")
	})
}

// refused holds the binary to not starting on a file, and to one line that says why.
func refused(t *testing.T, binary, file, why string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), binary, "-addr", "127.0.0.1:0", "-store", "file:"+file).CombinedOutput()
	want := "gateway: -store (GATEWAY_STORE): filestore: " + file + " " + why
	if err == nil || !strings.HasPrefix(string(out), want) || strings.Count(string(out), "\n") != 1 {
		t.Errorf("the gateway says %s, %v; want one line: %s", out, err, want)
	}
}
