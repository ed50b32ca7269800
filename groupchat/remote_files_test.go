package groupchat

import (
	"encoding/json"
	"net/netip"
	"testing"

	"github.com/agui-gateway/gateway/agui"
)

// TestFilesInResultsOfARemote checks that a remote agent's results have only files that a request could have.
func TestFilesInResultsOfARemote(t *testing.T) {
	t.Parallel()
	const (
		private = "A file was left out: it has a URL of this machine or of a private network."
		plain   = "A file was left out: it has a URL that is not https."
		none    = "A file was left out: it has a URL that is none."
	)
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	for _, tt := range []struct {
		url     string
		allowed []netip.Prefix
		want    string // instead of the file; empty: the file stays
	}{
		{url: "https://example.com/a.png"},
		{url: "data:image/png;base64,AA=="},
		{url: "http://127.0.0.1:9/internal", want: private},
		{url: "http://127.0.0.1:9/internal", allowed: loopback},
		{url: "https://169.254.169.254/latest", want: private},
		{url: "https://10.0.0.1/x", allowed: loopback, want: private},
		{url: "https://metadata.google.internal/", want: private},
		{url: "http://example.com/a.png", want: plain},
		{url: "https://user:word@example.com/a.png", want: plain},
		{url: "file:///etc/passwd", want: plain},
		{url: "/threads/t/files/m/0", want: plain},
		{url: "http://[", want: none},
	} {
		t.Run(tt.url, func(t *testing.T) {
			t.Parallel()
			file := agui.Part{Type: agui.PartImage, Source: &agui.Source{Type: agui.SourceURL, Value: tt.url, MimeType: "image/png"}}
			content, err := json.Marshal(agui.PartsContent(agui.Part{Type: agui.PartText, Text: "See"}, file))
			must(t, err)
			call := `{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f"}` + "\n" +
				`{"type":"TOOL_CALL_END","toolCallId":"c"}` + "\n" +
				`{"type":"TOOL_CALL_RESULT","toolCallId":"c","messageId":"res","content":` + string(content) + "}\n"
			u := newUpstream(t, begins+call+ends)
			out := newRig(t, remote(t, RemoteOptions{URL: u.URL, AllowAddresses: tt.allowed})).say("go")
			if out.err != nil {
				t.Fatal(out.err)
			}
			want := []agui.Part{{Type: agui.PartText, Text: "See"}, file}
			if tt.want != "" {
				want[1] = agui.Part{Type: agui.PartText, Text: tt.want}
			}
			for _, e := range out.events {
				if result, ok := e.(*agui.ToolCallResult); ok {
					equal(t, "content", result.Content.Text(), agui.PartsContent(want...).Text())
					parts, _ := result.Content.Parts()
					equal(t, "parts", len(parts), 2)
					equal(t, "file", parts[1].Text, tt.want)
					equal(t, "kept", parts[1].Source != nil, tt.want == "")
				}
			}
		})
	}
}
