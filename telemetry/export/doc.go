// Package export sends the telemetry of package telemetry to an operator's collector, and serves the metrics to
// Prometheus. Only this package uses OpenTelemetry's SDK, its exporters, and Prometheus' client.
//
// OpenTelemetry's standard variables configure it. [Read] checks them, so that mistakes are found at the start, and
// [Settings.Start] starts it:
//
//	settings, err := export.Read(os.LookupEnv)
//	…
//	e, err := settings.Start(ctx, export.Options{Scrape: true})
//	…
//	defer e.Close(ctx)
//	options.Telemetry = telemetry.New(telemetry.Options{Tracers: e.Tracers(), Meters: e.Meters()})
//
// Without the variables it starts and sends nothing. A slow or absent collector costs spans, never time: they wait in a
// bounded queue, and are dropped when it is full.
package export
