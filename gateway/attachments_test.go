package gateway_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/gateway"
)

// A team file lists the types of files of an agent: others are refused, and pages get the list.
func TestAttachmentsOfAnAgent(t *testing.T) {
	t.Parallel()
	team := loadTeam(t, `version: 1
agents:
  all: { type: script, attachments: on, steps: [ { say: x } ] }
  none: { type: script, attachments: off, steps: [ { say: x } ] }
  looks: { type: script, attachments: { types: [ image/* ], max_size: 1KiB, max_count: 1 }, steps: [ { say: x } ] }
  unsaid: { type: script, steps: [ { say: x } ] }
`)
	w := newWorld(t, func(o *gateway.Options) {
		o.Agents, o.Agent, o.Legacy, o.Limits.File = team.Agents, team.Options, "all", 2000
	})
	picture, text := filed("image", "image/png", onePixel), filed("document", "text/plain", "Hi")
	for _, test := range []struct {
		agent, parts string
		status       int
		says         string
	}{
		{"all", picture + "," + text, 200, ""}, {"unsaid", picture + "," + text, 200, ""}, {"looks", picture, 200, ""},
		{"none", picture, 422, "takes none"}, {"looks", text, 422, "does not take"}, {"looks", picture + "," + picture, 413, "too_large"},
		{"looks", filed("image", "image/png", noise(1000)), 413, "too_large"}, {"all", filed("image", "image/png", noise(1000)), 200, ""},
	} {
		status, body := w.call("POST", "/agents/"+test.agent, withParts(test.agent+test.says, test.parts))
		if status != test.status || !strings.Contains(body, test.says) {
			t.Errorf("%s, %.60s… = %d %.300s, want %d, %q", test.agent, test.parts, status, body, test.status, test.says)
		}
	}
	var list struct {
		Agents []struct {
			ID          string
			Attachments json.RawMessage
		}
	}
	_, body := w.call("GET", "/agents", "")
	if err := json.Unmarshal([]byte(body), &list); err != nil {
		t.Fatal(err)
	}
	for _, a := range list.Agents {
		want := map[string]string{"all": `{"types":["*/*"],"maxSize":2000,"maxCount":16}`, "looks": `{"types":["image/*"],"maxSize":1024,"maxCount":1}`}[a.ID]
		if string(a.Attachments) != want {
			t.Errorf("%s takes %s, want %s", a.ID, a.Attachments, want)
		}
		_, capabilities := w.call("GET", "/agents/"+a.ID+"/capabilities", "")
		input := map[string]string{
			"all":   `"multimodal":{"input":{"image":true,"audio":true,"video":true,"pdf":true,"file":true}}`,
			"none":  `"multimodal":{"input":{"image":false,"audio":false,"video":false,"pdf":false,"file":false}}`,
			"looks": `"multimodal":{"input":{"image":true,"audio":false,"video":false,"pdf":false,"file":false}}`,
		}[a.ID]
		if !strings.Contains(capabilities, input) || input == "" && strings.Contains(capabilities, "multimodal") {
			t.Errorf("%s: %s, want %s", a.ID, capabilities, input)
		}
	}
}
