package telemetry

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"midwire/session/words"
)

const (
	firstWait    = time.Second
	longestWait  = 30 * time.Second // between two attempts
	longestAfter = 5 * time.Minute  // that a collector may ask for with Retry-After
	maxAnswer    = 64 << 10         // bytes of a response
)

// poster sends requests to one collector.
type poster struct {
	*Endpoint
	client  *http.Client
	version string
}

func newPoster(e *Endpoint, version string) *poster {
	return &poster{Endpoint: e, version: version, client: &http.Client{
		Timeout: e.Timeout,
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			TLSClientConfig:        &tls.Config{RootCAs: e.Roots, MinVersion: tls.VersionTLS12},
			MaxResponseHeaderBytes: maxAnswer, DisableCompression: true, MaxConnsPerHost: 4,
			IdleConnTimeout: 30 * time.Second, TLSHandshakeTimeout: e.Timeout,
		},
		// Credentials must not reach whom a redirect names.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// answer is what came of a request.
type answer struct {
	err      error         // nil: it was taken
	again    bool          // it may be sent again
	after    time.Duration // and not before
	rejected int64         // spans that were refused of a request that was taken
	why      string
}

// post sends a request once.
func (p *poster) post(ctx context.Context, body []byte) answer {
	var sent bytes.Buffer
	if p.Gzip {
		z := gzip.NewWriter(&sent)
		_, _ = z.Write(body)
		_ = z.Close()
	} else {
		sent = *bytes.NewBuffer(body)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL, &sent)
	if err != nil {
		return answer{err: errors.New("the URL cannot be used")}
	}
	req.Header = p.Header.Clone()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "midwire/"+p.version)
	if p.Gzip {
		req.Header.Set("Content-Encoding", "gzip")
	}
	resp, err := p.client.Do(req)
	if err != nil {
		if of, ok := errors.AsType[*url.Error](err); ok {
			err = of.Err // the URL may be a secret
		}
		return answer{err: err, again: true}
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	return judge(resp, said, err)
}

// judge reads a response as OTLP/HTTP defines it.
func judge(resp *http.Response, said []byte, err error) answer {
	switch code := resp.StatusCode; {
	case code/100 == 2 && err != nil: // it was taken, as far as we know
		return answer{}
	case code/100 == 2:
		var partial struct {
			PartialSuccess struct {
				RejectedSpans json.RawMessage `json:"rejectedSpans"`
				ErrorMessage  string          `json:"errorMessage"`
			} `json:"partialSuccess"`
		}
		_ = json.Unmarshal(said, &partial) // many collectors say nothing, or something else
		n, _ := strconv.ParseInt(string(bytes.Trim(partial.PartialSuccess.RejectedSpans, `"`)), 10, 64)
		return answer{rejected: max(n, 0), why: words.Clip(partial.PartialSuccess.ErrorMessage, 200)}
	case code/100 == 3:
		return answer{err: fmt.Errorf("it redirects (HTTP %d), and redirects are not followed: give the URL that it redirects to", code)}
	case code == 429 || code == 502 || code == 503 || code == 504:
		return answer{err: fmt.Errorf("HTTP %d", code), again: true, after: retryAfter(resp.Header.Get("Retry-After"), time.Now())}
	default:
		return answer{err: fmt.Errorf("HTTP %d", code)}
	}
}

// retryAfter reads seconds or a date.
func retryAfter(value string, now time.Time) time.Duration {
	if n, err := strconv.ParseUint(value, 10, 64); err == nil {
		return time.Duration(min(n, uint64(longestAfter/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, min(at.Sub(now), longestAfter))
	}
	return 0
}

// wait is how long to wait before an attempt, after so many that failed: twice as long
// each time, and half of it by chance, so that many proxies do not come at once.
func wait(failed int, first, after time.Duration) time.Duration {
	d := min(first<<min(failed-1, 10), longestWait)
	return max(after, d/2+rand.N(d/2+1))
}
