package telemetry

import (
	"cmp"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"midwire/session/safefile"
	"midwire/session/semconv"
)

// FromEnv is in place of a URL: the endpoint is that of the environment.
const FromEnv = "env"

// ErrURL is a URL that cannot be one of a collector.
var ErrURL = errors.New("that is no URL of a collector. Give it whole, like http://127.0.0.1:4318")

// Endpoint is where spans are sent, and how. Its fields may be secrets: Shown is for people.
type Endpoint struct {
	URL      string
	Header   http.Header
	Timeout  time.Duration // of one request
	Gzip     bool
	Roots    *x509.CertPool // nil for those of the system
	Resource []string       // keys and values in turn
	Warning  string         // what of the environment is not used, and why; "" for nothing
}

// Shown is the endpoint without what may be a secret.
func (e *Endpoint) Shown() string {
	u, err := url.Parse(e.URL)
	if err != nil {
		return "the collector"
	}
	return u.Scheme + "://" + u.Host + u.EscapedPath()
}

// Parse reads a URL, or FromEnv, and the variables that OpenTelemetry has for an
// OTLP/HTTP exporter of traces. They alone never make an Endpoint: a server has the
// environment of its client, and what is in that was not meant for us.
func Parse(given string, getenv func(string) string) (*Endpoint, error) {
	of := func(name string) string {
		if v := getenv("OTEL_EXPORTER_OTLP_TRACES_" + name); v != "" {
			return v
		}
		return getenv("OTEL_EXPORTER_OTLP_" + name)
	}
	e := &Endpoint{Timeout: 10 * time.Second, Gzip: of("COMPRESSION") == "gzip", Header: http.Header{}}
	variable, err := fromEnv(getenv)
	switch {
	case given == FromEnv && err != nil:
		return nil, err
	case given == FromEnv && getenv("OTEL_SDK_DISABLED") == "true":
		return nil, errors.New("OTEL_SDK_DISABLED is true")
	case given == FromEnv && variable == "":
		return nil, errors.New("neither OTEL_EXPORTER_OTLP_ENDPOINT nor OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is set; " +
			"or give a URL, like http://127.0.0.1:4318")
	case given == FromEnv && strings.Contains(of("PROTOCOL"), "grpc"):
		return nil, errors.New("OTEL_EXPORTER_OTLP_PROTOCOL is grpc, and midwire sends OTLP over HTTP. " +
			"Give the URL of the collector for HTTP, often at port 4318")
	case given == FromEnv:
		e.URL = variable
	default:
		if e.URL, err = endpoint(given, true); err != nil {
			return nil, err
		}
	}
	if ms := of("TIMEOUT"); ms != "" {
		n, err := strconv.Atoi(ms)
		if err != nil || n <= 0 || n > 600_000 {
			return nil, errors.New("OTEL_EXPORTER_OTLP_TIMEOUT is a time in milliseconds, from 1 to 600000")
		}
		e.Timeout = time.Duration(n) * time.Millisecond
	}
	if err := e.headers(of("HEADERS"), variable); err != nil {
		return nil, err
	}
	e.Resource = resource(getenv)
	return e, e.trust(of("CERTIFICATE"))
}

// fromEnv is the endpoint that the environment has, "" for none.
func fromEnv(getenv func(string) string) (string, error) {
	whole, name := getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	base := whole == ""
	if base {
		name = "OTEL_EXPORTER_OTLP_ENDPOINT"
		whole = getenv(name)
	}
	if whole == "" {
		return "", nil
	}
	u, err := endpoint(whole, base)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return u, nil
}

// endpoint checks a URL. That of a base gets the path of traces, unless it ends with it.
// What is wrong is not quoted: it may be a secret.
func endpoint(given string, base bool) (string, error) {
	u, err := url.Parse(strings.TrimSpace(given))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return "", ErrURL
	}
	const traces = "/v1/traces"
	if base && !strings.HasSuffix(u.Path, traces) {
		u = u.JoinPath(traces)
	}
	u.Path, u.Fragment = cmp.Or(u.Path, "/"), ""
	return u.String(), nil
}

// headers reads NAME=VALUE,…, values percent-encoded. Where they belong to the endpoint of
// the environment, no other host gets them.
func (e *Endpoint) headers(list, owner string) error {
	if list == "" {
		return nil
	}
	own, errOwn := url.Parse(owner)
	to, errTo := url.Parse(e.URL)
	if owner != "" && (errOwn != nil || errTo != nil || own.Host != to.Host || own.Scheme != to.Scheme) {
		e.Warning = "OTEL_EXPORTER_OTLP_HEADERS are not sent: they are for " + own.Host + ", the endpoint of the environment"
		return nil
	}
	for pair := range strings.SplitSeq(list, ",") {
		name, value, ok := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if name == "" && !ok {
			continue
		}
		if err != nil || !ok || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return errors.New("OTEL_EXPORTER_OTLP_HEADERS is NAME=VALUE,NAME=VALUE, values percent-encoded")
		}
		e.Header.Set(name, value)
	}
	return nil
}

// resource is what OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME say of us.
func resource(getenv func(string) string) (all []string) {
	name := getenv("OTEL_SERVICE_NAME")
	for pair := range strings.SplitSeq(getenv("OTEL_RESOURCE_ATTRIBUTES"), ",") {
		key, value, ok := strings.Cut(pair, "=")
		key = strings.TrimSpace(key)
		if value, err := url.PathUnescape(strings.TrimSpace(value)); ok && err == nil && key != "" {
			if key == semconv.ServiceName && name != "" {
				continue
			}
			all = append(all, key, value)
		}
	}
	if name != "" {
		all = append(all, semconv.ServiceName, name)
	}
	return all
}

func (e *Endpoint) trust(file string) error {
	if file == "" || !strings.HasPrefix(e.URL, "https:") {
		return nil
	}
	pem, err := safefile.ReadGiven(file, 1<<20)
	if err != nil {
		return fmt.Errorf("OTEL_EXPORTER_OTLP_CERTIFICATE: %w", err)
	}
	if e.Roots, err = x509.SystemCertPool(); err != nil {
		e.Roots = x509.NewCertPool()
	}
	if !e.Roots.AppendCertsFromPEM(pem) {
		return errors.New("OTEL_EXPORTER_OTLP_CERTIFICATE: the file has no certificates")
	}
	return nil
}
