package openai

import (
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/openai/openaitest"
)

// odd has a model behind a server that is only nearly one.
func odd(t *testing.T, o *openaitest.Odd, change ...func(*Options)) *Model {
	t.Helper()
	server := httptest.NewServer(o)
	t.Cleanup(server.Close)
	options := Options{Provider: "odd", BaseURL: server.URL, Name: "m", Retries: -1}
	for _, f := range change {
		f(&options)
	}
	m, err := New(options)
	must(t, err)
	return m
}

var byStrictSchema = model.Request{
	Messages: []model.Message{{Role: agui.RoleSystem, Text: "Be brief."}, {Role: agui.RoleUser, Text: "Where to?"}},
	Schema:   json.RawMessage(`{"type":"object","required":["city"]}`), SchemaName: "place", Strict: true,
}

const place = `{"city":"Oslo"}`

// TestStructuredStepsDown has servers that know less and less of replies by schema. The first call finds out, the next
// ones know.
func TestStructuredStepsDown(t *testing.T) {
	t.Parallel()
	const noStrict, noSchema, noFormat = "response_format.json_schema.strict", "response_format.type=json_schema", "response_format"
	list := byStrictSchema
	list.Schema = json.RawMessage(`{"type":"array"}`)
	for name, tt := range map[string]struct {
		server     *openaitest.Odd
		structured Structured
		request    model.Request
		refused    int // requests of the first call
		format     string
		told       bool
	}{
		"all of it":              {&openaitest.Odd{}, "", byStrictSchema, 0, `"strict":true`, false},
		"not strict":             {&openaitest.Odd{Refuses: []string{noStrict}}, "", byStrictSchema, 1, `"json_schema"`, false},
		"no schema":              {&openaitest.Odd{Refuses: []string{noSchema}}, "", byStrictSchema, 2, `"json_object"`, true},
		"no schema, named":       {&openaitest.Odd{Refuses: []string{noSchema}, Named: true}, "", byStrictSchema, 2, `"json_object"`, true},
		"no schema, 422":         {&openaitest.Odd{Refuses: []string{noSchema}, Status: 422}, "", byStrictSchema, 2, `"json_object"`, true},
		"no schema, 404":         {&openaitest.Odd{Refuses: []string{noSchema}, Status: 404}, "", byStrictSchema, 2, `"json_object"`, true},
		"no schema, 501":         {&openaitest.Odd{Refuses: []string{noSchema}, Status: 501}, "", byStrictSchema, 2, `"json_object"`, true},
		"no schema, and no list": {&openaitest.Odd{Refuses: []string{noSchema}}, "", list, 2, "", true},
		"no format":              {&openaitest.Odd{Refuses: []string{noFormat}}, "", byStrictSchema, 3, "", true},
		"nothing that is new":    {&openaitest.Odd{Known: []string{"model", "messages", "stream"}}, "", byStrictSchema, 4, "", true},
		"object by choice":       {&openaitest.Odd{Refuses: []string{noSchema}}, StructuredObject, byStrictSchema, 0, `"json_object"`, true},
		"none by choice":         {&openaitest.Odd{Refuses: []string{noFormat}}, StructuredNone, byStrictSchema, 0, "", true},
		"schema by choice":       {&openaitest.Odd{Refuses: []string{noStrict}}, StructuredSchema, byStrictSchema, 1, `"json_schema"`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.server.Next = openaitest.Serve(openaitest.Text(place))
			m := odd(t, tt.server, func(o *Options) { o.Structured = tt.structured })
			for range 3 {
				reply, err := m.Stream(t.Context(), tt.request, model.Deltas{})
				must(t, err)
				equal(t, "text", reply.Text, place)
			}
			if name == "nothing that is new" {
				// That stream_options was refused came last, so a call more finds out which level the server takes.
				tt.refused += 3
			}
			equal(t, "refused", len(tt.server.Refused()), tt.refused)
			last := tt.server.Accepted()[2]
			format := strings.Contains(last, `"response_format"`)
			if format != (tt.format != "") || !strings.Contains(last, tt.format) {
				t.Errorf("request = %s, want the format %s", last, tt.format)
			}
			if told := strings.Contains(last, "Answer with JSON that matches"); told != tt.told || !strings.Contains(last, "Be brief.") || strings.Count(last, `"system"`) != 1 {
				t.Errorf("request = %s, want the schema told: %v", last, tt.told)
			}
		})
	}
}

// TestChoiceIsKept has options that name a way, and a server that refuses it.
func TestChoiceIsKept(t *testing.T) {
	t.Parallel()
	for structured, refuses := range map[Structured]string{StructuredSchema: "response_format.type=json_schema", StructuredObject: "response_format"} {
		server := &openaitest.Odd{Refuses: []string{refuses}, Next: openaitest.Serve(openaitest.Text(place))}
		_, err := odd(t, server, func(o *Options) { o.Structured = structured }).Stream(t.Context(), byStrictSchema, model.Deltas{})
		equal(t, "code of "+string(structured), errcode.Of(err), errcode.ModelRequest)
		equal(t, "accepted", len(server.Accepted()), 0)
	}
}

// TestOnlyWhatHelpedIsRemembered has a request that is refused in every form: nothing is learned of it, and the error
// is that of the first form.
func TestOnlyWhatHelpedIsRemembered(t *testing.T) {
	t.Parallel()
	server := &openaitest.Odd{Refuses: []string{"temperature"}, Next: openaitest.Serve(openaitest.Text(place))}
	hot := 1.5
	m := odd(t, server, func(o *Options) { o.Temperature = &hot })
	_, err := m.Stream(t.Context(), byStrictSchema, model.Deltas{})
	equal(t, "code", errcode.Of(err), errcode.ModelRequest)
	equal(t, "requests", len(server.Refused()), 5)
	m.o.Temperature = nil
	_, err = m.Stream(t.Context(), byStrictSchema, model.Deltas{})
	must(t, err)
	if last := server.Accepted()[0]; !strings.Contains(last, `"strict":true`) || !strings.Contains(last, `"stream_options"`) {
		t.Errorf("request = %s, want everything in it", last)
	}
	m.o.Temperature = &hot
	_, err = m.Stream(t.Context(), byStrictSchema, model.Deltas{})
	equal(t, "code", errcode.Of(err), errcode.ModelRequest)
	equal(t, "requests of a form that is known to be right", len(server.Refused()), 6)
}

// TestOneSchemaSaysNothingOfOthers has a server that takes schemas, and one schema that it refuses.
func TestOneSchemaSaysNothingOfOthers(t *testing.T) {
	t.Parallel()
	server := &openaitest.Odd{Refuses: []string{"response_format.json_schema.schema.oneOf"}, Next: openaitest.Serve(openaitest.Text(place))}
	m := odd(t, server)
	bad := byStrictSchema
	bad.Schema = json.RawMessage(`{"type":"object","oneOf":[{}]}`)
	for _, r := range []model.Request{byStrictSchema, bad, byStrictSchema, bad} {
		_, err := m.Stream(t.Context(), r, model.Deltas{})
		must(t, err)
	}
	accepted := server.Accepted()
	for i, want := range []string{`"strict":true`, `"json_object"`, `"strict":true`, `"json_object"`} {
		if !strings.Contains(accepted[i], want) {
			t.Errorf("request %d = %s, want %s", i, accepted[i], want)
		}
	}
	equal(t, "refused", len(server.Refused()), 2)
}

// TestASchemaThatIsIgnored has a server that takes response_format and leaves it out: the model does not know what it
// is to answer with.
func TestASchemaThatIsIgnored(t *testing.T) {
	t.Parallel()
	server := &openaitest.Odd{Next: openaitest.Serve(openaitest.Text("I would go to Oslo."), openaitest.Text(place))}
	m := odd(t, server)
	for range 3 {
		_, err := m.Stream(t.Context(), byStrictSchema, model.Deltas{})
		must(t, err)
	}
	accepted := server.Accepted()
	if strings.Contains(accepted[0], "Answer with JSON") || !strings.Contains(accepted[1], "Answer with JSON") || !strings.Contains(accepted[2], "Answer with JSON") {
		t.Errorf("requests = %q, want the schema told from the second on", accepted)
	}
}

// TestWhatWasLearnedIsSaidOnce has many calls at once of one model, and of many schemas.
func TestWhatWasLearnedIsSaidOnce(t *testing.T) {
	t.Parallel()
	server := &openaitest.Odd{Refuses: []string{"response_format.type=json_schema"}, Next: openaitest.Serve(openaitest.Text(place))}
	var log strings.Builder
	m := odd(t, server, func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range maxSchemas / 4 {
				r := byStrictSchema
				r.Schema = json.RawMessage(`{"type":"object","maxProperties":` + strings.Repeat("1", 1+i) + strings.Repeat("0", n%18) + `}`)
				if _, err := m.Stream(t.Context(), r, model.Deltas{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	equal(t, "lines that tell of it", strings.Count(log.String(), "level=WARN"), 1)
	if !strings.Contains(log.String(), "json_object") || strings.Contains(log.String(), "Where to?") {
		t.Errorf("log = %s", log.String())
	}
	m.learned.mu.Lock()
	defer m.learned.mu.Unlock()
	if len(m.learned.schemas) > maxSchemas {
		t.Errorf("%d schemas are remembered", len(m.learned.schemas))
	}
}

// TestRefusalsThatAreAboutSomethingElse are not answered with another form.
func TestRefusalsThatAreAboutSomethingElse(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer openaitest.Answer
		want   errcode.Code
	}{
		"another member": {openaitest.Answer{Status: 400, Body: `{"error":{"param":"messages[0].content"}}`}, errcode.ModelRequest},
		"a mistake's place": {openaitest.Answer{Status: 422, Body: `{"detail":[{"type":"x","loc":["body","messages",0,"user","name"]}]}`},
			errcode.ModelRequest},
		"no such model":       {openaitest.Answer{Status: 404, Body: `{"error":{"code":"model_not_found"}}`}, errcode.ModelRequest},
		"a wrong key":         {openaitest.Answer{Status: 401}, errcode.ModelAuth},
		"too long":            {openaitest.Answer{Status: 400, Body: `{"error":{"code":"context_length_exceeded"}}`}, errcode.ModelContextLength},
		"too large":           {openaitest.Answer{Status: 413}, errcode.ModelRequest},
		"withheld":            {openaitest.Answer{Status: 400, Body: `{"error":{"code":"content_filter"}}`}, errcode.ModelContentFilter},
		"a reply it spoilt":   {openaitest.Answer{Status: 400, Body: `{"error":{"code":"json_validate_failed"}}`}, errcode.ModelResponse},
		"broken in a request": {openaitest.Answer{Status: 500}, errcode.ModelUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, tt.answer)
			_, err := s.model().Stream(t.Context(), byStrictSchema, model.Deltas{})
			equal(t, "code", errcode.Of(err), tt.want)
			equal(t, "requests", len(s.Requests()), 1)
		})
	}
}

// TestMembersThatAreNamed has servers that tell what they do not take, as OpenAI and as Mistral do. Nothing else is
// left out.
func TestMembersThatAreNamed(t *testing.T) {
	t.Parallel()
	mistral := openaitest.Answer{Status: 422, Body: `{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","stream_options","include_usage"],"msg":"no"}]}}`}
	renamed := openaitest.Answer{Status: 400, Body: `{"error":{"type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`}
	s := newServer(t, mistral, renamed, openaitest.Text(place), openaitest.Text(place))
	m := s.model(func(o *Options) { o.MaxTokens = 5 })
	for range 2 {
		_, err := m.Stream(t.Context(), byStrictSchema, model.Deltas{})
		must(t, err)
	}
	equal(t, "requests", len(s.Requests()), 4)
	for _, last := range s.Requests()[2:] {
		if strings.Contains(last, "stream_options") || !strings.Contains(last, `"max_completion_tokens":5`) || !strings.Contains(last, `"strict":true`) {
			t.Errorf("request = %s", last)
		}
	}
	forced := newServer(t, renamed)
	_, err := forced.model(func(o *Options) { o.MaxTokens, o.MaxTokensField = 5, maxTokens }).Stream(t.Context(), hello, model.Deltas{})
	equal(t, "code where the name is a choice", errcode.Of(err), errcode.ModelRequest)
	equal(t, "requests", len(forced.Requests()), 1)
}

// TestMaxTokensHaveTwoNames looks at which one is sent.
func TestMaxTokensHaveTwoNames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		want   string
		change func(*Options)
	}{
		{maxTokens, func(*Options) {}},
		{maxCompletionTokens, func(o *Options) { o.Effort = "low" }},
		{maxTokens, func(o *Options) { o.Effort, o.MaxTokensField = "low", maxTokens }},
		{maxCompletionTokens, func(o *Options) { o.MaxTokensField = maxCompletionTokens }},
	} {
		s := newServer(t, openaitest.Text("ok"))
		_, err := s.model(func(o *Options) { o.MaxTokens = 9; tt.change(o) }).Stream(t.Context(), hello, model.Deltas{})
		must(t, err)
		var sent map[string]any
		must(t, json.Unmarshal([]byte(s.Requests()[0]), &sent))
		for _, name := range []string{maxTokens, maxCompletionTokens} {
			want := any(nil)
			if name == tt.want {
				want = 9.0
			}
			equal(t, name, sent[name], want)
		}
	}
}

// TestACharacterSplitBetweenChunks arrives whole, in texts, reasoning and arguments, by both APIs.
func TestACharacterSplitBetweenChunks(t *testing.T) {
	t.Parallel()
	both := func(members string) string {
		return openaitest.Delta(strings.ReplaceAll(members, "X", `a\ud83d`)) + "\n" + openaitest.Delta(strings.ReplaceAll(members, "X", `\ude00b`))
	}
	event := func(kind, delta string) string {
		return `{"type":"response.` + kind + `.delta","output_index":0,"delta":"` + delta + `"}` + "\n"
	}
	accept := func(o *Options) { o.AcceptUnfinished = true }
	for name, tt := range map[string]struct {
		body, want string
		change     func(*Options)
	}{
		"text":             {both(`"content":"X"`), "t(a)t(😀b)", accept},
		"parts":            {both(`"content":[{"type":"text","text":"X"}]`), "t(a)t(😀b)", accept},
		"reasoning":        {both(`"reasoning_content":"X"`) + "\n" + both(`"content":"X"`), "r(a)r(😀b)t(a)t(😀b)", accept},
		"arguments":        {both(`"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":"X"}}]`) + "\n" + openaitest.Finish("tool_calls"), "c0(f a)c0(f 😀b)", accept},
		"half a character": {openaitest.Delta(`"content":"a\ud83d"`) + "\n" + openaitest.Delta(`"content":"b"`), "t(a)t(\uFFFDb)", accept},
		"responses": {event("output_text", `a\ud83d`) + event("output_text", `\ude00b`) +
			`{"type":"response.completed","response":{"status":"completed"}}`, "t(a)t(😀b)", viaResponses},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var h heard
			m := newServer(t, openaitest.Answer{Body: tt.body}).model(tt.change)
			_, err := m.Stream(t.Context(), hello, h.deltas())
			must(t, err)
			equal(t, "deltas", h.String(), tt.want)
		})
	}
}

// TestAReplyWithoutAnEnd is complete only where the options say that its server is like that.
func TestAReplyWithoutAnEnd(t *testing.T) {
	t.Parallel()
	open := openaitest.Answer{Body: openaitest.Delta(`"content":"A"`)}
	accept := func(o *Options) { o.AcceptUnfinished = true }
	_, err := newServer(t, open).model().Stream(t.Context(), hello, model.Deltas{})
	equal(t, "code", errcode.Of(err), errcode.ModelResponse)
	reply, err := newServer(t, open).model(accept).Stream(t.Context(), hello, model.Deltas{})
	must(t, err)
	equal(t, "reply", reply.Text+" "+reply.Finish, "A stop")
	for name, cut := range map[string]openaitest.Answer{
		"nothing":          {},
		"a broken line":    {Body: open.Body, Cut: true},
		"half of a call":   {Body: openaitest.Delta(`"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":"{"}}]`)},
		"nothing but hums": {Body: openaitest.Delta(`"reasoning_content":"hm"`)},
	} {
		if _, err := newServer(t, cut).model(accept).Stream(t.Context(), hello, model.Deltas{}); err == nil {
			t.Errorf("%s passes as a reply", name)
		}
	}
}
