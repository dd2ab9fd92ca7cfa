package oauth

import "strings"

// slashDiffers says whether the resource is the URL of the client but for the slash at
// its end. The root of a server is the same with and without.
func (j *judge) slashDiffers() bool {
	a, b := j.prm.resource, j.url
	return a != b && strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/") && strings.Trim(pathOf(b), "/") != ""
}

// nearResource is metadata of a resource above the endpoint: strict clients do not use it.
func (j *judge) nearResource(c *Check) {
	c.Doubt, c.A = Likely, Side{"the client uses", j.url, j.asked.n}
	c.Text = "The metadata is for a resource above the endpoint of the client, which went no further with its login."
	c.Cause = "Metadata holds for the resource that it names, and no other: strict clients compare it with the URL they connect to. The server names one fixed resource for all its paths."
	if j.slashDiffers() {
		c.Text = "The resource of the metadata and the URL of the client differ in the slash at the end, and the client went no further with its login."
		c.Cause = "The two must be the same to the last character (RFC 9728 3.3). Strict clients compare them so; others leave the slash out."
	}
	c.Fix = "Name the URL of the endpoint as “resource” in the metadata below " + ResourceWellKnown + " plus the path of the endpoint."
	root, own := false, false
	for _, a := range j.attempts[Resource].list {
		at := strings.HasSuffix(strings.TrimSuffix(pathOf(a.url), "/"), ResourceWellKnown)
		root, own = root || at, own || !at
	}
	if root && !own {
		c.Who = Client
		c.Text += " It did not ask for the metadata of its endpoint, " + ResourceWellKnown + pathOf(j.url) + "."
		c.Cause = "The client asks for the metadata of the root only, or first. For an endpoint with a path the metadata stand at the well-known path plus that path."
		c.Fix = "Ask for " + ResourceWellKnown + " plus the path of the endpoint, or for the URL in WWW-Authenticate, before the root."
	}
}
