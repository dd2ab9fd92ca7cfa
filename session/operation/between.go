package operation

import (
	"slices"
	"strconv"
	"strings"

	"midwire/session/words"
)

// frontends are what gateways, load balancers, caches and networks for content call themselves in
// the header Server; the web servers that run applications are none.
var frontends = []string{
	"cloudflare", "nginx", "openresty", "awselb", "amazons3", "cloudfront", "envoy", "caddy", "varnish", "akamai",
	"google frontend", "gws", "azure", "traefik", "haproxy", "apache", "litespeed", "kong", "vercel", "fly/", "squid", "ats/",
}

// Between names what stands between client and server, by the marks that it left in the head of a
// response; "" for none. Whether it made the response or passed it on, the head does not say.
func Between(header func(name string) string) string {
	if by := header("Server"); by != "" && words.Holds(words.Fold(by), frontends...) {
		return by
	}
	if header("CF-Ray") != "" {
		return "Cloudflare"
	}
	if _, via, found := strings.Cut(strings.TrimSpace(header("Via")), " "); found { // 1.1 varnish (Varnish/7.1)
		name, _, _ := strings.Cut(via, " ")
		return strings.TrimSuffix(name, ",")
	}
	if Cached(header) != "" {
		return "a cache"
	}
	return ""
}

// Cached is the mark of a response that came out of a cache, as "Age: 44"; "" for none.
func Cached(header func(name string) string) string {
	if v := header("X-Cache"); words.Contains(v, "hit") {
		return "X-Cache: " + v
	}
	if v := header("CF-Cache-Status"); words.Equal(v, "hit") {
		return "CF-Cache-Status: " + v
	}
	// of its own request, and of the one whose response it kept
	if v := strings.Fields(header("X-Varnish")); len(v) == 2 && !slices.ContainsFunc(v, notNumber) {
		return "X-Varnish: " + strings.Join(v, " ")
	}
	if v := header("Age"); v != "" && v != "0" && !notNumber(v) {
		return "Age: " + v
	}
	return ""
}

func notNumber(s string) bool {
	_, err := strconv.ParseUint(s, 10, 64)
	return err != nil
}
