package operations

import (
	"os"
	"path/filepath"
	"strings"
)

// startPrometheus starts a Prometheus with the files of deploy/prometheus. What differs is where the replicas are, and
// the time: what takes a minute there takes a second here.
func (s *site) startPrometheus() {
	s.t.Helper()
	dir := filepath.Join(s.dir, "prometheus")
	if err := os.CopyFS(dir, os.DirFS(prometheus)); err != nil {
		s.t.Fatal(err)
	}
	s.write("prometheus/targets/gateways.yml", "- targets: ["+s.address("9464")+", "+s.address("9465")+"]\n")
	for _, name := range []string{"prometheus.yml", "rules/alerts.yml", "rules/recording.yml", "rules/thresholds.yml"} {
		s.write("prometheus/"+name, quickened.Replace(string(readFile(s.t, dir, name))))
	}
	s.start("prometheus", "prometheus", "--config.file="+filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path="+filepath.Join(s.dir, "tsdb"),
		"--web.listen-address="+s.address("9090"), "--log.level=warn")
	s.until("http://"+s.address("9090")+"/-/ready", "Ready")
}

// quickened makes time pass faster for whoever waits for an alert.
var quickened = strings.NewReplacer("15s", "1s", "for: 1m", "for: 1s", "for: 2m", "for: 2s", "for: 3m", "for: 3s", "for: 5m", "for: 5s")
