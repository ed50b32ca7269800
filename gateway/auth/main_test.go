package auth

import (
	"testing"

	"go.uber.org/goleak"
)

// No reading of a provider's keys outlives its authenticator.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
