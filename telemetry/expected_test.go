package telemetry

import "testing"

// TestWhatAlertsAreAboutBeginsWithZero checks that the series exist before any event, so that the first one is an
// increase.
func TestWhatAlertsAreAboutBeginsWithZero(t *testing.T) {
	t.Parallel()
	tel, reader := measured()
	tel.Metrics().Expect("travel", "desk")
	got := collected(t, reader)
	for name, want := range map[string]int{
		"gateway_runs_total": 8, "gateway_run_errors_total": 4, "gateway_interrupts_total": 8, "gateway_takeovers_total": 2,
	} {
		if len(got[name]) != want {
			t.Errorf("%s has %d series, want %d", name, len(got[name]), want)
		}
		for _, s := range got[name] {
			if s.value != 0 {
				t.Errorf("%s begins with %v", name, s)
			}
		}
	}
}
