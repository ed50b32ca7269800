package main

import (
	"strings"
	"testing"
)

// TestAnEnvFileHasNoUnknownSettings refuses a misspelt one, by its name and without its value. Variables of other
// programs, and of team files, are ignored.
func TestAnEnvFileHasNoUnknownSettings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"GATEWAY_STOER=file:hush-hush":                          "GATEWAY_STOER is no setting",
		"GATEWAY_STORE=memory\nGATEWAY_KEEP=off\nOTHER_STOER=1": "",
		webhookSecret + "=hush-hush":                            "",
		"GATEWAY_STORE_DEFAULT=memory\nREDIS_URL=redis://x":     "",
	} {
		lines, err := readEnvFile(writeFile(t, "env", text))
		if err != nil {
			t.Fatal(err)
		}
		err = unknownVariable(lines)
		if got := err != nil; got != (want != "") || got && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hush")) {
			t.Errorf("unknownVariable(%q) = %v, want %q", text, err, want)
		}
	}
	if got := publicHost("redis+sentinel://user:hush@one:1,two:2/master?x=hush"); got != "redis+sentinel://one:1,two:2" {
		t.Errorf("publicHost() = %q", got)
	}
}
