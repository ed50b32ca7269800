package listed_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/internal/listed"
)

// thread is a stored thread with something in most of its members.
func thread() *state.Thread {
	at := time.Date(2026, 2, 3, 4, 5, 6, 789, time.UTC)
	cost := 0.25
	var calls []state.Call
	if err := json.Unmarshal([]byte(`[{"id":"c1"},{"id":"c2","answer":{"id":"m3","role":"tool","toolCallId":"c2","content":"Shown"}}]`), &calls); err != nil {
		panic(err)
	}
	return &state.Thread{
		Key: state.Key{Principal: "local", Agent: "team", ID: "t\n\"1\""}, Rev: 7, Fence: 12, Title: "Über <Züge>\u2028", CreatedAt: at, UpdatedAt: at.Add(time.Hour),
		Open: []string{"int_1"}, Notes: json.RawMessage(`{"title":"not this one","failed":true,"n":[-1.5e3,null,{}]}`), Failed: true,
		Calls: calls,
		Run:   &state.Run{RunID: "r", StartedAt: at}, Cost: &cost, Count: 2, LastMessage: "m2",
	}
}

// TestThread compares the members that are read with the thread's.
func TestThread(t *testing.T) {
	is := thread()
	raw, err := json.Marshal(is)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := json.Marshal(is.Calls[1].Answer)
	if err != nil {
		t.Fatal(err)
	}
	want := listed.Thread{Title: is.Title, CreatedAt: is.CreatedAt, UpdatedAt: is.UpdatedAt, Open: is.Open, Failed: is.Failed, Calls: []listed.Call{{}, {Answer: answer}}}
	if got, err := listed.Decode(raw); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Decode() = %+v, %v, want %+v", got, err, want)
	}
	if n := want.Waiting(); n != 1 {
		t.Errorf("%d calls wait, want 1", n)
	}
	if !listed.Read(raw, new(listed.Thread).Member) {
		t.Error("a thread as it is stored is left to package json")
	}
}

// TestBrokenThreads holds a thread that is not one to an error.
func TestBrokenThreads(t *testing.T) {
	for _, raw := range []string{"", "null,", "[]", `{"title":"a"`, `{"title":"a",}`, `{"title":1}`, `{"rev":01}`, `{"a":"\x"}`, `{"a":"` + "\n" + `"}`, `{"a":{"b":]}}`} {
		if got, err := listed.Decode([]byte(raw)); err == nil {
			t.Errorf("Decode(%s) = %+v, want an error", raw, got)
		}
	}
}

// FuzzDecode holds the short way to the general one: whatever it takes, it makes the same of.
func FuzzDecode(f *testing.F) {
	raw, err := json.Marshal(thread())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	for _, text := range []string{
		`{}`, `null`, ` {"title" : "a"}`, `{"Title":"a"}`, `{"tit\u006ce":"a"}`, `{"title":null,"open":null}`, `{"title":"a","title":"b"}`, `{"open":["a",null]}`,
		`{"title":"\ud800","failed":false}`, "{\"title\":\"\xff\"}", `{"createdAt":"2026-01-01T00:00:00+01:00"}`, `{"createdAt":"yesterday"}`, `{"a":-0.0e-0,"b":[[],{},"\u00E4\/"]}`,
		`{"a":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, `{"failed":true,"faıled":1,"failed":"x"}`, `{"calls":[{"answer":{"a":1}},{},{"answer":null}],"Calls":[]}`, `{"calls":7}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var want listed.Thread
		wantErr := json.Unmarshal(raw, &want)
		got, err := listed.Decode(raw)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("Decode(%q) = %+v, %v, want %+v, %v", raw, got, err, want, wantErr)
		}
	})
}

// BenchmarkDecode reads a thread as it is stored.
func BenchmarkDecode(b *testing.B) {
	raw, err := json.Marshal(thread())
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := listed.Decode(raw); err != nil {
			b.Fatal(err)
		}
	}
}
