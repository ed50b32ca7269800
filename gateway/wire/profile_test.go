package wire

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/state"
)

var rewrite = flag.Bool("update", false, "write the golden files instead of comparing with them")

// goldenFile compares data with a file of testdata.
func goldenFile(t *testing.T, name string, data []byte) {
	t.Helper()
	path := filepath.Join("testdata", filepath.FromSlash(name))
	if *rewrite {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run the test with -update)", err)
	}
	if !bytes.Equal(data, want) {
		t.Errorf("%s is not up to date (run the test with -update):\n got %s\nwant %s", name, data, want)
	}
}

// readers are the Wires the golden streams are projected for, each with the reference client that must take it.
var readers = []struct {
	name   string
	client string
	wire   Profile
}{
	{"1.0", "1.0.0", Profile{Era: agui.Era1, Subagents: true}},
	{"1.0 without subagents", "1.0.0", Profile{Era: agui.Era1}},
	{"1.0 legacy", "1.0.0", Profile{Era: agui.Era1, Dialect: Legacy, Subagents: true}},
	{"1.0 joined", "1.0.0", Profile{Era: agui.Era1, Subagents: true, RunID: "mine"}},
	{"pre-1.0", "0.0.59", Profile{Subagents: true}},
	{"pre-1.0 without subagents", "0.0.59", Profile{}},
	{"pre-1.0 joined", "0.0.59", Profile{Subagents: true, RunID: "mine"}},
	{"dojo", "0.0.59", Profile{Dialect: Legacy}},
	{"pre-1.0 in chunks", "0.0.59", Profile{Subagents: true, AskAgain: true, Chunks: true}},
	{"1.0 in chunks", "1.0.0", Profile{Era: agui.Era1, Subagents: true, Chunks: true}},
	{"copilotkit", "0.0.59", Profile{Subagents: true, Stop: StopPlain, AskAgain: true, RunID: "mine"}},
	{"copilotkit legacy", "0.0.59", Profile{Dialect: Legacy, Subagents: true, Stop: StopPlain, AskAgain: true, RunID: "mine"}},
	{"copilotkit 1.0", "1.0.0", Profile{Era: agui.Era1, Subagents: true, Stop: StopPlain, AskAgain: true}},
}

// A stream is one file of testdata.
type stream struct {
	name    string
	archive *txtar.Archive
	frames  []state.Frame
}

func streams(t *testing.T) []stream {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no streams: %v", err)
	}
	var all []stream
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s := stream{name: strings.TrimSuffix(filepath.Base(path), ".txtar"), archive: archive}
		for _, file := range archive.Files {
			switch file.Name {
			case "canonical":
				for line := range bytes.Lines(file.Data) {
					s.frames = append(s.frames, canonicalFrame(t, bytes.TrimSpace(line), uint64(len(s.frames)+1)))
				}
			case "ending":
				if err := json.Unmarshal(file.Data, &s.frames[len(s.frames)-1].Ending); err != nil {
					t.Fatalf("%s: ending: %v", path, err)
				}
			}
		}
		all = append(all, s)
	}
	return all
}

// canonicalFrame is the frame of an event, which must be written as Encode writes it.
func canonicalFrame(t *testing.T, line []byte, seq uint64) state.Frame {
	t.Helper()
	e, err := agui.Decode(line, func(w agui.Warning) { t.Errorf("%s: %v", line, w) })
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	if data, err := agui.Encode(e); err != nil || !bytes.Equal(data, line) {
		t.Errorf("not canonical: %s, want %s (%v)", line, data, err)
	}
	return state.Frame{ID: state.FrameID{Fence: 7, Seq: seq}, Type: agui.TypeOf(e), Data: line}
}

// projected is a stream as one reader is sent it.
func projected(t *testing.T, w Profile, frames []state.Frame) ([]state.Frame, Loss) {
	t.Helper()
	var out []state.Frame
	var lost Loss
	for _, f := range frames {
		sent, loss, err := w.Project(nil, f)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range sent {
			if last := i == len(sent)-1; last != (s.ID == f.ID) || !last && !s.ID.IsZero() {
				t.Errorf("%s became %d frames, number %d with id %v", f.Type, len(sent), i, s.ID)
			}
		}
		out, lost = append(out, sent...), lost|loss
	}
	return out, lost
}

func TestWireGolden(t *testing.T) {
	t.Parallel()
	for _, s := range streams(t) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			out := &txtar.Archive{Comment: s.archive.Comment}
			for _, file := range s.archive.Files {
				if file.Name == "canonical" || file.Name == "ending" {
					out.Files = append(out.Files, file)
				}
			}
			type sent struct {
				Client string            `json:"client"`
				Events []json.RawMessage `json:"events"`
			}
			all := map[string]sent{}
			for _, r := range readers {
				frames, lost := projected(t, r.wire, s.frames)
				verify(t, r.name, frames)
				out.Files = append(out.Files, txtar.File{Name: r.name, Data: changes(s.frames, frames, lost)})
				events := make([]json.RawMessage, len(frames))
				for i, f := range frames {
					events[i] = json.RawMessage(f.Data)
				}
				all[r.name] = sent{r.client, events}
			}
			goldenFile(t, s.name+".txtar", txtar.Format(out))
			data, err := json.MarshalIndent(all, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			goldenFile(t, "projected/"+s.name+".json", append(data, '\n'))
		})
	}
}

// changes writes what a reader is sent instead of the canonical stream: "-" is a frame it does not get, "+" one
// that it gets, with its id.
func changes(canonical, sent []state.Frame, lost Loss) []byte {
	var b bytes.Buffer
	for _, f := range canonical {
		var in []state.Frame
		if n := slices.IndexFunc(sent, func(s state.Frame) bool { return !s.ID.IsZero() }); n >= 0 && sent[n].ID == f.ID {
			in, sent = sent[:n+1], sent[n+1:]
		}
		if len(in) == 1 && bytes.Equal(in[0].Data, f.Data) {
			continue
		}
		fmt.Fprintf(&b, "- %v %s\n", f.ID, f.Type)
		for _, s := range in {
			id := "     "
			if !s.ID.IsZero() {
				id = fmt.Sprintf("%-5v", s.ID)
			}
			fmt.Fprintf(&b, "+ %s%s\n", id, s.Data)
		}
	}
	if lost != 0 {
		fmt.Fprintf(&b, "lost: %v\n", lost)
	}
	if b.Len() == 0 {
		b.WriteString("as it is\n")
	}
	return b.Bytes()
}

func verify(t *testing.T, name string, frames []state.Frame) {
	t.Helper()
	var v agui.Verifier
	for i, f := range frames {
		e, err := agui.Decode(f.Data, func(w agui.Warning) { t.Errorf("%s: frame %d: %v", name, i, w) })
		if err != nil {
			t.Fatalf("%s: frame %d: %v", name, i, err)
		}
		if agui.TypeOf(e) != f.Type {
			t.Errorf("%s: frame %d is a %s and says %s", name, i, agui.TypeOf(e), f.Type)
		}
		if err := v.Next(e); err != nil {
			t.Errorf("%s: frame %d: %v: %s", name, i, err, f.Data)
		}
	}
}

// every returns all Wires there are, but for the run ids.
func every() []Profile {
	var all []Profile
	for n := range 1 << 7 {
		w := Profile{Era: agui.Era(n & 1), Dialect: Dialect(n >> 1 & 1), Stop: StopForm(n >> 2 & 1), Subagents: n>>3&1 == 1, AskAgain: n>>4&1 == 1, Chunks: n>>6&1 == 1}
		if n>>5&1 == 1 {
			w.RunID = "mine"
		}
		all = append(all, w)
	}
	return all
}

func TestEveryWireKeepsStreamsInOrder(t *testing.T) {
	t.Parallel()
	for _, s := range streams(t) {
		verify(t, s.name, s.frames)
		for _, w := range every() {
			name := fmt.Sprintf("%s %+v", s.name, w)
			frames, _ := projected(t, w, s.frames)
			verify(t, name, frames)
			again, _ := projected(t, w, s.frames)
			if len(again) != len(frames) {
				t.Errorf("%s: %d frames, then %d: projecting changed its input", name, len(frames), len(again))
			}
			for _, f := range frames {
				checkSent(t, name, w, f)
			}
		}
	}
}

// checkSent looks for what a reader of w must never see.
func checkSent(t *testing.T, name string, w Profile, f state.Frame) {
	t.Helper()
	never := []string{}
	if w.Era == agui.Era0 {
		never = append(never, `"pendingToolCallIds"`, `"type":"cancelled"`, `"expiresAt"`, `"type":"file"`, `"role":"tool","content":[`)
	}
	if w.Dialect == Legacy {
		never = append(never, `"outcome":{"type":"interrupt"`, `"outcome":{"type":"success","pending`)
	}
	if !w.Subagents {
		never = append(never, `"type":"SUBAGENT_`)
	}
	if w.Chunks {
		never = append(never, `"type":"TEXT_MESSAGE_START"`, `"type":"TEXT_MESSAGE_CONTENT"`, `"type":"TEXT_MESSAGE_END"`)
	}
	if w.Stop == StopPlain {
		never = append(never, `"cancelled"`)
	}
	for _, text := range never {
		if bytes.Contains(f.Data, []byte(text)) {
			t.Errorf("%s: %s in %s", name, text, f.Data)
		}
	}
	if isBoundary := f.Type == agui.TypeRunStarted || f.Type == agui.TypeRunFinished; isBoundary && w.RunID != "" && !bytes.Contains(f.Data, []byte(`"runId":"mine"`)) {
		t.Errorf("%s: another run's id in %s", name, f.Data)
	}
}

func TestTheCanonicalReaderGetsTheStoredBytes(t *testing.T) {
	for _, s := range streams(t) {
		w := Profile{Era: agui.Era1, Subagents: true}
		for _, f := range s.frames {
			if !w.same(f) {
				t.Errorf("Same(%s) = false", f.Type)
			}
			sent, _, err := w.Project(nil, f)
			if err != nil || len(sent) != 1 || &sent[0].Data[0] != &f.Data[0] || sent[0].ID != f.ID {
				t.Errorf("Project(%s) = %v, %v; want the frame itself", f.Type, sent, err)
			}
		}
		for _, w := range every() {
			if allocs := testing.AllocsPerRun(10, func() { w.same(s.frames[1]) }); allocs > 0 {
				t.Errorf("Same allocates %v times", allocs)
			}
		}
	}
}

func TestProjectRefusesWhatIsNotAnEvent(t *testing.T) {
	t.Parallel()
	for _, data := range []string{``, `{`, `{"type":"RUN_FINISHED"}`, `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{}}`} {
		if _, _, err := (Profile{}).Project(nil, state.Frame{Type: agui.TypeRunFinished, Data: []byte(data)}); err == nil {
			t.Errorf("Project(%q) was accepted", data)
		}
	}
}

func TestRefusedNamesTheCodeAndItsSentence(t *testing.T) {
	t.Parallel()
	data, err := agui.Encode(Refused(errcode.InterruptExpired))
	if want := `{"type":"CUSTOM","name":"gateway.refused","value":{"code":"interrupt_expired","message":"The time to answer this question is over."}}`; err != nil || string(data) != want {
		t.Errorf("Refused() = %s, %v", data, err)
	}
}
