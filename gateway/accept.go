package gateway

import (
	"mime"
	"strconv"
	"strings"
)

// acceptsStream reports whether a client that may be answered by JSON or by a stream of events wants the stream: it
// names text/event-stream, or text/*, and prefers nothing to it. A client that takes anything gets JSON.
func acceptsStream(accept []string) bool {
	stream, named := quality(accept, "text", "event-stream")
	plain, _ := quality(accept, "application", "json")
	return named && stream > 0 && stream >= plain
}

// quality is how much a client wants a media type, from 0 to 1: that of the most specific range in its Accept headers
// that matches. Named reports whether that range is more than */*.
func quality(accept []string, kind, subtype string) (q float64, named bool) {
	best := 0
	for text := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		media, parameters, err := mime.ParseMediaType(text)
		if err != nil {
			continue
		}
		specific := map[string]int{"*/*": 1, kind + "/*": 2, kind + "/" + subtype: 3}[media]
		if specific <= best {
			continue
		}
		best, q = specific, 1
		if weight, ok := parameters["q"]; ok {
			if q, err = strconv.ParseFloat(weight, 64); err != nil {
				q = 0
			}
		}
	}
	return q, best > 1
}
