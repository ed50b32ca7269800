package agui

import (
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// repeated is the JSON of as many items as make about size bytes, with commas between; item n is made of n.
func repeated(size int, item func(n int) string) string {
	var b strings.Builder
	for n := 0; b.Len() < size; n++ {
		if n > 0 {
			b.WriteByte(',')
		}
		b.WriteString(item(n))
	}
	return b.String()
}

// floods are bodies that hold as much as they can of something.
func floods(size int) map[string]string {
	same := func(item string) string { return repeated(size, func(int) string { return item }) }
	named := repeated(size, func(n int) string { return strconv.Quote(strconv.Itoa(n)) + `:0` })
	message := func(members string) string {
		return `{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":"x",` + members + `}]}`
	}
	input := func(members string) string { return `{"threadId":"t","runId":"r","messages":[],` + members + `}` }
	return map[string]string{
		"unknown members":              input(named),
		"unknown members of a message": message(named),
		"a member with a long name":    input(strconv.Quote(strings.Repeat("x", size)) + ":0"),
		"one member again and again":   input(same(`"tools":[]`)),
		"metadata":                     message(`"metadata":{` + named + `}`),
		"messages that are none":       `{"threadId":"t","runId":"r","messages":[` + same(`0`) + `]}`,
		"messages of unknown roles":    `{"threadId":"t","runId":"r","messages":[` + same(`{"role":""}`) + `]}`,
		"messages":                     `{"threadId":"t","runId":"r","messages":[` + repeated(size, func(n int) string { return `{"id":"` + strconv.Itoa(n) + `","role":"user","content":""}` }) + `]}`,
		"parts of unknown kinds":       message(`"content":[` + same(`{"type":""}`) + `]`),
		"parts":                        message(`"content":[` + same(`{"type":"text","text":""}`) + `]`),
		"tools":                        input(`"tools":[` + same(`{"name":"","description":""}`) + `]`),
		"tools that are none":          input(`"tools":[` + same(`0`) + `]`),
		"context":                      input(`"context":[` + same(`{"description":"","value":""}`) + `]`),
		"answers":                      input(`"resume":[` + same(`{"interruptId":"","status":"cancelled"}`) + `]`),
		"calls": `{"threadId":"t","runId":"r","messages":[{"id":"m","role":"assistant","toolCalls":[` + repeated(size, func(n int) string {
			return `{"id":"` + strconv.Itoa(n) + `","type":"function","function":{"name":"","arguments":""}}`
		}) + `]}]}`,
		"nothing but nesting":           strings.Repeat("[", size/2) + strings.Repeat("]", size/2),
		"an object with spaces":         `{` + strings.Repeat(" ", size) + `"threadId":"t","runId":"r","messages":[]}`,
		"state that is a list of a lot": input(`"state":{"a":[` + same(`0`) + `]}`),
	}
}

// One body costs memory in proportion to its size, and its warnings are a few short lines.
func TestABodyCannotFlood(t *testing.T) { //nolint:paralleltest // it measures allocations
	const size, perByte = 1 << 18, 16
	for name, body := range floods(size) { //nolint:paralleltest // as above
		t.Run(name, func(t *testing.T) {
			data := []byte(body)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, warnings, _ := DecodeInput(data, DecodeOptions{MaxDepth: 64, MaxMessages: 2000})
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > perByte*uint64(len(data)) {
				t.Errorf("%d bytes cost %d, %d times as many", len(data), used, used/uint64(len(data)))
			}
			if len(warnings) > 21 {
				t.Errorf("%d warnings", len(warnings))
			}
			for _, w := range warnings {
				if n := len(w.String()); n > 400 {
					t.Errorf("a warning of %d bytes", n)
				}
			}
		})
	}
}

// So does one event, of another server or of a log.
func TestAnEventCannotFlood(t *testing.T) { //nolint:paralleltest // it measures allocations
	const size, perByte = 1 << 18, 16
	same := func(item string) string { return repeated(size, func(int) string { return item }) }
	named := repeated(size, func(n int) string { return strconv.Quote(strconv.Itoa(n)) + `:0` })
	for name, event := range map[string]string{
		"unknown members":        `{"type":"RUN_ERROR","message":"",` + named + `}`,
		"an unknown event":       `{"type":"NEW",` + named + `}`,
		"metadata":               `{"type":"RUN_ERROR","message":"","metadata":{` + named + `}}`,
		"operations":             `{"type":"STATE_DELTA","delta":[` + same(`{"op":"remove","path":""}`) + `]}`,
		"unknown operations":     `{"type":"STATE_DELTA","delta":[` + same(`{"op":""}`) + `]}`,
		"questions":              `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[` + same(`{"id":"","reason":""}`) + `]}}`,
		"questions of a draft":   `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":"interrupt","interrupts":[` + same(`{"id":"i"}`) + `]}`,
		"usage":                  `{"type":"RUN_ERROR","message":"","usage":[` + same(`{}`) + `]}`,
		"bytes that are no text": `{"type":"RUN_ERROR","message":"` + strings.Repeat("\xff", size) + `"}`,
	} { //nolint:paralleltest // as above
		for kind, decode := range map[string]func([]byte, func(Warning)) (Event, error){"ours": Decode, "foreign": DecodeForeign} {
			t.Run(name+", "+kind, func(t *testing.T) {
				data, warnings := []byte(event), 0
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				_, _ = decode(data, func(w Warning) {
					warnings++
					if n := len(w.String()); n > 400 {
						t.Errorf("a warning of %d bytes", n)
					}
				})
				runtime.ReadMemStats(&after)
				if used := after.TotalAlloc - before.TotalAlloc; used > perByte*uint64(len(data)) {
					t.Errorf("%d bytes cost %d, %d times as many", len(data), used, used/uint64(len(data)))
				}
				if warnings > 21 {
					t.Errorf("%d warnings", warnings)
				}
			})
		}
	}
}
