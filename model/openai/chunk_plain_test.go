package openai

import (
	"reflect"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/surrogate"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/internal/provider"
)

// plainChunks are chunks as servers send them while a model speaks, and the text of each.
var plainChunks = []struct {
	name, raw       string
	text, reasoning string
}{
	{"OpenAI", `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1790000000,"model":"m","service_tier":"default","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"content":" word"},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"aX"}`, " word", ""},
	{"OpenAI's first", `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"finish_reason":null}]}`, "", ""},
	{"spaces between, as Python writes JSON", `{"id": "c", "choices": [{"index": 0, "delta": {"content": "a, b"}, "finish_reason": null}]}`, "a, b", ""},
	{"escapes", `{"choices":[{"index":0,"delta":{"content":"\n\"\u00e9\ud83d\ude00\\"}}]}`, "\n\"é😀\\", ""},
	{"UTF-8", `{"choices":[{"index":0,"delta":{"content":"naïve 😀"}}]}`, "naïve 😀", ""},
	{"reasoning", `{"choices":[{"index":0,"delta":{"content":null,"reasoning_content":"hm"}}]}`, "", "hm"},
	{"reasoning under its other name", `{"choices":[{"index":0,"delta":{"reasoning":"hm","reasoning_content":null,"tool_calls":null}}]}`, "", "hm"},
	{"reasoning under both", `{"choices":[{"index":0,"delta":{"reasoning":"b","reasoning_content":"a"}}]}`, "", "a"},
}

// notPlain are chunks that have to be looked at in full: they say more, or it takes more to say what they mean.
var notPlain = []string{
	``, `{}`, `[]`, `null`, `{"choices":[]}`, `{"choices":[{}]}`,
	`{"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}`,
	`{"choices":[{"index":1,"delta":{"content":"x"}}]}`,
	`{"choices":[{"index":0,"delta":{"content":"x"}},{"index":1,"delta":{"content":"y"}}]}`,
	`{"choices":[{"index":0,"delta":{"content":"x","content":"y"}}]}`,
	`{"choices":[{"index":0,"delta":{"content":"x","Content":"y"}}]}`,
	`{"choices":[{"index":0,"delta":{"content":[{"text":"x"}]}}]}`,
	`{"choices":[{"index":0,"delta":{"content":7}}]}`,
	`{"choices":[{"index":0,"delta":{"content":"x","tool_calls":[]}}]}`,
	`{"choices":[{"index":0,"delta":{"content":"x"}}],"usage":{"prompt_tokens":1}}`,
	`{"choices":[{"index":0,"delta":{"content":"x"}}],"error":{"code":1}}`,
	`{"choices":[{"index":0,"delta":{"content":"x"}}],"object":"error"}`,
	`{"choices":[{"index":0,"delta":{"content":"x"}}]} x`,
	`{"choices":[{"index":0,"delta":{"content":"x"}}]`,
	"{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\nb\"}}]}",
	"{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\xff\"}}]}",
	`{"id":"\x","choices":[{"index":0,"delta":{"content":"x"}}]}`,
	`{"created":01,"choices":[{"index":0,"delta":{"content":"x"}}]}`,
}

func TestPlainChunks(t *testing.T) {
	for _, c := range plainChunks {
		got, _, ok := readPlain([]byte(c.raw))
		if want := (plainChunk{text: c.text, reasoning: c.reasoning}); !ok || got != want {
			t.Errorf("%s: %+v, %v, want %+v", c.name, got, ok, want)
		}
		if again, _ := heardOf(c.raw, (*chunkReader).addAny); again.text != c.text || again.reasoning != c.reasoning {
			t.Errorf("%s: read in full it says %+v", c.name, again)
		}
	}
	for _, raw := range notPlain {
		if got, _, ok := readPlain([]byte(raw)); ok {
			t.Errorf("%s was read as %+v", raw, got)
		}
	}
}

// heardChunk is what a reply has after one chunk.
type heardChunk struct {
	plainChunk
	calls  int
	finish string
	usage  agui.TokenUsage
}

// heardOf adds a chunk to an empty reply.
func heardOf(raw string, add func(*chunkReader, []byte) error) (heardChunk, error) {
	var h heardChunk
	draft := provider.NewDraft(model.Deltas{
		Text:      func(d string) error { h.text += d; return nil },
		Reasoning: func(d string) error { h.reasoning += d; return nil },
		Call:      func(int, string, string) error { h.calls++; return nil },
	}, agui.TokenUsage{})
	r := chunkReader{Draft: &draft}
	err := add(&r, []byte(raw))
	h.finish, h.usage = r.Finished(), *r.Usage()
	return h, err
}

// FuzzPlainChunk compares the fast path with the complete decoder.
func FuzzPlainChunk(f *testing.F) {
	for _, c := range plainChunks {
		f.Add(c.raw)
	}
	for _, raw := range notPlain {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		plain, _, ok := readPlain([]byte(raw))
		if !ok {
			return
		}
		var text, reasoning surrogate.Joiner
		plain.text, plain.reasoning = text.Add(surrogate.Text(plain.text)), reasoning.Add(surrogate.Text(plain.reasoning))
		got, err := heardOf(raw, (*chunkReader).addAny)
		want := heardChunk{plainChunk: plain}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s\nis read in one pass as %+v\nin full as %+v, %v", raw, want, got, err)
		}
	})
}

// shaped reads a chunk behind another one.
func shaped(before, raw string) (plainChunk, bool) {
	var shape plainShape
	if plain, at, ok := readPlain([]byte(before)); ok {
		shape.keep([]byte(before), plain, at)
	}
	return shape.read([]byte(raw))
}

func TestPlainShapes(t *testing.T) {
	chunk := func(text string) string {
		return `{"id":"c","choices":[{"index":0,"delta":` + text + `,"finish_reason":null}]}`
	}
	for _, c := range []struct {
		before, raw string
		want        plainChunk
		ok          bool
	}{
		{`{"content":"a"}`, `{"content":" bc"}`, plainChunk{text: " bc"}, true},
		{`{"content":"a"}`, `{"content":"naïve 😀"}`, plainChunk{text: "naïve 😀"}, true},
		{`{"content":"a"}`, `{"content":""}`, plainChunk{}, false},
		{`{"content":"","reasoning":"a"}`, `{"content":"","reasoning":"b"}`, plainChunk{reasoning: "b"}, true},
		{`{"reasoning":"a","content":""}`, `{"reasoning":"b","content":""}`, plainChunk{reasoning: "b"}, true},
		{`{"content":"a"}`, `{"content":"\n"}`, plainChunk{}, false},
		{`{"content":"a"}`, `{"content":"a","role":"b"}`, plainChunk{}, false},
		{`{"content":"a"}`, "{\"content\":\"a\tb\"}", plainChunk{}, false},
		{`{"content":"a"}`, "{\"content\":\"\xff\"}", plainChunk{}, false},
		{`{"content":"a"}`, `{"content":"a"`, plainChunk{}, false},
		{`{"content":"\n"}`, `{"content":"b"}`, plainChunk{}, false},
		{`{"content":""}`, `{"content":"b"}`, plainChunk{}, false},
		{`{"content":"a","reasoning":"b"}`, `{"content":"a","reasoning":"c"}`, plainChunk{}, false},
		{`{"reasoning_content":"a","reasoning":"a"}`, `{"reasoning_content":"a","reasoning":"b"}`, plainChunk{}, false},
	} {
		if got, ok := shaped(chunk(c.before), chunk(c.raw)); ok != c.ok || got != c.want {
			t.Errorf("%s behind %s: %+v, %v, want %+v, %v", c.raw, c.before, got, ok, c.want, c.ok)
		}
	}
}

// FuzzPlainShape compares the fast path by the shape of another chunk with the complete decoder.
func FuzzPlainShape(f *testing.F) {
	for _, c := range plainChunks {
		f.Add(c.raw, c.raw)
	}
	f.Add(plainChunks[7].raw, notPlain[6])
	f.Fuzz(func(t *testing.T, before, raw string) {
		plain, ok := shaped(before, raw)
		if !ok {
			return
		}
		got, err := heardOf(raw, (*chunkReader).addAny)
		want := heardChunk{plainChunk: plain}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s\nis read by the shape of %s as %+v\nin full as %+v, %v", raw, before, want, got, err)
		}
	})
}

func BenchmarkChunk(b *testing.B) {
	raw := []byte(plainChunks[0].raw)
	unlike := func(r *chunkReader, raw []byte) error {
		r.shape.before = r.shape.before[:0]
		return r.add(raw)
	}
	for name, add := range map[string]func(*chunkReader, []byte) error{"plain": (*chunkReader).add, "unlike": unlike, "in full": (*chunkReader).addAny} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			r := chunkReader{Draft: new(provider.Draft)}
			for i := 0; b.Loop(); i++ {
				if i%10_000 == 0 {
					r.Draft = new(provider.Draft) // a reply is bounded
				}
				if err := add(&r, raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
