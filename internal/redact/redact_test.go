package redact

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestLine(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text    string
		secrets, told []string
		want          string
	}{
		{"a plain sentence", "The model gpt-4o-2024-08-06 does not exist.", nil, nil, "The model gpt-4o-2024-08-06 does not exist."},
		{"several lines", "\tTraceback:\r\n  KeyError\x00 'x'\n", nil, nil, "Traceback: KeyError 'x'"},
		{"a secret", "wrong key correct-horse-battery!", []string{"correct-horse-battery"}, nil, "wrong key •••!"},
		{"a part of a secret", "wrong key …-horse-battery", []string{"correct-horse-battery"}, nil, "wrong key …•••"},
		{"a short secret", "user anna", []string{"anna"}, nil, "user •••"},
		{"a word that is hardly one", "1 of 3", []string{"1"}, nil, "1 of 3"},
		{"what was said", "cannot answer “What is wrong with my leg?”", nil, []string{"Hello.\nWhat is wrong\nwith my leg?"}, "cannot answer “•••”"},
		{"a short saying", "bad input: my leg hurts", nil, []string{"my leg hurts"}, "bad input: •••"},
		{"a word of it", "the answer is not JSON", nil, []string{"Give me an answer in JSON"}, "the answer is not JSON"},
		{"known forms of keys", "sk-abc123def, ghp_0123456789, Bearer a.b.c, eyJhbGciOiJI.x.y", nil, nil, "•••, •••, Bearer •••, •••"},
		{"a named one", `{"api_key": "abcd1234"} token=efgh`, nil, nil, `{"api_key": "•••"} token=•••`},
		{"a long one", "id req_011CSHoEeqs5C35K2UUqR7Fy", nil, nil, "id •••"},
		{"in a URL", "POST https://ann:pw@host/v1/x?key=1: refused", nil, nil, "POST https://•••@host/v1/x?••• refused"},
		{"letters of several bytes", "Schlüssel-äöüß-geheim falsch", []string{"äöüß-geheim"}, nil, "Schlüssel-••• falsch"},
		{"no UTF-8", "a\xffb", nil, nil, "a\uFFFDb"},
		{"too long", strings.Repeat("é", 500), nil, nil, strings.Repeat("é", 150) + "…"},
	}
	for _, tt := range tests {
		if got := Line(tt.text, tt.secrets, tt.told); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestURL(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://ann:pw@api.test:8443/v1/chat/completions?api-version=1#x":                "https://api.test:8443/v1/chat/completions",
		"https://hooks.test/services/T024BE7LD/B0A1/XsK81mfP0qLt7Zr5Yh2Jw0Aa":             "https://hooks.test/services/T024BE7LD/B0A1/•••",
		"http://r.test/openai/deployments/gpt-4o-2024-08-06/chat":                         "http://r.test/openai/deployments/gpt-4o-2024-08-06/chat",
		"http://r.test/threads/7f3a1c52-0b7e-4b0e-9a53-1c5a5a1f7d11/agents/research-desk": "http://r.test/threads/7f3a1c52-0b7e-4b0e-9a53-1c5a5a1f7d11/agents/research-desk",
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := URL(u); got != want {
			t.Errorf("URL(%s) = %s, want %s", text, got, want)
		}
	}
}

// FuzzLine wants any text to become one short line that holds no passage of a secret or of a request.
func FuzzLine(f *testing.F) {
	f.Add("wrong key correct-horse-battery", "correct-horse-battery", "What is wrong with my leg?")
	f.Add("äöü\xff\n", "äöüäöüäöü", "\n\n")
	f.Fuzz(func(t *testing.T, text, secret, told string) {
		const most = 1 << 11 // longer ones show nothing more, and are compared passage by passage
		secret, told = secret[:min(len(secret), most)], told[:min(len(told), most)]
		got := Line(text, []string{secret}, []string{told})
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\r\n\t\x00") || len(got) > maxKept+len("…") {
			t.Fatalf("Line() = %q", got)
		}
		clean := strings.ReplaceAll(got, Mark, "\n")
		for i := 0; i+secretPassage <= len(secret); i++ {
			if strings.Contains(clean, secret[i:i+secretPassage]) {
				t.Errorf("Line(%q) = %q tells %q", text, got, secret[i:i+secretPassage])
			}
		}
		said := oneLine(told)
		for i := 0; i+toldPassage <= len(said); i++ {
			if strings.Contains(clean, said[i:i+toldPassage]) {
				t.Errorf("Line(%q) = %q tells %q", text, got, said[i:i+toldPassage])
			}
		}
	})
}

func TestSentence(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"error":{"message":"No.","type":"x"}}`: "No.",
		`{"error":"No."}`:                        "No.",
		`{"error":"bad","message":"No."}`:        "No.",
		`{"detail":"No."}`:                       "No.",
		`{"detail":[{"loc":["a"],"msg":"No."}]}`: "No.",
		`[{"error":{"message":"No."}}]`:          "No.",
		`"No."`:                                  "No.",
		`{"code":4}`:                             `{"code":4}`,
		"No.":                                    "No.",
		"<p>No.<style>p{}</style></p>":           " No.  ",
		"":                                       "",
	} {
		if got := Sentence([]byte(body)); got != want {
			t.Errorf("Sentence(%s) = %q, want %q", body, got, want)
		}
	}
}
