package agui

import (
	"errors"
	"testing"
)

func TestEraOf(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		version string
		era     Era
		refused bool
		noted   bool
	}{
		{version: "", era: Era0},
		{version: "1.0", era: Era1},
		{version: "1.1", era: Era1, noted: true},
		{version: "1.27", era: Era1, noted: true},
		{version: "0.9", era: Era0},
		{version: "2.0", refused: true},
		{version: "10.0", refused: true},
		{version: "99999999999999999999999999.0", refused: true},
		{version: "1", era: Era1, noted: true},
		{version: "2", era: Era1, noted: true},
		{version: "1.0.3", era: Era1, noted: true},
		{version: "01.0", era: Era1, noted: true},
		{version: "-2.0", era: Era1, noted: true},
		{version: " 2.0", era: Era1, noted: true},
		{version: ".", era: Era1, noted: true},
		{version: "latest", era: Era1, noted: true},
	} {
		era, err := EraOf(test.version)
		if refused := errors.Is(err, ErrUnsupportedVersion); refused != test.refused || !refused && (err != nil || era != test.era) {
			t.Errorf("EraOf(%q) = %v, %v; want %v, refused %v", test.version, era, err, test.era, test.refused)
		}
		if note := VersionNote(test.version); (note != "") != test.noted {
			t.Errorf("VersionNote(%q) = %q, want one: %v", test.version, note, test.noted)
		}
	}
}
