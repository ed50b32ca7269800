package house

import (
	"path"
	"regexp"
	"strings"
	"testing"
)

// recordsLock matches uses of the lock of groupchat's records from outside of their methods.
var recordsLock = regexp.MustCompile(`\b(x|records|r)\.mu\.(Lock|Unlock)\(`)

// TestRecordsHaveOneOwner wants the lock of a run's records to be used in groupchat/records*.go only, where their methods are.
func TestRecordsHaveOneOwner(t *testing.T) {
	t.Parallel()
	sources, err := readTree(root)
	if err != nil {
		t.Fatal(err)
	}
	owners := 0
	for _, s := range sources {
		if path.Dir(s.path) != "groupchat" || s.test() || !recordsLock.MatchString(read(t, root, s.path)) {
			continue
		}
		if !strings.HasPrefix(path.Base(s.path), "records") {
			t.Errorf("%s uses the lock of the records: make it a method in groupchat/records*.go", s.path)
		}
		owners++
	}
	if owners == 0 {
		t.Error("no file uses the lock of the records: this test is out of date")
	}
}
