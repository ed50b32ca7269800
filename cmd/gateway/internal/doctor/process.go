package doctor

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"math"
	"net/netip"
	"strconv"
	"strings"
)

// ownFiles is the number of open files other than client connections.
const ownFiles = 256

// Descriptors returns the check that need open files are allowed. limit returns the limit; nil asks the system.
func Descriptors(need int, limit func() (uint64, error)) Check {
	return check("descriptors", "", func(_ context.Context, c Check) []Finding {
		if limit == nil {
			limit = openFiles
		}
		most, err := limit()
		switch {
		case err != nil:
			return c.unchecked("How many files a process may have open is not known: "+causeOf(err)+".", "")
		case most < uint64(need)+ownFiles:
			return c.warning(fmt.Sprintf("A process may have %d files open, and the settings allow %d connections; "+
				"those beyond fail.", most, need),
				"Raise the limit (LimitNOFILE in systemd, --ulimit nofile for a container), or lower "+
					"-max-connections. As another user, or in a service, the limit may be another.")
		}
		return c.ok(fmt.Sprintf("A process may have %d files open, enough for %d connections.", most, need))
	})
}

// fullMemory is the percentage of the memory that limits may use: the rest is for memory without a limit.
const fullMemory = 80

// MemoryLimit returns the check that memory suffices for the configured shares. system is the root file system.
func MemoryLimit(settings []Share, system fs.FS) Check {
	return check("memory", "", func(_ context.Context, c Check) []Finding {
		most, source := memoryOf(system)
		var sum int64
		var names []string
		for _, s := range settings {
			sum += s.Bytes
			names = append(names, fmt.Sprintf("%s %d MiB", s.Flag, s.Bytes>>20))
		}
		switch {
		case most == 0:
			return c.unchecked("How much memory the process may have is not known.", "")
		case sum > most/100*fullMemory:
			return c.warning(fmt.Sprintf("The process may have %d MiB (%s), and the settings let it fill %d MiB: %s.",
				most>>20, source, sum>>20, strings.Join(names, ", ")),
				"Lower these settings, or give it more memory; when it has none left the system ends it, and its "+
					"runs continue elsewhere.")
		}
		return c.ok(fmt.Sprintf("The process may have %d MiB (%s), and the settings let it fill %d MiB.", most>>20,
			source, sum>>20))
	})
}

// A Share is the memory that one setting allows.
type Share struct {
	Flag  string
	Bytes int64
}

// memoryOf returns the memory limit in bytes: the control group's, else the machine's memory; 0 if unknown.
func memoryOf(system fs.FS) (bytes int64, source string) {
	for _, path := range []string{"sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := fs.ReadFile(system, path)
		if err != nil {
			continue
		}
		// without a limit the number is very large
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n < math.MaxInt64>>8 {
			return n, "the limit of its container"
		}
	}
	file, err := system.Open("proc/meminfo")
	if err != nil {
		return 0, ""
	}
	defer func() { _ = file.Close() }() // it was only read
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if words := strings.Fields(lines.Text()); len(words) > 1 && words[0] == "MemTotal:" {
			n, _ := strconv.ParseInt(words[1], 10, 64)
			return n << 10, "all that the machine has"
		}
	}
	return 0, ""
}

// Proxies returns the check of the networks with trusted headers, by the flag that names them.
func Proxies(networks map[string][]netip.Prefix) Check {
	return check("proxies", "", func(_ context.Context, c Check) []Finding {
		var found []Finding
		for _, flag := range []string{"-trusted-proxies", "-auth-proxies"} {
			for _, p := range networks[flag] {
				if wide := map[bool]int{true: 8, false: 32}[p.Addr().Is4()]; p.Bits() >= wide || p.Addr().IsPrivate() ||
					p.Addr().IsLoopback() || p.Addr().IsLinkLocalUnicast() {
					continue
				}
				verdict := Warning
				if flag == "-auth-proxies" {
					verdict = Wrong
				}
				f := c.finding(verdict, "The network "+p.String()+" in "+flag+
					" has addresses of others, and their headers are trusted like a proxy's.",
					"Name the addresses of the proxies themselves.")
				f.Subject = flag
				found = append(found, f)
			}
		}
		if len(found) == 0 {
			found = append(found, c.finding(OK, "The networks of proxies are no wider than private ones.", ""))
		}
		return found
	})
}
