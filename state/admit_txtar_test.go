package state

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
)

var update = flag.Bool("update", false, "rewrite the verdicts in testdata")

// TestAdmitFiles reads one file per row of the table: prose, a thread, a request, and the verdict as JSON, which
// -update rewrites.
func TestAdmitFiles(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/admit/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var f fixture
			var r Request
			verdict := -1
			for i, part := range archive.Files {
				switch part.Name {
				case "thread":
					err = json.Unmarshal(part.Data, &f)
				case "request":
					err = unmarshalRequest(part.Data, &r)
				case "verdict":
					verdict = i
				default:
					t.Fatalf("unknown part %q", part.Name)
				}
				if err != nil {
					t.Fatalf("%s: %v", part.Name, err)
				}
			}
			if verdict < 0 {
				archive.Files = append(archive.Files, txtar.File{Name: "verdict"})
				verdict = len(archive.Files) - 1
			}
			got, err := json.MarshalIndent(shown(admit(&f.Thread, &f, &r, noon)), "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, '\n')
			if *update {
				archive.Files[verdict].Data = got
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if !bytes.Equal(got, archive.Files[verdict].Data) {
				t.Errorf("admit() =\n%s\nwant\n%s", got, archive.Files[verdict].Data)
			}
		})
	}
}

// unmarshalRequest reads a request as its caller would write it, with answers as a resume has them.
func unmarshalRequest(data []byte, r *Request) error {
	var in struct {
		RunID      string             `json:"runId"`
		Hash       string             `json:"hash"`
		Old        bool               `json:"old"`
		Edit       bool               `json:"edit"`
		Regenerate bool               `json:"regenerate"`
		Typed      bool               `json:"typedAnswers"`
		Messages   []agui.Message     `json:"messages"`
		Resume     []agui.ResumeEntry `json:"resume"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*r = Request{RunID: in.RunID, Hash: in.Hash, Edit: in.Edit, Regenerate: in.Regenerate, Messages: in.Messages, Era: agui.Era1, TypedAnswers: in.Typed}
	if in.Old {
		r.Era = agui.Era0
	}
	for _, e := range in.Resume {
		r.Answers = append(r.Answers, Answer{ID: e.InterruptID, Status: e.Status, Payload: Canonical(e.Payload)})
	}
	return nil
}

// shown is a verdict as the files have it, without empty members.
func shown(v Verdict) any {
	type call struct {
		Call    string `json:"call"`
		Message string `json:"message"`
	}
	out := struct {
		Meaning     Meaning      `json:"meaning"`
		Row         int          `json:"row"`
		Code        errcode.Code `json:"code,omitempty"`
		Append      []string     `json:"append,omitempty"`
		CutAfter    string       `json:"cutAfter,omitempty"`
		CutAll      bool         `json:"cutAll,omitempty"`
		Claims      []Answer     `json:"claims,omitempty"`
		CallAnswers []call       `json:"callAnswers,omitempty"`
		NotAnswered []string     `json:"notAnswered,omitempty"`
		Forget      bool         `json:"forget,omitempty"`
		Restore     string       `json:"restore,omitempty"`
		Failed      errcode.Code `json:"failed,omitempty"`
		Show        []string     `json:"show,omitempty"`
		Warnings    []string     `json:"warnings,omitempty"`
	}{
		Meaning: v.Meaning, Row: v.Row, Code: v.Code, Append: idsOf(v.Append), CutAfter: v.CutAfter, CutAll: v.CutAll,
		Claims: v.Claims, NotAnswered: v.NotAnswered, Forget: v.Forget, Restore: v.Restore, Show: idsOf(v.Show), Warnings: v.Warnings,
	}
	for _, c := range v.CallAnswers {
		out.CallAnswers = append(out.CallAnswers, call{c.Call, c.Message.ID})
	}
	if v.Failed != nil {
		out.Failed = v.Failed.Code
	}
	return out
}
