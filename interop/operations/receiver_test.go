package operations

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	collectortrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// A receiver is a collector of traces that keeps what it is sent.
type receiver struct {
	*httptest.Server

	mu       sync.Mutex
	all      []span
	raw      bytes.Buffer
	faults   []string
	services map[string]bool
}

// A span is one as tests look at it.
type span struct {
	trace, id, parent, name string
	attributes              map[string]string
	links                   []link
	failed                  bool
	server                  bool   // it is that of a request
	start                   uint64 // on its replica's clock
}

// A link is a span's to another.
type link struct{ trace, id, why string }

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{services: map[string]bool{}}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

// ServeHTTP takes OTLP over HTTP.
func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	var sent collectortrace.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(body, &sent)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil || request.URL.Path != "/v1/traces" {
		r.faults = append(r.faults, request.URL.Path+" cannot be read")
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.raw.Write(body)
	for _, resource := range sent.GetResourceSpans() {
		r.services[texts(resource.GetResource().GetAttributes())["service.name"]] = true
		for _, scope := range resource.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				r.all = append(r.all, spanOf(s))
			}
		}
	}
}

func spanOf(s *tracepb.Span) span {
	read := span{
		trace: hex.EncodeToString(s.GetTraceId()), id: hex.EncodeToString(s.GetSpanId()), parent: hex.EncodeToString(s.GetParentSpanId()),
		name: s.GetName(), attributes: texts(s.GetAttributes()),
		failed: s.GetStatus().GetCode() == tracepb.Status_STATUS_CODE_ERROR, server: s.GetKind() == tracepb.Span_SPAN_KIND_SERVER,
		start: s.GetStartTimeUnixNano(),
	}
	for _, l := range s.GetLinks() {
		read.links = append(read.links, link{hex.EncodeToString(l.GetTraceId()), hex.EncodeToString(l.GetSpanId()), texts(l.GetAttributes())["agui.link"]})
	}
	return read
}

// texts are attributes as text.
func texts(list []*commonpb.KeyValue) map[string]string {
	read := map[string]string{}
	for _, a := range list {
		read[a.GetKey()] = strings.Trim(a.GetValue().String(), `"`)
		if v, ok := a.GetValue().GetValue().(*commonpb.AnyValue_StringValue); ok {
			read[a.GetKey()] = v.StringValue
		}
	}
	return read
}

// spans returns the received spans, in the order of their beginning, and the raw data.
func (r *receiver) spans() (list []span, raw string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	list = slices.Clone(r.all)
	slices.SortStableFunc(list, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	return list, r.raw.String()
}

// await waits for spans that fit.
func (r *receiver) await(t *testing.T, what string, fits func(span) bool) []span {
	t.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		list, _ := r.spans()
		if found := find(list, fits); len(found) > 0 {
			return found
		}
		select {
		case <-tick.C:
		case <-late.C:
			t.Fatalf("no span of %s comes; there are %v", what, list)
		}
	}
}

// find returns the spans that fit.
func find(list []span, fits func(span) bool) (found []span) {
	for _, s := range list {
		if fits(s) {
			found = append(found, s)
		}
	}
	return found
}
