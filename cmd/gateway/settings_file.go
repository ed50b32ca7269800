package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

func readEnvFile(path string) (map[string]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err // os names the file
	}
	lines := map[string]string{}
	for i, line := range strings.Split(string(data), "\n") {
		name, value, err := envLine(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, i+1, err)
		}
		if name != "" {
			lines[name] = value
		}
	}
	return lines, nil
}

// before returns an environment in which lines count first.
func before(lines map[string]string, env func(string) (string, bool)) func(string) (string, bool) {
	return func(name string) (string, bool) {
		if value, ok := lines[name]; ok {
			return value, true
		}
		return env(name)
	}
}

// envLine parses one line of an -env-file: KEY=VALUE, optionally after "export". A single-quoted value is literal, a
// double-quoted one may contain \n, \" and \\; without quotes it ends at a " #". name is "" for blank lines and
// comments.
func envLine(line string) (name, value string, err error) {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return "", "", nil
	}
	line = strings.TrimSpace(strings.TrimPrefix(line, "export "))
	name, value, ok := strings.Cut(line, "=")
	name = strings.TrimSpace(name)
	if !ok || name == "" || strings.ContainsAny(name, " \t\"'#") {
		return "", "", fmt.Errorf("not KEY=VALUE")
	}
	value = strings.TrimSpace(value)
	if value == "" {
		return name, "", nil
	}
	quote := value[0]
	if quote != '\'' && quote != '"' {
		value, _, _ = strings.Cut(" "+value, " #")
		return name, strings.TrimSpace(value), nil
	}
	var b strings.Builder
	for i := 1; i < len(value); i++ {
		switch c := value[i]; {
		case c == quote:
			if rest := strings.TrimSpace(value[i+1:]); rest != "" && rest[0] != '#' {
				return "", "", fmt.Errorf("something follows the closing quote")
			}
			return name, b.String(), nil
		case c == '\\' && quote == '"' && i+1 < len(value):
			i++
			b.WriteString(unescape(value[i]))
		default:
			b.WriteByte(c)
		}
	}
	return "", "", fmt.Errorf("the closing quote is missing")
}

func unescape(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case '"', '\\', '$':
		return string(rune(c))
	default:
		return `\` + string(rune(c))
	}
}

// unknownVariable returns an error for a variable of a file that looks like a setting but is none.
func unknownVariable(lines map[string]string) error {
	known := map[string]bool{webhookSecret: true}
	for _, cmd := range commands() {
		for _, s := range cmd.settingsOf(&config{}) {
			for _, name := range s.environment() {
				known[name] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		if strings.HasPrefix(name, "GATEWAY_") && !known[name] {
			return fmt.Errorf("%s is no setting; `gateway config` lists them", name)
		}
	}
	return nil
}
