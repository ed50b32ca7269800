package operations

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A scrape is what /metrics shows: values by name and labels, without the buckets of histograms.
type scrape map[string]float64

var sample = regexp.MustCompile(`(?m)^([a-z_:]+)(?:\{(.*)\})? ([0-9.e+-]+)$`)

// scrape reads the metrics of a replica.
func (s *site) scrape(replica string) scrape {
	s.t.Helper()
	text, err := get(s.t.Context(), s.admin(replica)+"/metrics")
	if err != nil {
		s.t.Fatal(err)
	}
	values := scrape{}
	for _, line := range sample.FindAllStringSubmatch(text, -1) {
		value, err := strconv.ParseFloat(line[3], 64)
		if err != nil {
			s.t.Fatal(err)
		}
		if !strings.HasSuffix(line[1], "_bucket") {
			values[line[1]+" "+strings.ReplaceAll(line[2], `"`, "")] = value
		}
	}
	return values
}

// moved is how much the counters of two replicas have moved together from the first scrapes to the last, but those that
// did not move and those that are uncertain.
func moved(before, after []scrape) map[string]float64 {
	sum := map[string]float64{}
	for _, one := range after {
		for name, value := range one {
			sum[name] += value
		}
	}
	for _, one := range before {
		for name, value := range one {
			sum[name] -= value
		}
	}
	maps.DeleteFunc(sum, func(name string, value float64) bool { return value == 0 || !isCount(name) })
	return sum
}

// uncertain are families that depend on time: how often leases are renewed, how frames are put together, how often a
// test asks.
var uncertain = []string{"gateway_store_", "gateway_log_", "gateway_sent_"}

// isCount reports whether a value only grows, by what happens and not by how long it takes.
func isCount(name string) bool {
	family, _, _ := strings.Cut(name, " ")
	return strings.HasPrefix(family, "gateway_") && (strings.HasSuffix(family, "_total") || strings.HasSuffix(family, "_count")) &&
		!slices.ContainsFunc(uncertain, func(prefix string) bool { return strings.HasPrefix(family, prefix) })
}
