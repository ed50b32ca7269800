package gateway_test

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/telemetry"
)

// A meter collects a gateway's measurements, and reports changes since the last call.
type meter struct {
	t      *testing.T
	reader metric.Reader
	before map[string]float64
	// events and bytes of frames that the store has taken.
	events, bytes atomic.Int64
}

func newMeter(t *testing.T) *meter { return &meter{t: t, reader: metric.NewManualReader()} }

// settled waits until everything is measured that clients have seen.
func (m *meter) settled(w *world) {
	m.t.Helper()
	eventually(m.t, "all is measured", func() bool { s := w.g.Stats(); return s.OpenRuns+s.OpenReaders == 0 })
}

// options make a gateway measure into m.
func (m *meter) options(o *gateway.Options) {
	o.Telemetry = telemetry.New(telemetry.Options{Meters: metric.NewMeterProvider(metric.WithReader(m.reader))})
	if o.Store != nil {
		o.Store = countedStore{o.Store, m}
	}
}

// A countedStore counts the frames that it takes.
type countedStore struct {
	state.Store
	m *meter
}

func (s countedStore) took(frames []state.Frame, err error) error {
	if err == nil {
		s.m.events.Add(int64(len(frames)))
		for _, f := range frames {
			s.m.bytes.Add(int64(len(f.Data)))
		}
	}
	return err
}

func (s countedStore) Append(ctx context.Context, l *state.Lease, after state.FrameID, frames []state.Frame) error {
	return s.took(frames, s.Store.Append(ctx, l, after, frames))
}

func (s countedStore) Commit(ctx context.Context, l *state.Lease, c state.Commit) (*state.Thread, error) {
	t, err := s.Store.Commit(ctx, l, c)
	return t, s.took(c.Frames, err)
}

// read returns all series but those of gauges: counts, or numbers of measurements.
func (m *meter) read() map[string]float64 {
	m.t.Helper()
	var all metricdata.ResourceMetrics
	if err := m.reader.Collect(context.Background(), &all); err != nil {
		m.t.Fatal(err)
	}
	series := map[string]float64{}
	for _, scope := range all.ScopeMetrics {
		for _, one := range scope.Metrics {
			switch data := one.Data.(type) {
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					series[seriesName(one.Name, p.Attributes)] = float64(p.Value)
				}
			case metricdata.Sum[float64]:
				for _, p := range data.DataPoints {
					series[seriesName(one.Name, p.Attributes)] = p.Value
				}
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					series[seriesName(one.Name, p.Attributes)] = float64(p.Count)
				}
			}
		}
	}
	return series
}

// gauge returns the value of a gauge without labels, and whether it is there.
func (m *meter) gauge(name string) (value int64, ok bool) {
	m.t.Helper()
	var all metricdata.ResourceMetrics
	if err := m.reader.Collect(context.Background(), &all); err != nil {
		m.t.Fatal(err)
	}
	for _, scope := range all.ScopeMetrics {
		for _, one := range scope.Metrics {
			if data, isGauge := one.Data.(metricdata.Gauge[int64]); isGauge && one.Name == "gateway."+name && len(data.DataPoints) == 1 {
				return data.DataPoints[0].Value, true
			}
		}
	}
	return 0, false
}

// sum is the total of a histogram, for all labels.
func (m *meter) sum(name string) (sum float64) {
	m.t.Helper()
	var all metricdata.ResourceMetrics
	if err := m.reader.Collect(context.Background(), &all); err != nil {
		m.t.Fatal(err)
	}
	for _, scope := range all.ScopeMetrics {
		for _, one := range scope.Metrics {
			if data, isHistogram := one.Data.(metricdata.Histogram[float64]); isHistogram && one.Name == "gateway."+name {
				for _, p := range data.DataPoints {
					sum += p.Sum
				}
			}
		}
	}
	return sum
}

// seriesName is the name of a series as tests write it: runs{agent=echo,outcome=success}.
func seriesName(name string, labels attribute.Set) string {
	var list []string
	for _, a := range labels.ToSlice() {
		list = append(list, string(a.Key)+"="+a.Value.AsString())
	}
	slices.Sort(list)
	name = strings.TrimPrefix(name, "gateway.")
	if len(list) == 0 {
		return name
	}
	return name + "{" + strings.Join(list, ",") + "}"
}

// moved returns the changes since the last call, as "series by how much", without those of every request and of every
// call of the store.
func (m *meter) moved() []string {
	m.t.Helper()
	now := m.read()
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if more := now[name] - m.before[name]; more != 0 && !strings.HasPrefix(name, "store.duration") && !strings.HasPrefix(name, "http.") {
			lines = append(lines, name+" "+strconv.FormatFloat(more, 'g', 6, 64))
		}
	}
	m.before = now
	return lines
}
