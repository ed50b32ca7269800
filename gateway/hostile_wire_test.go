package gateway_test

import "strings"

// hostileWires are bytes that are no requests, or that two servers in a row would read differently. The server must
// never treat a part of one request as another that its sender may not make.
func hostileWires() []hostileCase {
	const (
		get    = "GET /threads/hers HTTP/1.1\r\nHost: 127.0.0.1\r\nX-User: eve\r\n"
		post   = "POST /agents/echo HTTP/1.1\r\nHost: 127.0.0.1\r\nX-User: eve\r\nContent-Type: application/json\r\n"
		body   = `{"threadId":"wire","runId":"r","messages":[]}` // 45 bytes, which start nothing
		closes = "Connection: close\r\n"
		theirs = "GET /threads/only-hers HTTP/1.1\r\nHost: 127.0.0.1\r\nX-User: eve\r\n" + closes + "\r\n"
	)
	one := func(text string) []string { return []string{text} }
	bytewise := strings.Split(get+closes+"\r\n", "")
	return []hostileCase{
		{name: "nothing", halfClose: true, silent: true},
		{name: "a line end", sent: one("\r\n\r\n"), halfClose: true, silent: true},
		{name: "zeros", sent: one(strings.Repeat("\x00", 1000)), halfClose: true},
		{name: "TLS", sent: one("\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03" + strings.Repeat("\x01", 200)), halfClose: true},
		{name: "HTTP/2", sent: one("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"), halfClose: true},
		{name: "HTTP/0.9", sent: one("GET /threads/hers\r\n\r\n"), halfClose: true},
		{name: "HTTP/1.0", sent: one("GET /threads/hers HTTP/1.0\r\nHost: 127.0.0.1\r\nX-User: eve\r\n\r\n")},
		{name: "HTTP/1.0 with a stream", sent: one("GET /threads/hers/events HTTP/1.0\r\nHost: 127.0.0.1\r\nX-User: eve\r\n\r\n")},
		{name: "HTTP/1.0 without a host", sent: one("GET /threads/hers HTTP/1.0\r\nX-User: eve\r\n\r\n")},
		{name: "HTTP/9.9", sent: one("GET /threads/hers HTTP/9.9\r\nHost: x\r\n\r\n")},
		{name: "another protocol", sent: one("EHLO gateway.test\r\n"), halfClose: true},
		{name: "half a request line", sent: one("GET /thr"), halfClose: true, silent: true},
		{name: "half a head", sent: one(get), halfClose: true},
		{name: "half a body", sent: one(post + "Content-Length: 45\r\n\r\n" + body[:20]), halfClose: true},
		{name: "a body that never begins", sent: one(post + "Content-Length: 45\r\n\r\n"), halfClose: true},
		{name: "a head byte by byte", sent: bytewise},
		{name: "no host", sent: one("GET /threads/hers HTTP/1.1\r\nX-User: eve\r\n\r\n")},
		{name: "two hosts", sent: one("GET /threads/hers HTTP/1.1\r\nHost: a\r\nHost: b\r\nX-User: eve\r\n\r\n")},
		{name: "a host with a path", sent: one("GET /threads/hers HTTP/1.1\r\nHost: a/b\r\nX-User: eve\r\n\r\n")},
		{name: "an absolute target", sent: one("GET http://169.254.169.254/latest HTTP/1.1\r\nHost: 127.0.0.1\r\nX-User: eve\r\n" + closes + "\r\n")},
		{name: "a target of another scheme", sent: one("GET file:///etc/passwd HTTP/1.1\r\nHost: 127.0.0.1\r\nX-User: eve\r\n" + closes + "\r\n")},
		{name: "a target without a slash", sent: one("GET threads HTTP/1.1\r\nHost: 127.0.0.1\r\nX-User: eve\r\n" + closes + "\r\n")},
		{name: "a star", sent: one("OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1\r\n" + closes + "\r\n")},
		{name: "a tunnel", sent: one("CONNECT 169.254.169.254:80 HTTP/1.1\r\nHost: 127.0.0.1\r\nX-User: eve\r\n" + closes + "\r\n")},
		{name: "a blank in the target", sent: one("GET /threads/hers /x HTTP/1.1\r\nHost: 127.0.0.1\r\nX-User: eve\r\n" + closes + "\r\n")},
		{name: "a zero in the target", sent: one("GET /threads/\x00 HTTP/1.1\r\nHost: 127.0.0.1\r\nX-User: eve\r\n" + closes + "\r\n")},
		{name: "bytes in the target", sent: one("GET /threads/\xff\xfe HTTP/1.1\r\nHost: 127.0.0.1\r\nX-User: eve\r\n" + closes + "\r\n")},
		{name: "a fragment", sent: one("GET /threads/hers#/../only-hers HTTP/1.1\r\nHost: 127.0.0.1\r\nX-User: eve\r\n" + closes + "\r\n")},
		{name: "a header without a colon", sent: one(get + "Nonsense\r\n\r\n")},
		{name: "a header with a blank in its name", sent: one(get + "X-User : ada\r\n\r\n")},
		{name: "a folded header", sent: one(get + "X-More: a\r\n b\r\n" + closes + "\r\n")},
		{name: "a header without a name", sent: one(get + ": x\r\n\r\n")},
		{name: "a zero in a header", sent: one(get + "X-More: a\x00b\r\n\r\n")},
		{name: "a return alone in a header", sent: one(get + "X-More: a\rX-User: ada\r\n" + closes + "\r\n")},
		{name: "a line end alone", sent: one("GET /threads/hers HTTP/1.1\nHost: 127.0.0.1\nX-User: eve\n" + strings.TrimSuffix(closes, "\r\n") + "\n\n")},
		{name: "a header of 2 MB", sent: one(get + "X-More: " + strings.Repeat("x", 2<<20) + "\r\n\r\n")},
		{name: "100,000 headers", sent: one(get + strings.Repeat("X-More: x\r\n", 100_000) + "\r\n")},
		{name: "a target of 2 MB", sent: one("GET /" + strings.Repeat("x", 2<<20) + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")},
		{name: "two lengths", sent: one(post + "Content-Length: 45\r\nContent-Length: 0\r\n\r\n" + body)},
		{name: "a list of lengths", sent: one(post + "Content-Length: 45, 45\r\n\r\n" + body)},
		{name: "a negative length", sent: one(post + "Content-Length: -1\r\n\r\n" + body)},
		{name: "a length with a sign", sent: one(post + "Content-Length: +45\r\n\r\n" + body)},
		{name: "a length in hex", sent: one(post + "Content-Length: 0x2d\r\n\r\n" + body)},
		{name: "a length beyond all", sent: one(post + "Content-Length: 99999999999999999999\r\n\r\n" + body)},
		{name: "a length of a terabyte", sent: one(post + "Content-Length: 1099511627776\r\n" + closes + "\r\n" + body), halfClose: true},
		{name: "no length", sent: one(post + closes + "\r\n" + body)},
		{name: "a length and chunks", sent: one(post + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n" + closes + "\r\n2d\r\n" + body + "\r\n0\r\n\r\n")},
		{name: "a smuggled request", sent: one(post + "Content-Length: 45\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + theirs)},
		{name: "chunks twice", sent: one(post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")},
		{name: "chunks and gzip", sent: one(post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n")},
		{name: "an unknown transfer", sent: one(post + "Transfer-Encoding: magic\r\n\r\n0\r\n\r\n")},
		{name: "chunks in disguise", sent: one(post + "Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n")},
		{name: "chunks of no number", sent: one(post + "Transfer-Encoding: chunked\r\n" + closes + "\r\nzz\r\n" + body + "\r\n0\r\n\r\n")},
		{name: "a chunk of negative length", sent: one(post + "Transfer-Encoding: chunked\r\n" + closes + "\r\n-1\r\n" + body + "\r\n0\r\n\r\n")},
		{name: "a chunk beyond all", sent: one(post + "Transfer-Encoding: chunked\r\n" + closes + "\r\nffffffffffffffffff\r\n" + body)},
		{name: "a chunk with a long extension", sent: one(post + "Transfer-Encoding: chunked\r\n" + closes + "\r\n2d;" + strings.Repeat("x", 20_000) + "\r\n" + body + "\r\n0\r\n\r\n")},
		{name: "chunks of one byte with extensions", sent: one(post + "Transfer-Encoding: chunked\r\n" + closes + "\r\n" + strings.Repeat("1;"+strings.Repeat("x", 200)+"\r\n \r\n", 2000) + "0\r\n\r\n")},
		{name: "chunks without end", sent: one(post + "Transfer-Encoding: chunked\r\n" + closes + "\r\n" + strings.Repeat("3e8\r\n"+strings.Repeat(" ", 1000)+"\r\n", 500))},
		{name: "chunks that are cut", sent: one(post + "Transfer-Encoding: chunked\r\n" + closes + "\r\n2d\r\n" + body[:10]), halfClose: true},
		{name: "a trailer that is a header", sent: one(post + "Transfer-Encoding: chunked\r\nTrailer: X-User\r\n" + closes + "\r\n2d\r\n" + body + "\r\n0\r\nX-User: ada\r\n\r\n")},
		{name: "a large trailer", sent: one(post + "Transfer-Encoding: chunked\r\nTrailer: X-More\r\n" + closes + "\r\n2d\r\n" + body + "\r\n0\r\nX-More: " + strings.Repeat("x", 2<<20) + "\r\n\r\n")},
		{name: "50 requests at once", sent: one(strings.Repeat(get+"\r\n", 49) + get + closes + "\r\n")},
		{name: "a request behind a stream", sent: one("GET /threads/hers/events HTTP/1.1\r\nHost: 127.0.0.1\r\nX-User: eve\r\n\r\n" + get + closes + "\r\n")},
		{name: "a request behind a bad body", sent: one(post + "Content-Length: 1\r\n\r\n{" + get + closes + "\r\n")},
		{name: "a request in a body that is not read", sent: one("POST /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nX-User: eve\r\nContent-Length: 45\r\n\r\n" + (get + closes + "\r\n")[:45]), halfClose: true},
		{name: "a body with GET", sent: one(get + "Content-Length: 45\r\n" + closes + "\r\n" + body)},
		{name: "a client that expects and does not wait", sent: one(post + "Expect: 100-continue\r\nContent-Length: 45\r\n" + closes + "\r\n" + body)},
		{name: "garbage behind a request", sent: one(get + "\r\n" + strings.Repeat("\xff", 100)), halfClose: true},
	}
}
