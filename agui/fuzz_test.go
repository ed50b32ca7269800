package agui

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agui-gateway/gateway/internal/jsonscan"
)

// seeds gives f the golden files that match pattern, each between before and after.
func seeds(f *testing.F, pattern, before, after string) {
	f.Helper()
	paths, err := filepath.Glob(filepath.FromSlash(pattern))
	if err != nil || len(paths) == 0 {
		f.Fatalf("no seeds in %s: %v", pattern, err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(before + string(bytes.TrimSpace(data)) + after))
	}
}

// FuzzDecode: each accepted event can be encoded, and decodes to the same event.
func FuzzDecode(f *testing.F) {
	seeds(f, "testdata/golden/events/*.json", "", "")
	for _, s := range []string{``, `null`, `[]`, `{"type":null}`, `{"type":"X"}`, `{"type":"RUN_ERROR","message":"\ud800\u2028"}`,
		`{"type":"RUN_ERROR","message":"","timestamp":1e400}`, `{"type":"RUN_ERROR","message":"","timestamp":-0.0}`, "{\"type\":\"RUN_ERROR\",\"message\":\"\xff\"}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := Decode(data, func(Warning) {})
		if err != nil {
			if _, ok := errors.AsType[*FieldError](err); !ok {
				t.Fatalf("Decode(%q) error = %v, want a *FieldError", data, err)
			}
			return
		}
		first, err := Encode(e)
		if err != nil {
			t.Fatalf("Encode(Decode(%q)): %v", data, err)
		}
		again, err := Decode(first, func(w Warning) {
			if _, ok := e.(*Unknown); !ok {
				t.Errorf("warning about our own %s: %v", first, w)
			}
		})
		if err != nil {
			t.Fatalf("Decode(%q), which we wrote: %v", first, err)
		}
		if second, err := Encode(again); err != nil || !bytes.Equal(first, second) {
			t.Errorf("written as %s, then as %s (%v)", first, second, err)
		}
		if _, ok := e.(*Unknown); !ok {
			checkLine(t, first)
		}
	})
}

// FuzzDecodeInput: whatever is accepted has unique ids, can be written, and reads back as the same.
func FuzzDecodeInput(f *testing.F) {
	seeds(f, "testdata/golden/input*.json", "", "")
	seeds(f, "testdata/golden/messages/*.json", `{"threadId":"t","runId":"r","messages":[`, `]}`)
	f.Add([]byte(`{"threadId":"t","runId":"r","messages":[{"id":"a","role":"user","content":[{"type":"image","source":{"type":"x"}}]}],"state":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		in, _, err := DecodeInput(data, DecodeOptions{MaxDepth: 64, MaxMessages: 100})
		if err != nil {
			if _, ok := errors.AsType[*FieldError](err); !ok {
				t.Fatalf("DecodeInput(%q) error = %v, want a *FieldError", data, err)
			}
			return
		}
		first, err := Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		again, warnings, err := DecodeInput(first, DecodeOptions{})
		if err != nil || len(warnings) > 0 {
			t.Fatalf("DecodeInput(%s), which we wrote: %v, %v", first, err, warnings)
		}
		if second, err := Marshal(again); err != nil || !bytes.Equal(first, second) {
			t.Errorf("written as %s, then as %s (%v)", first, second, err)
		}
		checkLine(t, first)
	})
}

// FuzzScan: valid JSON comes apart as encoding/json takes it apart.
func FuzzScan(f *testing.F) {
	for _, s := range []string{`{}`, ` { } `, `[]`, `[ ]`, `{"a":1,"a":2}`, ` {"\u0061" : [1, "]", {"}":"\""}] , "b":-1.5e3}`, `[null,true,"\\",{},[[]] ]`, `"x"`, `1`, "{\"\xff\":0}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if checkSyntax(data) != nil {
			return
		}
		var list []json.RawMessage
		if isArray(data) != (json.Unmarshal(data, &list) == nil && list != nil) {
			t.Fatalf("is %q an array?", data)
		}
		if isArray(data) && jsonscan.Count(data) != len(list) {
			t.Fatalf("%q has %d elements, not %d", data, len(list), jsonscan.Count(data))
		}
		i := 0
		for raw := range elementsIf(isArray(data), data) {
			if !bytes.Equal(raw, list[i]) {
				t.Fatalf("element %d of %q is %q, want %q", i, data, raw, list[i])
			}
			i++
		}
		var object map[string]json.RawMessage
		if isObject(data) != (json.Unmarshal(data, &object) == nil && object != nil) {
			t.Fatalf("is %q an object?", data)
		}
		if !isObject(data) {
			return
		}
		got := map[string]json.RawMessage{}
		for quoted, raw := range jsonscan.Members(data) {
			name, ok := textOf(quoted)
			if !ok {
				t.Fatalf("%q is no name, in %q", quoted, data)
			}
			got[strings.ToValidUTF8(name, "\uFFFD")] = raw
		}
		if utf8.Valid(data) && !reflect.DeepEqual(got, object) {
			t.Fatalf("%q has the members %q, want %q", data, got, object)
		}
	})
}

func elementsIf(array bool, data []byte) iter.Seq[json.RawMessage] {
	if !array {
		return func(func(json.RawMessage) bool) {}
	}
	return jsonscan.Elements(data)
}

// FuzzEncode: any text in any field of any event gives one line of JSON.
func FuzzEncode(f *testing.F) {
	for _, s := range []string{"", "a", "\n\r\n", "\u2028\u2029", "\x00\x1b", "\xff\xfe", `"\`, "</script>", "🛫"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for name := range structs {
			e := newEvent(name)
			fill(reflect.ValueOf(e).Elem(), s, 0)
			data, err := Encode(e)
			if err != nil {
				t.Fatalf("Encode(%s): %v", name, err)
			}
			checkLine(t, data)
		}
	})
}

// fill sets every text of v to s, and opaque JSON to s as a JSON string.
func fill(v reflect.Value, s string, deep int) {
	if deep > 5 {
		return // a run's input holds messages that hold parts: enough is enough
	}
	switch v.Interface().(type) {
	case json.RawMessage:
		quoted, _ := json.Marshal(s)
		v.SetBytes(append([]byte("\n"), quoted...))
		return
	case Content:
		v.Set(reflect.ValueOf(PartsContent(Part{Type: PartText, Text: s}, Part{Type: PartImage, Source: &Source{Type: SourceData, Value: s}})))
		return
	case Metadata:
		v.Set(reflect.ValueOf(Metadata{s: json.RawMessage("[\n]")}))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(s)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), s, deep+1)
	case reflect.Struct:
		for _, f := range v.Fields() {
			fill(f, s, deep+1)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), s, deep+1)
	default: // numbers and flags stay zero
	}
}

func checkLine(t *testing.T, data []byte) {
	t.Helper()
	if !json.Valid(data) || !utf8.Valid(data) || bytes.ContainsAny(data, "\n\r") {
		t.Errorf("not one line of JSON: %q", data)
	}
}

// FuzzSSE: what a Stream writes, ReadStream reads; and ReadStream survives what it is not meant for.
func FuzzSSE(f *testing.F) {
	f.Add("{}", `{"a":1}`, uint64(7), uint64(1))
	f.Add(`"\u2028"`, " x", uint64(0), uint64(0))
	f.Add("data: a\n\n", "id: 1\r\r\n", uint64(1), uint64(0))
	f.Fuzz(func(t *testing.T, a, b string, fence, seq uint64) {
		for rec, err := range ReadStream(bytes.NewReader([]byte(a+b)), 1<<16) {
			if err == nil && len(rec.Data) == 0 {
				t.Errorf("an event without data from %q", a+b)
			}
		}
		first, _ := json.Marshal(a)
		second, _ := json.Marshal(b)
		rec := httptest.NewRecorder()
		s, err := NewStream(rec, StreamOptions{})
		if err != nil {
			t.Fatal(err)
		}
		sent := []Record{{ID: fmt.Sprintf("%d-%d", fence, seq), Data: first}, {Data: second}}
		if err := errors.Join(s.Send(sent[0]), s.Comment(a), s.Send(sent[1])); err != nil {
			t.Fatal(err)
		}
		var got []Record
		for rec, err := range ReadStream(rec.Body, 1<<20) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, rec)
		}
		if len(got) != 2 || !bytes.Equal(got[0].Data, first) || !bytes.Equal(got[1].Data, second) || got[1].ID != "" {
			t.Fatalf("read %q, want %s and %s", got, first, second)
		}
		if got[0].ID != sent[0].ID {
			t.Errorf("id = %q, want %q", got[0].ID, sent[0].ID)
		}
	})
}
