package doctor

import (
	"context"
	"net"
)

// Collector returns the check of a telemetry collector at the address host:port. It connects and sends nothing.
func Collector(address string) Check {
	return check("telemetry", address, func(ctx context.Context, c Check) []Finding {
		var dialer net.Dialer
		conn, err := dialer.DialContext(ctx, "tcp", address)
		if err != nil {
			return c.warning("The collector cannot be reached: "+causeOf(err)+
				"; spans and metrics that are sent there are lost, and runs continue.",
				"Start it, or correct OTEL_EXPORTER_OTLP_ENDPOINT; docs/telemetry.md has the variables.")
		}
		_ = conn.Close() // nothing was sent
		return c.ok("The collector can be reached; nothing was sent to it.")
	})
}
