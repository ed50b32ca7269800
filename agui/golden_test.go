package agui

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// golden compares data with the file of that name below testdata, or writes it.
func golden(t *testing.T, name string, data []byte) {
	t.Helper()
	path := filepath.Join("testdata", filepath.FromSlash(name))
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
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

func TestGoldenEvents(t *testing.T) {
	t.Parallel()
	for name, e := range goldenEvents {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !strings.HasPrefix(name, string(TypeOf(e))) {
				t.Fatalf("%s is a %s", name, TypeOf(e))
			}
			data, err := Encode(e)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "golden/events/"+name+".json", append(bytes.Clone(data), '\n'))
			back, err := Decode(data, func(w Warning) { t.Errorf("warning: %v", w) })
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(back, e) {
				t.Errorf("Decode(Encode(e)) = %+v, want %+v", back, e)
			}
		})
	}
}

func TestGoldenEventsAreComplete(t *testing.T) {
	t.Parallel()
	for name := range structs {
		for _, variant := range []string{"", "_minimal"} {
			if goldenEvents[string(name)+variant] == nil {
				t.Errorf("no golden example %s%s", name, variant)
			}
		}
		unset(t, string(name), reflect.ValueOf(goldenEvents[string(name)]).Elem())
	}
	capabilities := goldenCapabilities["capabilities"]
	unset(t, "capabilities", reflect.ValueOf(&capabilities).Elem())
	unset(t, "input", reflect.ValueOf(goldenInputs["input"]).Elem())
	files, err := filepath.Glob("testdata/golden/events/*.json")
	if err != nil || len(files) != len(goldenEvents) && !*update {
		t.Errorf("%d files for %d examples (%v)", len(files), len(goldenEvents), err)
	}
}

// unset reports the fields of a filled example that are not set. A variant's outcome has the fields of its kind.
func unset(t *testing.T, path string, v reflect.Value) {
	t.Helper()
	for _, f := range reflect.VisibleFields(v.Type()) {
		field := v.FieldByIndex(f.Index)
		at := path + "." + f.Name
		if field.IsZero() && f.IsExported() {
			t.Errorf("%s is not set", at)
			continue
		}
		_, outcome := field.Interface().(*Outcome)
		_, subagent := field.Interface().(*SubagentOutcome)
		if field.Kind() == reflect.Pointer && field.Type().Elem().Kind() == reflect.Struct && !outcome && !subagent {
			unset(t, at, field.Elem())
		}
	}
}

func TestGoldenMessages(t *testing.T) {
	t.Parallel()
	for name, m := range goldenMessages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, err := Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "golden/messages/"+name+".json", append(bytes.Clone(data), '\n'))
			var back Message
			r := newDecoder(data)
			if err := r.value(data, reflect.ValueOf(&back).Elem()); err != nil || len(r.takeWarnings()) > 0 {
				t.Fatalf("%v, %v", err, r.takeWarnings())
			}
			if !reflect.DeepEqual(back, m) {
				t.Errorf("read back %+v, want %+v", back, m)
			}
		})
	}
}

func TestGoldenInputs(t *testing.T) {
	t.Parallel()
	for name, in := range goldenInputs {
		data, err := Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "golden/"+name+".json", append(bytes.Clone(data), '\n'))
		back, warnings, err := DecodeInput(data, DecodeOptions{})
		if err != nil || len(warnings) > 0 {
			t.Fatalf("%s: %v, warnings %v", name, err, warnings)
		}
		if !reflect.DeepEqual(back, in) {
			t.Errorf("%s: DecodeInput() = %+v, want %+v", name, back, in)
		}
	}
}

func TestGoldenCapabilities(t *testing.T) {
	t.Parallel()
	for name, c := range goldenCapabilities {
		data, err := Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "golden/"+name+".json", append(bytes.Clone(data), '\n'))
		var back AgentCapabilities
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(back, c) {
			t.Errorf("%s: read back %+v, want %+v", name, back, c)
		}
	}
}
