package doctor

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// only returns the one finding of a check.
func only(t *testing.T, c Check) Finding {
	t.Helper()
	found := c.Run(t.Context())
	if len(found) != 1 || rank(found[0].Name) < 0 {
		t.Fatalf("the check found %+v, want one answer to a question", found)
	}
	return found[0]
}

// TestDisk sets the free space.
func TestDisk(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		free uint64
		err  error
		want Verdict
	}{
		{100 << 30, nil, OK}, {500 << 20, nil, Warning}, {1 << 20, nil, Wrong}, {0, nil, Wrong}, {0, errors.New("no such mount"), Unchecked},
	} {
		d := Disk{What: "threads", Dir: t.TempDir() + "/not/there/yet", Free: func(dir string) (uint64, uint64, error) {
			if strings.Contains(dir, "not") {
				t.Errorf("asked for %s, which is not there", dir)
			}
			return tt.free, 200 << 30, tt.err
		}}
		if f := only(t, d.Check()); f.Verdict != tt.want || (f.Mend == "") == (f.Verdict == Warning || f.Verdict == Wrong) {
			t.Errorf("with %d bytes, %v: %+v, want %s", tt.free, tt.err, f, tt.want)
		}
	}
	if f := only(t, Disk{What: "threads", Dir: t.TempDir()}.Check()); f.Verdict == Unchecked {
		t.Errorf("the system itself tells nothing: %+v", f)
	}
}

// TestMemoryLimit reads what a system says of the memory that there is.
func TestMemoryLimit(t *testing.T) {
	t.Parallel()
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	machine := file("MemFree: 1 kB\nMemTotal:       16000000 kB\n")
	for name, tt := range map[string]struct {
		system fs.FS
		want   Verdict
		says   string
	}{
		"a machine":                    {fstest.MapFS{"proc/meminfo": machine}, OK, "all that the machine has"},
		"a container":                  {fstest.MapFS{"proc/meminfo": machine, "sys/fs/cgroup/memory.max": file("536870912\n")}, Warning, "512 MiB (the limit of its container)"},
		"a container without a limit":  {fstest.MapFS{"proc/meminfo": machine, "sys/fs/cgroup/memory.max": file("max\n")}, OK, "all that the machine has"},
		"an older kernel":              {fstest.MapFS{"proc/meminfo": machine, "sys/fs/cgroup/memory/memory.limit_in_bytes": file("536870912")}, Warning, "512 MiB"},
		"an older one without a limit": {fstest.MapFS{"proc/meminfo": machine, "sys/fs/cgroup/memory/memory.limit_in_bytes": file("9223372036854771712")}, OK, ""},
		"another system":               {fstest.MapFS{}, Unchecked, ""},
	} {
		f := only(t, MemoryLimit([]Share{{"-max-bodies", 300 << 20}, {"-max-answers", 300 << 20}}, tt.system))
		if f.Verdict != tt.want || !strings.Contains(f.Says, tt.says) {
			t.Errorf("%s: %+v, want %s and %q", name, f, tt.want, tt.says)
		}
	}
}

// TestDescriptors sets the limit of open files.
func TestDescriptors(t *testing.T) {
	t.Parallel()
	for most, want := range map[uint64]Verdict{1024: Warning, 20_000: Warning, 65_536: OK} {
		if f := only(t, Descriptors(20_000, func() (uint64, error) { return most, nil })); f.Verdict != want {
			t.Errorf("with %d: %+v, want %s", most, f, want)
		}
	}
	if f := only(t, Descriptors(1, func() (uint64, error) { return 0, errNoSpace })); f.Verdict != Unchecked {
		t.Errorf("of a system that does not tell: %+v", f)
	}
}

// TestSkewed judges clocks: a few seconds are nothing, more are a nuisance, and half a lease is too much.
func TestSkewed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		ahead, roundTrip, lease time.Duration
		want                    Verdict
	}{
		{time.Second, time.Millisecond, 10 * time.Second, OK},
		{-4 * time.Second, time.Millisecond, 10 * time.Second, OK},
		{6 * time.Second, 2 * time.Second, 10 * time.Second, OK},
		{-6 * time.Second, time.Millisecond, time.Minute, Warning},
		{31 * time.Second, time.Millisecond, time.Minute, Wrong},
		{-6 * time.Second, time.Millisecond, 10 * time.Second, Wrong},
		{time.Second, time.Millisecond, 10 * time.Millisecond, OK},
	} {
		if f := clockFinding("the Redis", tt.ahead, tt.roundTrip, tt.lease); f.Verdict != tt.want || (f.Mend == "") != (f.Verdict == OK) {
			t.Errorf("skewed(%v, %v, %v) = %+v, want %s", tt.ahead, tt.roundTrip, tt.lease, f, tt.want)
		}
	}
}
