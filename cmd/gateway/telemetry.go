package main

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/agui-gateway/gateway/telemetry"
	otelexport "github.com/agui-gateway/gateway/telemetry/export"
)

// flushGrace is the least time for sending pending telemetry at the end.
const flushGrace = 2 * time.Second

// withTelemetry runs the server with telemetry by OpenTelemetry's variables. metrics is nil without -admin-addr.
func (c *config) withTelemetry(ctx context.Context, log *slog.Logger, run func(metrics http.Handler) error) error {
	settings, err := otelexport.Read(c.env)
	if err != nil {
		return err // it names the variable
	}
	for _, name := range settings.Ignored() {
		log.Warn("telemetry: a variable is set and changes nothing; docs/telemetry.md has those that do", "variable",
			name)
	}
	b := thisBuild()
	e, err := settings.Start(ctx, otelexport.Options{
		Scrape: c.admin.addr != "", Version: b.Version, Log: log,
	})
	if err != nil {
		return err
	}
	c.options.Telemetry = telemetry.New(telemetry.Options{Tracers: e.Tracers(), Meters: e.Meters(),
		Content: c.content == "on"})
	c.options.Telemetry.Metrics().TellBuild(b.Version, b.Commit)
	err = run(e.Metrics())
	until := time.Now().Add(flushGrace)
	if c.drainEnds.After(until) {
		until = c.drainEnds
	}
	closing, cancel := context.WithDeadline(context.Background(), until)
	defer cancel()
	if e.Close(closing) != nil {
		log.Warn("telemetry: not all of it could be sent before the end")
	}
	return err
}
