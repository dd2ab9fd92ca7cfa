// Package offers plays servers that are correct and unusual: pages, event streams in all
// spellings that the standard allows, streams that are cut and resumed, questions to the
// client, notifications in between. A client that fails at one is at fault.
//
// Begin with Server, which plays one of resilience.Offers.
// session.go is what both transports share, http.go and stdio.go are these. What belongs to
// an offer is marked, in _meta or in a field of an HTTP response: so a recording says
// whether it was made.
package offers
