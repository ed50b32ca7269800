package export_test

import (
	"context"
	"fmt"

	"github.com/agui-gateway/gateway/telemetry/export"
)

// Without variables nothing is sent, and telemetry is discarded.
func ExampleRead() {
	env := map[string]string{"OTEL_TRACES_EXPORTER": "none"}
	settings, err := export.Read(func(name string) (string, bool) { value, ok := env[name]; return value, ok })
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := settings.Start(context.Background(), export.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, span := e.Tracers().Tracer("example").Start(context.Background(), "work")
	span.End()
	fmt.Println(settings.Sends(), span.IsRecording(), e.Close(context.Background()))
	// Output: false false <nil>
}

// A mistake is named, and a value that may be a secret is not quoted.
func ExampleRead_mistake() {
	env := map[string]string{"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_HEADERS": "authorization: Bearer abc"}
	_, err := export.Read(func(name string) (string, bool) { value, ok := env[name]; return value, ok })
	fmt.Println(err)
	// Output:
	// OTEL_EXPORTER_OTLP_HEADERS: not a list of key=value with commas between; in a value write a comma as %2C and a per cent sign as %25
}
