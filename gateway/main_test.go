package gateway_test

import (
	"testing"

	"go.uber.org/goleak"
)

// Nothing that a gateway started outlives it.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
