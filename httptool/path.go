package httptool

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/internal/exact"
)

// A piece of a path is text as the author has written it, escaped, or an argument.
type piece struct {
	text     string
	argument string
}

// piecesOf finds the arguments in an escaped path. A brace that was written escaped counts as one.
func piecesOf(path string) ([]piece, error) {
	path = strings.NewReplacer("%7B", "{", "%7b", "{", "%7D", "}", "%7d", "}").Replace(path)
	var pieces []piece
	for path != "" {
		before, rest, found := strings.Cut(path, "{")
		if strings.Contains(before, "}") {
			return nil, errors.New("the path of the URL has a } without its {")
		}
		if before != "" {
			pieces = append(pieces, piece{text: before})
		}
		if !found {
			break
		}
		name, after, closed := strings.Cut(rest, "}")
		decoded, err := url.PathUnescape(name)
		if !closed || err != nil || decoded == "" || strings.ContainsAny(decoded, "{/") {
			return nil, errors.New("the path of the URL has a { that names no argument; write {name}")
		}
		pieces = append(pieces, piece{argument: decoded})
		path = after
	}
	return pieces, nil
}

// pathOf returns the escaped path of a request. Every argument stays in the segment that it is written in.
func (e *endpoint) pathOf(arguments map[string]json.RawMessage) (string, error) {
	var b strings.Builder
	for _, p := range e.path {
		if p.argument == "" {
			b.WriteString(p.text)
			continue
		}
		value, err := scalar(arguments[p.argument])
		if err != nil || value == "" || wayOut(value) {
			return "",
				refuse("the argument %q cannot be a part of a path: "+
					"it has to be a text or a number, not empty, without /, \\ and control characters", p.argument)
		}
		b.WriteString(url.PathEscape(value))
	}
	path := b.String()
	for segment := range strings.SplitSeq(path, "/") {
		// Text around an argument can make a step up of it, and "%2e" is a dot for some servers.
		if plain, err := url.PathUnescape(segment); err != nil || plain == "." || plain == ".." {
			return "", refuse("the arguments make another path of it")
		}
	}
	return path, nil
}

// wayOut reports whether a value could lead out of a segment of a path: by itself, or because a server, or a proxy
// before it, unescapes the path once more than it should.
func wayOut(value string) bool {
	for range 3 {
		if strings.ContainsAny(value, `/\`) || strings.ContainsFunc(value, unicode.IsControl) || value == "." ||
			value == ".." {
			return true
		}
		decoded, err := url.PathUnescape(value)
		if err != nil || decoded == value {
			return false
		}
		value = decoded
	}
	return true
}

// scalar returns the text of a text, a number or a truth value.
func scalar(raw json.RawMessage) (string, error) {
	var text string
	switch {
	case len(raw) == 0 || string(raw) == "null" || raw[0] == '{' || raw[0] == '[':
		return "", errors.New("httptool: no text, number or truth value")
	case raw[0] == '"':
		err := exact.Unmarshal(raw, &text)
		return text, err
	default:
		return string(raw), nil
	}
}

// refuse is the error of arguments of which no request is made.
func refuse(format string, args ...any) error {
	return &tools.Error{Text: "The request was not made: " + fmt.Sprintf(format, args...) + "."}
}
