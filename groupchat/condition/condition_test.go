package condition_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat"
	. "github.com/agui-gateway/gateway/groupchat/condition"
	"github.com/agui-gateway/gateway/state/document"
)

func TestConditions(t *testing.T) {
	t.Parallel()
	const shown = `{"n":3,"x":-0.5,"big":1e300,"text":"A blue hat","list":["red",2,{"a":1}],"empty":[],"none":null,"yes":true}`
	doc, err := document.New([]byte(shown), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v := groupchat.View{State: document.Shared(doc), LastSpeaker: "ann"}.WithHistory([]groupchat.Message{
		{ID: "1", Role: agui.RoleUser, Content: agui.TextContent("old words")},
		{ID: "2", Role: agui.RoleUser, Content: agui.TextContent("I want a Refund")},
		{ID: "3", Role: agui.RoleAssistant, Name: "ann", Content: agui.TextContent("All done")},
		{ID: "4", Role: agui.RoleAssistant, Name: "ann"},
		{ID: "5", Role: agui.RoleAssistant, Name: "bob", Content: agui.TextContent("Me too")},
	})
	yes, no := Present("/n"), Missing("/n")
	refund, hat := regexp.MustCompile(`(?i)\brefund`), regexp.MustCompile("^A .* hat$")
	for name, c := range map[string]struct {
		c    groupchat.Condition
		want bool
	}{
		"and":                          {And(yes, yes), true},
		"and, one does not hold":       {And(yes, no), false},
		"and of nothing":               {And(), true},
		"or":                           {Or(no, yes), true},
		"or, none holds":               {Or(no, no), false},
		"or of nothing":                {Or(), false},
		"not":                          {Not(no), true},
		"not not":                      {Not(Not(yes)), true},
		"nil never holds":              {And(nil), false},
		"not nil":                      {Not(nil), true},
		"equal":                        {Equals("/list", json.RawMessage(`[ "red", 2, {"a":1} ]`)), true},
		"equal to something else":      {Equals("/n", 4), false},
		"equal to null":                {Equals("/none", nil), true},
		"nothing there is not null":    {Equals("/nowhere", nil), false},
		"equal to what JSON has not":   {Equals("/n", func() {}), false},
		"greater":                      {Greater("/n", 2.5), true},
		"not greater than itself":      {Greater("/n", 3), false},
		"less":                         {Less("/x", 0), true},
		"not less":                     {Less("/big", 1e299), false},
		"a text is no number":          {Or(Greater("/text", 0), Less("/text", 0)), false},
		"null is no number":            {Or(Greater("/none", -1), Less("/none", 1)), false},
		"missing is no number":         {Or(Greater("/nowhere", -1), Less("/nowhere", 1)), false},
		"part of a text":               {Contains("/text", "blue"), true},
		"letters count":                {Contains("/text", "Blue"), false},
		"element of a list":            {Contains("/list", "red"), true},
		"a number in a list":           {Contains("/list", 2), true},
		"an object in a list":          {Contains("/list", map[string]int{"a": 1}), true},
		"no part of an element":        {Contains("/list", "re"), false},
		"nothing is in an empty list":  {Contains("/empty", nil), false},
		"a number in a text":           {Contains("/text", 2), false},
		"in an object, or nowhere":     {Or(Contains("/yes", true), Contains("/nowhere", "x"), Contains("/none", "x")), false},
		"matches":                      {Matches("/text", hat), true},
		"does not match":               {Matches("/text", refund), false},
		"only texts match":             {Or(Matches("/n", regexp.MustCompile("3")), Matches("/none", regexp.MustCompile(""))), false},
		"no pattern matches nothing":   {Matches("/text", nil), false},
		"the user's last message":      {UserSaid(refund.MatchString), true},
		"not an earlier one":           {UserSaid(func(s string) bool { return strings.Contains(s, "old") }), false},
		"a participant's last words":   {Said("ann", func(s string) bool { return s == "All done" }), true},
		"who has not spoken":           {Said("eve", func(string) bool { return true }), false},
		"the last speaker":             {Speaker("ann"), true},
		"not the last speaker":         {Speaker("bob"), false},
		"a condition ends a chat, too": {(&groupchat.Chat{Until: yes}).Until, true},
		"without a state all is absent": {func(groupchat.View) bool {
			return Missing("/n")(groupchat.View{}) && !Greater("/n", 0)(groupchat.View{})
		}, true},
	} {
		if got := c.c(v); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
}
