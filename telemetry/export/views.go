package export

import (
	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
)

// maxSeries bounds the combinations of attributes of one instrument; further ones are counted together, under
// otel_metric_overflow. Attributes are names of agents, tools and models, so this is a safety net.
const maxSeries = 2000

// views limit HTTP metrics to attributes that clients cannot multiply: there are more, such as the Host header.
func views() []sdkmetric.View {
	server := attribute.NewAllowKeysFilter("http.request.method", "http.response.status_code", "http.route")
	client := attribute.NewAllowKeysFilter("http.request.method", "http.response.status_code", "server.address",
		"error.type")
	return []sdkmetric.View{
		sdkmetric.NewView(sdkmetric.Instrument{Name: "http.server.*"}, sdkmetric.Stream{AttributeFilter: server}),
		sdkmetric.NewView(sdkmetric.Instrument{Name: "http.client.*"}, sdkmetric.Stream{AttributeFilter: client}),
	}
}
