package redact

import (
	"bytes"
	"strings"
	"sync"

	"midwire/session/wire"
)

// kind is what a name says about its value. Which kinds count depends on the
// place: code is a credential in a URL, and an error's number in JSON.
type kind uint8

const (
	noSecret kind = iota
	inURL         // a credential as a parameter of a URL or a form
	keyLike       // something's key: a credential in a head, a command line, an environment
	plural        // tokens: credentials, unless it is how many
	auth          // like mode; an object is about logging in, and its members say what is secret
	mode          // a credential, unless the value is the name of a way to log in
	sure          // a credential
	password      // a credential even when it is a number
)

// The rule. A name is taken apart into words, at - _ . and the like and where
// camelCase changes case. Words at its end that change nothing are passed over.
// Then its last word decides, or the end of all its letters.

// lastWords decide when they are the last word of a name.
var lastWords = map[string]kind{
	"auth": auth, "pass": mode, "pw": mode, "pwd": mode, "otp": mode, "totp": mode, "psk": sure,
	"pat": keyLike, "key": keyLike, "code": inURL, "sig": inURL, "signature": inURL, "assertion": inURL,
}

// alone is what some words are when there is no other.
var alone = map[string]kind{"key": inURL, "pw": noSecret, "otp": inURL, "cookies": mode}

// endings decide when all the letters of a name, without what stands between
// its words, end so. Of two that fit the first counts.
var endings = [...]struct {
	kind  kind
	texts string
}{
	{password, "password passwords passwd passphrase passcode"},
	{mode, "pwd token credential credentials creds jwt bearer cookie cookies"},
	{auth, "authorization authentication devicecode authcode authorizationcode"},
	{plural, "tokens"},
	{sure, `secret secrets apikey apikeys accesskey secretkey privatekey accountkey applicationkey appkey authkey masterkey adminkey
		subscriptionkey functionkey functionskey signingkey encryptionkey decryptionkey sharedkey sharedaccesskey sessionkey servicekey
		licensekey consumerkey deploykey sshkey clientkey insertkey writekey ingestkey ingestionkey integrationkey securitykey hmackey
		jwtkey rsakey restkey dpop amznoidc rolekey clientassertion samlassertion samlresponse jwtassertion codeverifier oauthverifier
		idtokenhint sharedaccesssignature dbpass userpass sshpass adminpass rootpass smtppass mypass honeycombteam`},
}

// ending is how a name ends.
type ending struct {
	text string
	kind kind
}

// endingsBy are the endings by their last letters.
var endingsBy = sync.OnceValue(func() *[32][]ending {
	var by [32][]ending
	for _, e := range endings {
		for text := range strings.FieldsSeq(e.texts) {
			i := text[len(text)-1] & 31
			by[i] = append(by[i], ending{text, e.kind})
		}
	}
	return &by
})

// neutral words at the end of a name change nothing.
var neutral = wordSet("b value confirm confirmation again repeat b64 base64 encoded plain plaintext raw string str data pem base new old current hash")

// asking words at the beginning make a name a question, or a number.
var asking = wordSet(`is has have need needs requires require use uses no skip allow show hide enable disable without
	max min num count total estimated
	get list delete revoke rotate fetch`)

// notTokens say, in front of token, that it is no credential: a place in a list,
// a piece of text, what a protocol counts with.
var notTokens = wordSet(`progress page nextpage prevpage previouspage pagination paging continuation sync nextsync resumption resume next previous prev
	start starting end stop forward backward cursor scroll change eos bos pad unk mask sep cls special design semantic clientrequest idempotency
	per num total prompt completion input output reasoning thinking cached cache max min used remaining budget text word`)

// notKeys say, in front of key, that it finds something and opens nothing.
var notKeys = wordSet(`primary foreign public pub sort partition idempotency idempotent cache surrogate websocket socket row column index group object routing
	range hash search lookup dedup dedupe map hot short shortcut arrow project issue epic board space page parent field locale translation i18n
	message event state local item list node custom config setting param query header metadata meta tag label registry unique composite
	candidate natural host known lock mutex tls ssl ca cert press`)

// owners in front of key are those whose keys are always credentials.
var owners = wordSet(`openai anthropic claude gemini google groq mistral stripe tavily exa brave serper serpapi firecrawl perplexity cohere deepseek azure aws
	gcp algolia twilio sendgrid mailgun sentry datadog dd newrelic pinecone openrouter xai replicate huggingface hf elevenlabs notion
	linear github gitlab slack maps weather rapidapi fastly supabase airtable figma jira confluence shodan virustotal langsmith langfuse`)

// words is a set of words, made when it is needed first: a client that launches
// midwire waits for what is made before.
func wordSet(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		all := map[string]bool{}
		for w := range strings.FieldsSeq(list) {
			all[w] = true
		}
		return all
	})
}

// tails has the last three letters of every name that can be secret: most names
// are known by them to be none.
var tails = sync.OnceValue(newTails)

func newTails() *wire.Tails {
	var s wire.Tails
	add := func(word string) {
		var tail [3]byte
		n := copy(tail[max(3-len(word), 0):], word[max(len(word)-3, 0):])
		for c := range 1 << (5 * (3 - n)) { // in front of a shorter word any letter may stand
			tail[0], tail[1] = pick(n < 3, byte(c&31), tail[0]), pick(n < 2, byte(c>>5), tail[1])
			i := tailIndex(tail[:])
			s[i>>6] |= 1 << (i & 63)
		}
	}
	for w := range lastWords {
		add(w)
	}
	for w := range neutral() {
		add(w)
	}
	for _, list := range endingsBy() {
		for _, e := range list {
			add(e.text)
		}
	}
	add("name") // its value may be one
	return &s
}

func pick(first bool, a, b byte) byte {
	if first {
		return a
	}
	return b
}

func tailIndex(name []byte) uint {
	n := len(name)
	return uint(name[n-3]&31)<<10 | uint(name[n-2]&31)<<5 | uint(name[n-1]&31)
}

// mayBeSecret reports whether the end of a name of at least three bytes is one
// that can be secret. It runs for every member of every payload.
func mayBeSecret(name []byte) bool {
	i := tailIndex(name)
	return tails()[i>>6]>>(i&63)&1 == 1 || name[len(name)-1]|0x20 < 'a'
}

// maxName is how many letters of a name are looked at, from its end.
const maxName = 64

// spelled is a name in lower case without what stands between its words.
type spelled struct {
	letters [maxName]byte
	starts  [maxName]uint8 // of the words
	n, w    int            // letters, words
}

// spell takes a name apart.
func (s *spelled) spell(name []byte) {
	name = name[max(len(name)-maxName, 0):]
	between := true
	for i, c := range name {
		upper, digit := c >= 'A' && c <= 'Z', c >= '0' && c <= '9'
		if !upper && !digit && (c < 'a' || c > 'z') {
			between = true
			if c == '/' { // behind whose name it is: io.example/token
				s.n, s.w = 0, 0
			}
			continue
		}
		if upper && i > 0 && !between {
			before := name[i-1]
			afterLower := before < 'A' || before > 'Z'
			beforeLower := i+1 < len(name) && name[i+1] >= 'a' && name[i+1] <= 'z'
			between = afterLower || beforeLower
		}
		if between {
			s.starts[s.w] = uint8(s.n)
			s.w++
			between = false
		}
		if upper {
			c |= 0x20
		}
		s.letters[s.n] = c
		s.n++
	}
}

func (s *spelled) word(i int) []byte {
	to := s.n
	if i+1 < s.w {
		to = int(s.starts[i+1])
	}
	return s.letters[s.starts[i]:to]
}

// trim removes what changes nothing from the end: numbers, and neutral words.
func (s *spelled) trim() {
	for s.w > 0 {
		for s.n > int(s.starts[s.w-1]) && s.letters[s.n-1] <= '9' {
			s.n--
		}
		last := s.word(s.w - 1)
		if len(last) > 0 && (s.w == 1 || !neutral()[string(last)]) {
			return
		}
		s.w--
		s.n -= len(last)
	}
}

// secretName says what a name of a header field, a parameter, a member, a flag
// or a variable says about its value.
func secretName(name []byte) kind {
	var s spelled
	s.spell(name)
	s.trim()
	if s.w == 0 || asking()[string(s.word(0))] && s.w > 1 {
		return noSecret
	}
	all, last := s.letters[:s.n], s.word(s.w-1)
	var before []byte
	if s.w > 1 {
		before = s.word(s.w - 2)
	} else if k, ok := alone[string(last)]; ok {
		return k
	}
	for _, e := range endingsBy()[all[len(all)-1]&31] {
		if !bytes.HasSuffix(all, []byte(e.text)) {
			continue
		}
		if e.text == "token" || e.text == "tokens" {
			if rest := last[:max(len(last)-len(e.text), 0)]; len(rest) > 0 {
				before = rest // written as one word
			}
			if notTokens()[string(before)] {
				return noSecret
			}
			if s.w == 1 && e.kind == mode {
				return mode
			}
			if e.kind == mode {
				return sure
			}
		}
		return e.kind
	}
	switch k := lastWords[string(last)]; {
	case k == auth && string(before) == "o": // OAuth
		return noSecret
	case k == keyLike && notKeys()[string(before)]:
		return noSecret
	case k == keyLike && (owners()[string(before)] || string(last) == "pat" && s.w > 1):
		return sure
	default:
		return k
	}
}

// isField reports whether a name is spelled like that of a header field: X-Key,
// Fastly-Key.
func isField(name []byte) bool {
	return bytes.IndexByte(name, '-') > 0 && (name[0] >= 'A' && name[0] <= 'Z' || name[0] == 'x')
}

// isShouting reports whether a name is spelled like a variable of the environment.
func isShouting(name []byte) bool {
	return len(name) > 0 && !bytes.ContainsAny(name, "abcdefghijklmnopqrstuvwxyz")
}
