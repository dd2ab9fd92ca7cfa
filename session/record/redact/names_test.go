package redact

import (
	"os"
	"strings"
	"testing"
)

// spot is where names of testdata/names.txt are used.
type spot byte

const (
	inHeader spot = 'h'
	inQuery  spot = 'q'
	inJSON   spot = 'j'
	inEnv    spot = 'e'
	inFlag   spot = 'f'
)

// realNames are names of credentials, by the places where they are used.
func realNames(t testing.TB) map[spot][]string {
	t.Helper()
	read := func(name string) string {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	all := map[spot]map[string]bool{inHeader: {}, inQuery: {}, inJSON: {}, inEnv: {}, inFlag: {}}
	for line := range strings.Lines(read("names.txt")) {
		if where, name, ok := strings.Cut(strings.TrimSpace(line), " "); ok && where != "#" {
			all[spot(where[0])][name] = true
		}
	}
	for v := range strings.FieldsSeq(read("vendors.txt")) {
		big, title := strings.ToUpper(v), strings.ToUpper(v[:1])+v[1:]
		for _, end := range []string{"API_KEY", "API_TOKEN", "TOKEN", "ACCESS_TOKEN", "SECRET", "SECRET_KEY", "CLIENT_SECRET", "PASSWORD", "KEY", "AUTH_TOKEN", "BOT_TOKEN", "PERSONAL_ACCESS_TOKEN", "PAT"} {
			all[inEnv][big+"_"+end] = true
			all[inJSON][big+"_"+end] = true
		}
		for _, end := range []string{"ApiKey", "APIKey", "Token", "AccessToken", "Secret", "ClientSecret", "Password"} {
			all[inJSON][v+end], all[inQuery][v+end] = true, true
		}
		for _, end := range []string{"api_key", "token", "access_token", "secret", "password", "apikey"} {
			all[inJSON][v+"_"+end], all[inQuery][v+"_"+end], all[inJSON][v+"-"+strings.ReplaceAll(end, "_", "-")] = true, true, true
		}
		for _, end := range []string{"Api-Key", "Token", "Access-Token", "Secret", "Key", "ApiKey", "Authorization"} {
			all[inHeader]["X-"+title+"-"+end] = true
		}
		for _, end := range []string{"api-key", "token", "secret", "password", "key"} {
			all[inFlag]["--"+v+"-"+end] = true
		}
	}
	names := map[spot][]string{}
	for where, set := range all {
		for name := range set {
			names[where] = append(names[where], name)
		}
	}
	return names
}

// listedNames are those of names.txt.
func listedNames(t testing.TB) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("testdata/names.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if _, name, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			all[name] = true
		}
	}
	return all
}

func TestRealNames(t *testing.T) {
	count := 0
	distinct := map[string]bool{}
	for where, names := range realNames(t) {
		for _, name := range names {
			count++
			distinct[name] = true
			k := secretName([]byte(name))
			ok := k != noSecret
			switch where {
			case inHeader:
				ok = (&Redactor{}).fieldKind([]byte(name)) >= allSecret
			case inJSON:
				ok = asMember([]byte(name)) != noSecret
			case inQuery:
				ok = (&Redactor{}).isParameter([]byte(name), []byte("5ecr3t-value"), false)
			case inEnv, inFlag:
				ok = isFlag([]byte(name), []byte("5ecr3t-value"))
			}
			if !ok {
				t.Errorf("%c %s is taken for no secret (%d)", where, name, k)
			}
		}
	}
	if count < 5000 || len(distinct) < 1000 {
		t.Errorf("%d names, %d of them distinct", count, len(distinct))
	}
}

// innocentNames are no secrets as members of JSON.
const innocentNames = `progressToken progress_token nextPageToken pageToken next_page_token continuationToken continuation_token syncToken nextSyncToken resumptionToken
	nextCursor cursor nextToken NextToken startToken endToken maxTokens max_tokens max_completion_tokens total_tokens prompt_tokens completion_tokens input_tokens
	output_tokens tokenCount token_count numTokens tokens_used tokensPerSecond promptTokenCount candidatesTokenCount thoughtsTokenCount token_type tokenType tokenizer
	token_endpoint authorization_endpoint authorizationUrl tokenUrl token_endpoint_auth_methods_supported token_endpoint_auth_signing_alg_values_supported
	auth_type authType authMethod authProvider keyword keywords key keys primaryKey primary_key foreign_key sortKey partitionKey idempotencyKey cacheKey issueKey
	projectKey passed bypass compass author authors authority authenticated passwordRequired password_required requiresAuth isSecret hasToken hotkey monkey keyboard
	session_id sessionId Mcp-Session-Id requestState state code code_challenge code_challenge_method client_id redirect_uri grant_type scope scopes expires_in
	client_secret_expires_at client_id_issued_at registration_client_uri registration_endpoint jwks_uri revocation_endpoint introspection_endpoint
	scopes_supported bearer_methods_supported resource authorization_servers resource_metadata id_token_signing_alg_values_supported signature signatures
	description type properties required items inputSchema outputSchema additionalProperties method params result error message data text content name title uri
	mimeType blob annotations readOnlyHint destructiveHint idempotentHint openWorldHint structuredContent isError arguments capabilities protocolVersion serverInfo
	clientInfo version instructions prompts resources tools logging completions experimental sampling elicitation roots listChanged subscribe level logger jsonrpc id
	method_name taskId ttl pollInterval status statusMessage createdAt lastUpdatedAt total progress hasMore values argument ref hints costPriority speedPriority
	stopReason model role systemPrompt includeContext temperature stopSequences metadata secretary secretName secretRef passage passenger tokenId publicKey public_key
	sshPublicKey keyId kid key_id access_key_id secretVersion cookiePolicy cookieConsent authorName coauthor oauth oauth2 oauthScopes credentialType credentialId
	passwordPolicy passwordMinLength compassHeading passThrough passthrough passRate signatureHelp tokenLimit tokenBudget context_window jwtAlgorithm designToken
	semanticTokens stop_token eos_token bos_token pad_token unk_token mask_token codeAction codeLens authorization_response_iss_parameter_supported
	authorizationDetails pushed_authorization_request_endpoint dpop_signing_alg_values_supported software_id software_version contacts tos_uri policy_uri logo_uri`

func TestInnocentNames(t *testing.T) {
	for name := range strings.FieldsSeq(innocentNames) {
		if k := asMember([]byte(name)); k == plural && strings.HasSuffix(strings.ToLower(name), "tokens") {
			continue // strings are, numbers are not
		} else if k != noSecret {
			t.Errorf("%s is taken for a secret (%d)", name, k)
		}
	}
	for name := range strings.FieldsSeq(`Host Accept Accept-Encoding Content-Type Content-Length Content-Encoding Transfer-Encoding User-Agent Origin Referer Mcp-Session-Id Mcp-Protocol-Version
		Mcp-Method Mcp-Name Mcp-Next-Token Last-Event-Id WWW-Authenticate Proxy-Authenticate Access-Control-Allow-Headers Access-Control-Request-Headers Sec-WebSocket-Key Sec-WebSocket-Accept
		Idempotency-Key Surrogate-Key X-Cache-Key X-Request-Id X-Authenticated-User X-Forwarded-For X-Auth-Email Authentication-Results Authentication-Info
		Cookie-Policy X-Api-Version X-Accel-Buffering Server Date Vary Allow Etag If-None-Match Traceparent Tracestate X-Passthrough Keep-Alive Connection`) {
		if k := (&Redactor{}).fieldKind([]byte(name)); k == allSecret || k == scheme || k == cookies || k == setCookie {
			t.Errorf("the field %s is taken for a secret (%d)", name, k)
		}
	}
}
