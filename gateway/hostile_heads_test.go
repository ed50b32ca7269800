package gateway_test

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"net/http"
	"strings"
)

// hostilePaths are targets that a router, a file server or a proxy may take for others.
func hostilePaths() (cases []hostileCase) {
	for _, target := range []string{
		"/threads/only-hers", "/threads/%6fnly-hers", "/threads/only-hers/", "/threads//only-hers", "//threads/only-hers", "/./threads/only-hers",
		"/threads/mine/../only-hers", "/threads/mine%2f..%2fonly-hers", "/threads/mine%2F..%2Fonly-hers", "/threads/%2e%2e/only-hers", "/threads/..;/only-hers",
		"/threads/only-hers%00", "/threads/%00", "/threads/only-hers%0d%0aX-User:%20ada", "/threads/only-hers%20", "/threads/only-hers%2f", "/threads/only%2dhers",
		"/threads/%ff", "/threads/%c0%ae%c0%ae", "/threads/%", "/threads/%zz", "/threads/%ed%a0%80", "/threads/%e2%80%ae", "/threads/" + strings.Repeat("x", 10_000),
		"/threads/" + strings.Repeat("%2e%2e%2f", 1000) + "etc/passwd", "/threads/__proto__", "/threads/constructor", "/threads/ada:ask:only-hers", "/threads/ada%1fask%1fonly-hers",
		"/threads/only-hers?agent=ask", "/threads/only-hers/state", "/threads/only-hers/events", "/threads/only-hers/state/patches/x", "/threads/hers/state/patches/..%2f..%2fonly-hers",
		"/threads/only-hers/runs/1", "/threads/only-hers/runs/1/trace", "/threads/only-hers/runs/1/events", "/threads/hers/runs/..%2f..%2fonly-hers", "/threads/hers/runs/%00/trace", "/threads/hers/runs/0",
		"/threads/hers/runs/-1/trace", "/threads/hers/runs/01", "/threads/hers/runs/%2b1/events", "/threads/hers/runs/1e3", "/threads/hers/runs/" + strings.Repeat("9", 5000) + "/trace",
		"/threads/hers/state/patches/%00", "/threads/hers/state/patches/" + strings.Repeat("p", 5000),
		"/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/assets/../../etc/passwd", "/assets/%2e%2e%2fgateway.go", "/assets/..%5c..%5cwin.ini", "/assets//etc/passwd",
		"/agents/__proto__/capabilities", "/agents/..%2fecho/capabilities", "/agents/echo%00/capabilities", "/agents/ECHO/capabilities",
		pages + "/threads/only-hers/messages", pages + "/threads/only-hers/events", pages + "/threads/only-hers/state", pages + "/threads/..%2fonly-hers/messages",
		pages + "/../../threads/only-hers", pages + "//info", pages + "/%2e%2e/info", pages + "/threads/%/messages", pages + "/" + strings.Repeat("a/", 3000), pages + "x", pages + "%2finfo",
		"/debug/pprof/", "/metrics", "/.git/config", "/.env", "/server-status",
	} {
		cases = append(cases, hostileCase{name: "GET " + clipped(target), sent: []string{request("GET", target, "")}})
	}
	for _, c := range [][2]string{
		{"DELETE", "/threads/only-hers"}, {"DELETE", "/threads/hers%2f..%2fonly-hers"}, {"DELETE", "/threads/hers?agent=%zz"}, {"DELETE", "/threads/hers?agent=a;b"}, {"DELETE", "/threads/"}, {"DELETE", "/threads/*"}, {"DELETE", "/threads"},
		{"POST", "/threads/only-hers/stop"}, {"POST", "/threads/only-hers/fork"}, {"POST", "/threads/only-hers/resume"}, {"PATCH", "/threads/only-hers"}, {"PATCH", "/threads/only-hers/state"},
		{"POST", "/agents/..%2f..%2fsubgraphs"}, {"POST", "/agents/__proto__"}, {"POST", "/agents/constructor"}, {"POST", "/agents/echo%2fcapabilities"}, {"POST", "/agents/" + strings.Repeat("a", 10_000)},
		{"POST", pages + "/agent/__proto__/run"}, {"POST", pages + "/agent/" + strings.Repeat("a", 10_000) + "/run"}, {"POST", pages + "/agent/ask/stop/only-hers"},
		{"TRACE", "/threads"}, {"TRACK", "/threads"}, {"CONNECT", "/threads"}, {"PROPFIND", "/"}, {"get", "/threads"}, {"X_X", "/threads/mine"}, {strings.Repeat("X", 10_000), "/threads"}, {"PUT", "/assets/x"},
	} {
		cases = append(cases, hostileCase{name: clipped(c[0]) + " " + clipped(c[1]), sent: []string{request(c[0], c[1], `{"title":"x","messageId":"u1","resume":[]}`)}})
	}
	return cases
}

// clipped is the beginning of a long text, for names.
func clipped(s string) string { return s[:min(len(s), 60)] }

// hostileQueries are parameters of the wrong kind, twice, or long.
func hostileQueries() (cases []hostileCase) {
	long := strings.Repeat("x", 20_000)
	for _, target := range []string{
		"/threads?limit=0", "/threads?limit=-1", "/threads?limit=x", "/threads?limit=1e9", "/threads?limit=99999999999999999999", "/threads?limit=1&limit=x", "/threads?limit=%00", "/threads?limit=",
		"/threads?cursor=x", "/threads?cursor=" + long, "/threads?cursor=%00%ff", "/threads?cursor=eyJhIjoxfQ", "/threads?status=gone", "/threads?status[]=idle", "/threads?agent=__proto__", "/threads?agent=" + long,
		"/threads?q=" + long, "/threads?q=%00%ff", "/threads?q=" + strings.Repeat("%20", 200), "/threads?q=" + strings.Repeat("a%20", 100), "/threads?q[]=x", "/threads?q=.*&q=(a+)+$",
		"/threads?" + strings.Repeat("a=1&", 5000), "/threads?%zz", "/threads?a=1;b=2", "/threads?limit=%", "/threads?principal=ada", "/threads?user=ada&X-User=ada",
		"/threads/hers?limit=x", "/threads/hers?limit=-1", "/threads/hers?before=x", "/threads/hers?limit=1&before=" + long, "/threads/hers?limit=1&before=%00", "/threads/hers?agent=echo", "/threads/hers?agent=%00",
		"/threads/hers/events?protocolVersion=2.0", "/threads/hers/events?protocolVersion=x", "/threads/hers/events?protocolVersion=" + long, "/threads/hers/events?interrupts=x", "/threads/hers/events?subagents=x",
		"/threads/hers/events?refusals=x", "/threads/hers/events?subagents=on&subagents=off", "/threads/hers/events?follow=x", "/threads/hers/events?agent=ask%00",
		"/threads/hers/events?trace=x", "/threads/hers/events?trace=1&trace=0", "/threads/hers/runs/1/events?after=x", "/threads/hers/runs/1/events?after=" + long, "/threads/hers/runs/1/events?after=1-1-1",
		"/threads/hers/runs/1/events?limit=0", "/threads/hers/runs/1/events?limit=99999999999999999999", "/threads/hers/runs/1/events?trace=yes", "/threads/hers/runs/1/trace?agent=%00",
	} {
		cases = append(cases, hostileCase{name: "GET " + clipped(target), sent: []string{request("GET", target, "")}})
	}
	for _, query := range []string{"disconnect=x", "disconnect=" + long, "interrupts=x", "subagents=x", "refusals=x", "chunks=x", "snapshots=x", "disconnect=detach&disconnect=x", "agent=ask"} {
		body := `{"threadId":` + quote("query "+clipped(query)) + `,"runId":"r","messages":[{"id":"u","role":"user","content":"Hi"}]}`
		cases = append(cases, hostileCase{name: "POST " + clipped(query), sent: []string{request("POST", "/agents/echo?"+query, body)}})
	}
	return cases
}

// hostileHeaders are headers of the wrong form, twice, or long.
func hostileHeaders() (cases []hostileCase) {
	long := strings.Repeat("x", 20_000)
	for _, lines := range [][]string{
		{"Last-Event-ID: x"}, {"Last-Event-ID: 99999999999999999999-1"}, {"Last-Event-ID: -1--1"}, {"Last-Event-ID: 1-99999999999"}, {"Last-Event-ID: " + long}, {"Last-Event-ID: 1-1", "Last-Event-ID: 2-2"},
		{"Last-Event-ID: 0-0"}, {"Last-Event-ID: \xff\xfe"}, {"Accept: " + strings.Repeat("a/b;q=0.1,", 2000)}, {"Accept: ;;;,,,"}, {"Accept: text/event-stream;q=NaN"}, {"Accept-Encoding: gzip;q=1e400"},
		{"X-Request-Id: " + long}, {"X-Request-Id: a b"}, {"X-Request-Id: \x7f\x80"}, {"X-Request-Id: a", "X-Request-Id: b"}, {"X-Gateway-Subagents: x"}, {"X-Gateway-Subagents: on", "X-Gateway-Subagents: off"},
		{"Origin: null"}, {"Origin: http://evil.example"}, {"Origin: http://127.0.0.1@evil.example"}, {"Origin: http://[::1"}, {"Origin: " + long}, {"Cookie: " + long}, {"Authorization: Basic \x00"},
		{"Range: bytes=0-"}, {"Range: bytes=99999999999999999999-"}, {"If-None-Match: *"}, {"If-Modified-Since: x"}, {"Forwarded: for=127.0.0.1;host=evil.example"}, {"X-Forwarded-For: " + long}, {"X-Forwarded-Host: evil.example"},
		{"X-HTTP-Method-Override: DELETE"}, {"X-Original-URL: /threads/only-hers"}, {"X-Rewrite-URL: /threads/only-hers"}, {"Upgrade: h2c", "Connection: close, Upgrade, HTTP2-Settings", "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA"},
		{"Upgrade: websocket", "Connection: close, Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13"}, {"Te: trailers, deflate"}, {"Expect: the worst"}, {"Max-Forwards: -1"}, {"Via: " + strings.Repeat("1.1 a,", 2000)},
		{"X-User: eve", "X-User: ada"}, {"x-user: eve", "X-USER: ada"},
	} {
		name := clipped(strings.Join(lines, ", "))
		cases = append(cases, hostileCase{name: quote(name), sent: []string{request("GET", "/threads/hers/events", "", lines...)}})
	}
	for _, lines := range [][]string{
		{"X-Gateway-Hops: x"}, {"X-Gateway-Hops: -1"}, {"X-Gateway-Hops: 16"}, {"X-Gateway-Hops: 99999999999999999999"}, {"X-Gateway-Hops: 1", "X-Gateway-Hops: 99"}, {"X-Gateway-Chain: " + long}, {"X-Gateway-Chain: \xff"},
		{"Content-Type: -"}, {"Content-Type:-"}, {"Content-Type: text/plain"}, {"Content-Type: application/jsonp"}, {"Content-Type: application/json; charset=utf-16"}, {"Content-Type: application/json, text/plain"},
		{"Content-Type: application/json", "Content-Type: text/plain"}, {"Content-Type: text/plain", "Content-Type: application/json"}, {"Content-Type: application/json;"}, {"Content-Type: application/json; a=\"b"},
		{"Content-Type: APPLICATION/JSON"}, {"Content-Type: multipart/form-data; boundary=x"}, {"Content-Type: application/x-www-form-urlencoded"}, {"Content-Type: " + long}, {"Content-Type: application/json\x00"},
	} {
		name := clipped(strings.Join(lines, ", "))
		cases = append(cases, hostileCase{name: "POST " + quote(name), sent: []string{request("POST", "/agents/echo", `{"threadId":"header","runId":"r","messages":[{"id":"u","role":"user","content":"Hi"}]}`, lines...)}})
	}
	for _, lines := range [][]string{
		{"If-Match: x"}, {`If-Match: "x`}, {`If-Match: "x"`}, {`If-Match: W/"x"`}, {"If-Match: *, *"}, {"If-Match: " + strings.Repeat(`"x",`, 4000)}, {"If-Match: ,,,"}, {"Idempotency-Key: " + long}, {`Idempotency-Key: "`}, {`Idempotency-Key: ""`},
		{"Idempotency-Key: a\tb"}, {`Idempotency-Key: "a"`, `Idempotency-Key: "b"`}, {"Idempotency-Key: \xff"}, {"Prefer: wait=-1"}, {"Prefer: wait=99999999999999999999"}, {"Prefer: wait=x"}, {"Prefer: " + strings.Repeat("wait=1,", 2000)}, {"Prefer: wait"},
	} {
		lines = append(lines, "Content-Type: application/merge-patch+json")
		name := clipped(strings.Join(lines, ", "))
		cases = append(cases, hostileCase{name: "PATCH " + quote(name), sent: []string{request("PATCH", "/threads/hers/state", `{"a":1}`, lines...)}})
	}
	return cases
}

// compressed are bodies in codings, honest ones and bombs.
func compressed() map[string]string {
	bomb := strings.Repeat(" ", 1<<20) // sixteen bodies as large as they may be
	var deflated, zlibbed bytes.Buffer
	f, _ := flate.NewWriter(&deflated, flate.BestCompression) // the level is one that there is
	_, _ = f.Write([]byte(bomb))
	_ = f.Close()
	z := zlib.NewWriter(&zlibbed)
	_, _ = z.Write([]byte(bomb))
	_ = z.Close()
	return map[string]string{
		"gzip, honest": gzipped(`{"threadId":"coding","runId":"r","messages":[{"id":"u","role":"user","content":"Hi"}]}`), "gzip, bomb": gzipped(bomb), "gzip, bomb in a bomb": gzipped(gzipped(bomb)), "gzip, cut": gzipped(bomb)[:100],
		"gzip, none": "{}", "deflate, bomb": deflated.String(), "deflate, zlib bomb": zlibbed.String(), "br, none": "\x0b\x02\x80{}\x03", "zstd, none": "\x28\xb5\x2f\xfd\x04\x00\x11\x00\x00{}",
		"compress, none": "\x1f\x9d\x90", "identity, gzip, both": gzipped("{}"), "x-gzip, old": gzipped("{}"), "GZIP, in capitals": gzipped("{}"), "*, any": "{}", "nonsense, any": "{}",
	}
}

// hostileCodings are compressed bodies on the routes that read one.
func hostileCodings() (cases []hostileCase) {
	bodies := compressed()
	for _, r := range jsonRoutes {
		for _, name := range sortedKeys(bodies) {
			if r[0] != "run" && !strings.Contains(name, "gzip, bomb") {
				continue
			}
			lines := []string{"Content-Encoding: " + name[:strings.LastIndex(name, ", ")]}
			if r[3] != "" {
				lines = append(lines, "Content-Type: "+r[3])
			}
			cases = append(cases, hostileCase{name: r[0] + " " + name, sent: []string{request(r[1], r[2], bodies[name], lines...)}})
		}
	}
	twice := request(http.MethodPost, "/agents/echo", gzipped("{}"), "Content-Encoding: identity", "Content-Encoding: gzip")
	return append(cases, hostileCase{name: "run, two headers", sent: []string{twice}})
}
