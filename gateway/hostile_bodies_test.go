package gateway_test

import (
	"bytes"
	"compress/gzip"
	"strconv"
	"strings"
)

// jsonRoutes are the routes that read JSON: a name, a method, a path, and a media type other than JSON's own.
var jsonRoutes = [][4]string{
	{"run", "POST", "/agents/echo", ""},
	{"subgraphs", "POST", "/subgraphs", ""},
	{"CopilotKit run", "POST", pages + "/agent/echo/run", ""},
	{"CopilotKit connect", "POST", pages + "/agent/echo/connect", ""},
	{"CopilotKit suggest", "POST", pages + "/agent/echo/suggest", ""},
	{"CopilotKit stop", "POST", pages + "/agent/ask/stop/hers", ""},
	{"CopilotKit envelope", "POST", pages, ""},
	{"resume", "POST", "/threads/hers/resume", ""},
	{"fork", "POST", "/threads/hers/fork", ""},
	{"rename", "PATCH", "/threads/hers", ""},
	{"JSON Patch", "PATCH", "/threads/hers/state", "application/json-patch+json"},
	{"merge patch", "PATCH", "/threads/hers/state", "application/merge-patch+json"},
}

// gzipped is text as gzip has it.
func gzipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text)) // a buffer takes everything
	_ = z.Close()
	return b.String()
}

// badBodies are no JSON, or no JSON that any route takes, or more of it than may come.
var badBodies = [][2]string{
	{"nothing", ""},
	{"blanks", " \t\r\n"},
	{"null", "null"},
	{"true", "true"},
	{"a number", "7"},
	{"a text", `"text"`},
	{"an array", "[]"},
	{"an array of null", "[null]"},
	{"an empty object", "{}"},
	{"an open object", "{"},
	{"an open text", `{"a":"`},
	{"two objects", `{"threadId":"t"}{"threadId":"t"}`},
	{"a comma at the end", `{"a":1,}`},
	{"single quotes", "{'a':1}"},
	{"a comment", `{"a":1/*b*/}`},
	{"no number", `{"a":NaN}`},
	{"a number with a zero before it", `{"a":01}`},
	{"a mark of the byte order", "\ufeff{}"},
	{"UTF-16", "{\x00}\x00"},
	{"zeros", "\x00\x00\x00"},
	{"a byte that is no UTF-8", "{\"a\":\"\xff\"}"},
	{"an overlong slash", "{\"a\":\"\xc0\xaf\"}"},
	{"half a surrogate pair in UTF-8", "{\"a\":\"\xed\xa0\x80\"}"},
	{"a code point beyond the last", "{\"a\":\"\xf4\x90\x80\x80\"}"},
	{"a control character in a text", "{\"a\":\"\x01\"}"},
	{"60,000 arrays", strings.Repeat("[", 60_000)},
	{"10,000 objects", strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000)},
	{"30,000 values", "[" + strings.Repeat("0,", 30_000) + "0]"},
	{"a number of 60,000 digits", `{"a":` + strings.Repeat("9", 60_000) + "}"},
	{"a byte too many", `{"a":"` + strings.Repeat("x", 64<<10-7) + `"}`},
	{"gzip that is not announced", gzipped("{}")},
	{"a form", "a=1&b=2"},
	{"XML", `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>`},
}

// hostileBodies are all bad bodies on all routes.
func hostileBodies() (cases []hostileCase) {
	for _, r := range jsonRoutes {
		for _, b := range badBodies {
			var lines []string
			if r[3] != "" {
				lines = append(lines, "Content-Type: "+r[3])
			}
			cases = append(cases, hostileCase{name: r[0] + ", " + b[0], sent: []string{request(r[1], r[2], b[1], lines...)}})
		}
	}
	return cases
}

// badValues are values of each type, for members of another.
var badValues = [][2]string{
	{"null", "null"}, {"true", "true"}, {"a number", "7"}, {"a large number", "1e400"}, {"minus zero", "-0"}, {"a text", `"x"`}, {"an empty text", `""`},
	{"an array", "[]"}, {"an array of arrays", "[[]]"}, {"an object", "{}"}, {"an object in an array", `[{}]`},
	{"half a surrogate pair", `"\ud800"`}, {"a zero", `"\u0000"`},
}

// inputMembers are those of a run's input, of a message, of a call, of a tool, of a context, and of an answer, each
// with a body that has a gap for it.
var inputMembers = [][2]string{
	{"threadId", `{"threadId":%,"runId":"r","messages":[{"id":"u","role":"user","content":"Hi"}]}`},
	{"runId", `{"threadId":"new","runId":%,"messages":[{"id":"u","role":"user","content":"Hi"}]}`},
	{"parentRunId", `{"threadId":"new","runId":"r","messages":[{"id":"u","role":"user","content":"Hi"}],"parentRunId":%}`},
	{"protocolVersion", `{"threadId":"new","runId":"r","messages":[{"id":"u","role":"user","content":"Hi"}],"protocolVersion":%}`},
	{"messages", `{"threadId":"new","runId":"r","messages":%}`},
	{"tools", `{"threadId":"new","runId":"r","messages":[{"id":"u","role":"user","content":"Hi"}],"tools":%}`},
	{"context", `{"threadId":"new","runId":"r","messages":[{"id":"u","role":"user","content":"Hi"}],"context":%}`},
	{"state", `{"threadId":"new","runId":"r","messages":[{"id":"u","role":"user","content":"Hi"}],"state":%}`},
	{"forwardedProps", `{"threadId":"new","runId":"r","messages":[{"id":"u","role":"user","content":"Hi"}],"forwardedProps":%}`},
	{"forwardedProps.command", `{"threadId":"new","runId":"r","messages":[{"id":"u","role":"user","content":"Hi"}],"forwardedProps":{"command":%}}`},
	{"forwardedProps.command.resume", `{"threadId":"new","runId":"r","messages":[{"id":"u","role":"user","content":"Hi"}],"forwardedProps":{"command":{"resume":%}}}`},
	{"forwardedProps.gateway", `{"threadId":"new","runId":"r","messages":[{"id":"u","role":"user","content":"Hi"}],"forwardedProps":{"gateway":%}}`},
	{"resume", `{"threadId":"new","runId":"r","messages":[{"id":"u","role":"user","content":"Hi"}],"resume":%}`},
	{"resume[0].interruptId", `{"threadId":"new","runId":"r","messages":[{"id":"u","role":"user","content":"Hi"}],"resume":[{"interruptId":%,"status":"resolved"}]}`},
	{"resume[0].status", `{"threadId":"new","runId":"r","messages":[{"id":"u","role":"user","content":"Hi"}],"resume":[{"interruptId":"i","status":%}]}`},
	{"messages[0].id", `{"threadId":"new","runId":"r","messages":[{"id":%,"role":"user","content":"x"}]}`},
	{"messages[0].role", `{"threadId":"new","runId":"r","messages":[{"id":"m","role":%,"content":"x"}]}`},
	{"messages[0].content", `{"threadId":"new","runId":"r","messages":[{"id":"m","role":"user","content":%}]}`},
	{"messages[0].toolCalls", `{"threadId":"new","runId":"r","messages":[{"id":"m","role":"assistant","toolCalls":%}]}`},
	{"messages[0].toolCallId", `{"threadId":"new","runId":"r","messages":[{"id":"m","role":"tool","content":"x","toolCallId":%}]}`},
	{"tools[0].parameters", `{"threadId":"new","runId":"r","messages":[{"id":"u","role":"user","content":"Hi"}],"tools":[{"name":"n","description":"d","parameters":%}]}`},
	{"tools[0].name", `{"threadId":"new","runId":"r","messages":[{"id":"u","role":"user","content":"Hi"}],"tools":[{"name":%,"description":"d"}]}`},
	{"context[0].value", `{"threadId":"new","runId":"r","messages":[{"id":"u","role":"user","content":"Hi"}],"context":[{"description":"d","value":%}]}`},
}

// hostileMembers are members of a run's input with values of all types. Some are valid: the file of answers has their
// results, too.
func hostileMembers() (cases []hostileCase) {
	for _, m := range inputMembers {
		for _, v := range badValues {
			body := strings.ReplaceAll(m[1], "%", v[1])
			body = strings.ReplaceAll(body, `"new"`, strconv.Quote("member "+m[0]+" "+v[0]))
			cases = append(cases, hostileCase{name: m[0] + " is " + v[0], sent: []string{request("POST", "/agents/echo", body)}})
		}
	}
	return cases
}
