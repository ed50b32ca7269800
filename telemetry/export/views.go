package export

import (
	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
)

// maxSeries is how many combinations of attributes one instrument keeps; what comes beyond them is counted together, under
// otel_metric_overflow. Names in attributes are those of agents, tools and models, so this is a net and not a budget.
const maxSeries = 2000

// views keep of the metrics of HTTP only attributes that a client cannot grow: the instrumentation has more, such as the name in the Host header.
func views() []sdkmetric.View {
	server := attribute.NewAllowKeysFilter("http.request.method", "http.response.status_code", "http.route")
	client := attribute.NewAllowKeysFilter("http.request.method", "http.response.status_code", "server.address", "error.type")
	return []sdkmetric.View{
		sdkmetric.NewView(sdkmetric.Instrument{Name: "http.server.*"}, sdkmetric.Stream{AttributeFilter: server}),
		sdkmetric.NewView(sdkmetric.Instrument{Name: "http.client.*"}, sdkmetric.Stream{AttributeFilter: client}),
	}
}
