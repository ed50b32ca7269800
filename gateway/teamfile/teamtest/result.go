package teamtest

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/agui-gateway/gateway/gateway/teamfile"
)

// A Result is the result of one conversation.
type Result struct {
	File  string `json:"file"`
	About string `json:"about,omitempty"`
	Runs  int    `json:"runs"`
	// Problems are mistakes in the conversation, and expectations that were not met. None is a pass.
	Problems []Problem `json:"problems,omitempty"`
	// Updated reports whether the file was rewritten, and Recorded are the files of replies that were written.
	Updated  bool     `json:"updated,omitempty"`
	Recorded []string `json:"recorded,omitempty"`
	// Talk has the requests with their results, for people.
	Talk []Exchange `json:"talk,omitempty"`
}

// An Exchange is one request with its result.
type Exchange struct {
	Sent  string `json:"sent"`
	Heard string `json:"heard"`
}

// A Problem is one mistake, or one expectation that was not met, at its place.
type Problem struct {
	teamfile.Problem
	// Want and Got are the expected and the real result, line by line; Diff is their difference. They may be empty.
	Want string `json:"want,omitempty"`
	Got  string `json:"got,omitempty"`
	Diff string `json:"-"`
}

// OK reports whether there are no problems.
func (r *Result) OK() bool { return len(r.Problems) == 0 }

// Write writes the result for people: with verbose all messages.
func (r *Result) Write(w io.Writer, verbose bool) error {
	var b strings.Builder
	verdict := "ok   "
	if !r.OK() {
		verdict = "FAIL "
	}
	fmt.Fprintf(&b, "%s %s (%d runs)", verdict, r.File, r.Runs)
	if r.Updated {
		b.WriteString(", rewritten")
	}
	for _, file := range r.Recorded {
		b.WriteString(", recorded " + file)
	}
	b.WriteString("\n")
	if verbose {
		for _, x := range r.Talk {
			b.WriteString(indent("> "+x.Sent+"\n"+x.Heard, "      ") + "\n")
		}
	}
	for _, p := range r.Problems {
		b.WriteString(indent(p.String(), "  ") + "\n")
		if p.Diff != "" {
			b.WriteString(indent("- expected, + what came\n"+p.Diff, "      ") + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func indent(text, by string) string { return by + strings.ReplaceAll(text, "\n", "\n"+by) }

// add notes a problem at a value of the file.
func (r *Result) add(at *teamfile.Value, file, text string) {
	r.Problems = append(r.Problems, problemAt(at, file, text))
}

func problemAt(at *teamfile.Value, file, text string) Problem {
	line, column := at.Place()
	return Problem{Problem: teamfile.Problem{File: file, Line: max(line, 1), Column: max(column, 1), Text: text}}
}

// fail notes an error: the problems of a file, or one at the beginning of the conversation.
func (r *Result) fail(err error, file string) {
	if bad, ok := errors.AsType[*teamfile.Error](err); ok {
		for _, p := range bad.Problems {
			r.Problems = append(r.Problems, Problem{Problem: p})
		}
		return
	}
	r.add(nil, file, err.Error())
}
