package main

import (
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/state/redisstore"
)

// The errors of this file never quote the value: a URL or a line pasted into the wrong place may hold a key.

func text(p *string) func(string) error {
	return func(value string) error {
		*p = value
		return nil
	}
}

// word parses a value for a header or request: a name or a key.
func word(p *string) func(string) error {
	return func(value string) error {
		if strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
			return errors.New("holds white space or control characters; look where it comes from")
		}
		*p = value
		return nil
	}
}

// modelURL parses the root URL of an API; the error does not quote it, because it may contain a password.
func modelURL(p *string) func(string) error {
	return func(value string) error {
		u, err := url.Parse(value)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return errors.New("not the URL of a model's server; write such as https://api.openai.com/v1 or " +
				"http://127.0.0.1:11434/v1")
		}
		*p = value
		return nil
	}
}

// price reads what a million tokens cost: input=…,output=…, and cached_input=… if that differs.
func price(p **model.Price) func(string) error {
	bad := errors.New("not a price; write what a million tokens cost, such as input=0.40,output=1.60 or " +
		"input=0.40,output=1.60,cached_input=0.10")
	return func(value string) error {
		seen := map[string]float64{}
		for part := range strings.SplitSeq(value, ",") {
			name, text, _ := strings.Cut(strings.TrimSpace(part), "=")
			amount, err := strconv.ParseFloat(text, 64)
			if _, twice := seen[name]; twice || err != nil ||
				!slices.Contains([]string{"input", "output", "cached_input"}, name) {
				return bad
			}
			seen[name] = amount
		}
		input, ok := seen["input"]
		output, ok2 := seen["output"]
		read := model.Price{Input: input, Output: output}
		if cached, ok := seen["cached_input"]; ok {
			read.CachedInput = &cached
		}
		if !ok || !ok2 || read.Check() != nil {
			return bad
		}
		*p = &read
		return nil
	}
}

// duration reads a duration of at least least.
func duration(p *time.Duration, least time.Duration) func(string) error {
	return func(value string) error {
		d, err := time.ParseDuration(value)
		switch {
		case err != nil || d < 0:
			return errors.New("not a length of time; write a number with its unit, such as 500ms, 30s or 10m")
		case d < least && least > 1:
			return fmt.Errorf("too short; write %s or more", least)
		case d < least:
			return errors.New("must not be 0; write a length of time such as 500ms, 30s or 10m")
		}
		*p = d
		return nil
	}
}

func count(p *int) func(string) error {
	return func(value string) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return errors.New("not a whole number from 1 up")
		}
		*p = n
		return nil
	}
}

// allowance reads a whole number; 0 means that there is no limit, for which the options have a negative number.
func allowance[T int | int64](p *T) func(string) error {
	return func(value string) error {
		n, err := strconv.ParseInt(value, 10, strconv.IntSize)
		if err != nil || n < 0 {
			return errors.New("not a whole number from 1 up, or 0 for no limit")
		}
		if *p = T(n); n == 0 {
			*p = -1
		}
		return nil
	}
}

var units = []struct {
	name  string
	bytes int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"B", 1}, {"", 1}}

// short writes a duration as people do: 10m where Duration.String has 10m0s.
func short(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

func mebibytes[T int | int64](n T) string { return fmt.Sprintf("%dMiB", n>>20) }

func kibibytes(n int) string { return fmt.Sprintf("%dKiB", n>>10) }

func size[T int | int64](p *T) func(string) error {
	return func(value string) error {
		for _, u := range units {
			number, ok := strings.CutSuffix(value, u.name)
			if !ok {
				continue
			}
			n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
			if err != nil || n < 1 || n > math.MaxInt/u.bytes {
				break
			}
			*p = T(n * u.bytes)
			return nil
		}
		return errors.New("not a size; write bytes, or a whole number with KiB, MiB or GiB, such as 8MiB")
	}
}

// sizeOrNone reads a number of bytes, or 0 for no limit.
func sizeOrNone[T int | int64](p *T) func(string) error {
	return func(value string) error {
		if value == "0" {
			*p = 0
			return nil
		}
		return size(p)(value)
	}
}

func oneOf[T ~string](p *T, words ...T) func(string) error {
	return func(value string) error {
		if !slices.Contains(words, T(value)) {
			list := make([]string, len(words))
			for i, w := range words {
				list[i] = string(w)
			}
			return fmt.Errorf("not one of the choices; write %s", strings.Join(list, " or "))
		}
		*p = T(value)
		return nil
	}
}

func level(p *slog.Level) func(string) error {
	return func(value string) error {
		var word string
		if err := oneOf(&word, "debug", "info", "warn", "error")(value); err != nil {
			return err
		}
		return p.UnmarshalText([]byte(word))
	}
}

// setStore accepts memory, a file, or the URL of a Redis; the error does not quote it: it may contain a password.
func (c *config) setStore(value string) error {
	if value == "memory" {
		return nil
	}
	if path, ok := strings.CutPrefix(value, "file:"); ok {
		path, absolute := strings.CutPrefix(path, "//")
		if path == "" || absolute && !strings.HasPrefix(path, "/") {
			return errors.New("names no file; write file:PATH, such as file:data/threads.db")
		}
		c.file = path
		return nil
	}
	if err := redisstore.CheckURL(value); err != nil {
		return fmt.Errorf("%w; write memory, file:PATH or redis://host:port", err)
	}
	c.redis = value
	return nil
}

func address(p *string) func(string) error {
	return func(value string) error {
		_, port, err := net.SplitHostPort(value)
		if err == nil {
			_, err = strconv.ParseUint(port, 10, 16)
		}
		if err != nil {
			return errors.New("not an address; write host:port, such as 127.0.0.1:8080 or [::1]:8080")
		}
		*p = value
		return nil
	}
}

// loopback reports whether only this machine can reach addr.
func loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// parseAnyOrder parses args with set and returns the operands, which may be before, between and behind the flags. All
// that follows -- is an operand.
func parseAnyOrder(set *flag.FlagSet, args []string) (operands []string, err error) {
	for {
		if err := set.Parse(args); err != nil {
			return nil, err
		}
		rest := set.Args()
		if parsed := len(args) - len(rest); len(rest) == 0 || parsed > 0 && args[parsed-1] == "--" {
			return append(operands, rest...), nil
		}
		operands, args = append(operands, rest[0]), rest[1:]
	}
}
