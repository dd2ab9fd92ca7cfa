package mcp

// Headers of a webhook: a POST of a server to the callback of a subscription to events
// (SEP-3415: Webhook event delivery; Standard Webhooks).
const (
	HeaderWebhookID        = "webhook-id"
	HeaderWebhookTimestamp = "webhook-timestamp"
	HeaderWebhookSignature = "webhook-signature"
	HeaderSubscriptionID   = "X-MCP-Subscription-Id"
)

// WebhookSecret is what the secret of a subscription begins with: base64 of 24 to 64
// bytes follows.
const WebhookSecret = "whsec_"

// WebhookKind is what the body of a webhook is: "event" for one with an eventId, or the
// type of a control envelope; "" for neither.
func WebhookKind(kind string, event bool) string {
	switch kind {
	case "gap", "terminated", "verification":
		return kind
	}
	if event {
		return "event"
	}
	return ""
}
