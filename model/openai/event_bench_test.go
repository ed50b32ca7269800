package openai

import (
	"bytes"
	"testing"
)

// BenchmarkEvents reads a stream of 200 events.
func BenchmarkEvents(b *testing.B) {
	stream := bytes.Repeat([]byte("data: "+plainChunks[0].raw+"\n\n"), 200)
	b.ReportAllocs()
	for b.Loop() {
		r := newEventReader(bytes.NewReader(stream))
		n := 0
		for _, err := r.next(); err == nil; _, err = r.next() {
			n++
		}
		if n != 200 {
			b.Fatalf("%d events", n)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*200), "ns/event")
}
