// Package export sends what package telemetry is told to an operator's collector, and shows the metrics to Prometheus. It is the only
// door to OpenTelemetry's SDK, its exporters, and Prometheus' client.
//
// What is sent, and where to, is said by OpenTelemetry's standard variables. [Read] checks them, so that a mistake is seen at the
// start, and [Settings.Start] begins:
//
//	settings, err := export.Read(os.LookupEnv)
//	…
//	e, err := settings.Start(ctx, export.Options{Scrape: true})
//	…
//	defer e.Close(ctx)
//	options.Telemetry = telemetry.New(telemetry.Options{Tracers: e.Tracers(), Meters: e.Meters()})
//
// Without the variables nothing is started and nothing is sent. A collector that is slow or away costs spans, never time: they wait in
// a queue that is bounded, and are dropped when it is full.
package export
