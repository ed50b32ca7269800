package house

import (
	"path"
	"regexp"
	"slices"
	"testing"
)

// foreignJSON are the packages that read JSON of clients, models, and other servers.
var foreignJSON = []string{
	"a2a", "agui/client", "gateway", "gateway/auth", "gateway/copilotkit", "gateway/internal/attachment", "gateway/internal/typed", "groupchat", "groupchat/ask", "groupchat/internal/approval", "groupchat/guard", "groupchat/internal/translate",
	"groupchat/plan", "groupchat/suggest", "groupchat/surface", "groupchat/thread", "httptool", "langgraph", "mcp", "model/anthropic", "model/openai",
}

// plainJSON are files in them that read JSON of this process or of the operator, or decode into maps, texts and
// numbers, and so have no fields that a name in other letters could be taken for. Chunks of models' streams are there
// because each token is one, and no schema was held against them.
var plainJSON = []string{
	"groupchat/ask.go", "groupchat/ask/ask.go", "groupchat/internal/approval/card.go",
	"gateway/principal.go", "gateway/sent_messages.go", "gateway/trace_steps.go", "gateway/auth/jwt.go",
	"groupchat/approve.go", "groupchat/astool.go", "groupchat/contract.go", "groupchat/conversation.go",
	"groupchat/session.go", "groupchat/concurrent.go", "groupchat/llm_speak.go", "groupchat/llm_history.go",
	"groupchat/turn.go", "groupchat/once.go", "groupchat/internal/translate/earlier.go",
	"groupchat/remote_request.go", "groupchat/thread/result.go", "groupchat/tool_call.go", "groupchat/tool_input.go",
	"groupchat/view.go", "groupchat/guard/json.go", "groupchat/plan/manager.go",
	"httptool/check.go", "langgraph/thread.go", "model/openai/chunk.go",
	"model/openai/chunk_plain.go", "model/openai/errors.go", "model/openai/form.go", "model/openai/opaque.go",
	"model/openai/responses_body.go", "model/openai/responses_events.go", "model/anthropic/stream.go",
}

var plainUnmarshal = regexp.MustCompile(`\bjson\.(Unmarshal|NewDecoder)\(`)

// TestJSONOfOthersHasExactNames wants JSON of others to be decoded by internal/exact: encoding/json takes a member
// EditedArgs for editedArgs, though a schema that was held against the members knows only the second.
func TestJSONOfOthersHasExactNames(t *testing.T) {
	t.Parallel()
	sources, err := readTree(root)
	if err != nil {
		t.Fatal(err)
	}
	unused := slices.Clone(plainJSON)
	for _, s := range sources {
		if s.test() || !slices.Contains(foreignJSON, path.Dir(s.path)) || !plainUnmarshal.MatchString(read(t, root, s.path)) {
			continue
		}
		if i := slices.Index(unused, s.path); i >= 0 {
			unused = slices.Delete(unused, i, i+1)
		} else {
			t.Errorf("%s decodes JSON with encoding/json: use exact.Unmarshal, or add it to plainJSON if nobody else has written the JSON", s.path)
		}
	}
	for _, file := range unused {
		t.Errorf("%s decodes no JSON with encoding/json: remove it from plainJSON", file)
	}
}
