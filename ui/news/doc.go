// Package news knows what arrives while somebody looks at something else: how
// many messages a second, and which findings and sessions are new elsewhere.
package news
