package cli

import "testing"

func TestMistakesWithCollectors(t *testing.T) {
	w := newWorld(t)
	for _, m := range []mistake{
		{"export $REC --to otlp --send localhost:4318", statusUsage, says("--send: that is no URL of a collector", "http://127.0.0.1:4318")},
		{"export $REC --to otlp --send env", statusUsage, says("--send: neither OTEL_EXPORTER_OTLP_ENDPOINT")},
		{"export $REC --to har --send http://127.0.0.1:1", statusUsage, says("--send is for --to otlp")},
		{"export $REC --to otlp --follow", statusUsage, says("--follow and --again are for --send")},
		{"--otlp secret@host -- cat", statusUsage, says("--otlp: that is no URL of a collector")},
		{"run --metrics here cat", statusUsage, says("--metrics takes a port", `"here"`)},
		{"http http://127.0.0.1:1 --metrics 70000", statusUsage, says("--metrics takes a port", `"70000"`)},
		{"proxy --localhost --otlp ftp://x", statusUsage, says("--otlp: that is no URL")},
		{"exec --wrap --otlp http://u:p@x -- claude", statusUsage, says("--otlp env")},
	} {
		m.run(t, w)
	}
}
