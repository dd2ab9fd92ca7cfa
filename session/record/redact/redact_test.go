package redact

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"midwire/session/encoding"
	"midwire/session/wire"
	"midwire/session/words/wordstest"
)

var testKey = bytes.Repeat([]byte{7}, keySize)

var maskPattern = regexp.MustCompile(`redacted:[0-9a-f]{8}`)

// masked is what a Redactor makes of a frame when the names in its payload are known, as
// a recording has them; it must be the same when they are not.
func masked(t *testing.T, opt Options, f *wire.Frame) (data []byte, hit bool) {
	t.Helper()
	r := New(opt, testKey)
	names := r.Names()
	wire.ScanLine(f.Data, names)
	data, hit = r.FrameNamed(f, names)
	if again, also := New(opt, testKey).Frame(f); !bytes.Equal(data, again) || hit != also {
		t.Errorf("%s becomes\n%s with names, and without them\n%s", f.Data, data, again)
	}
	return data, hit
}

// plain replaces masks by an asterisk, to keep the tables readable.
func plain(b []byte) string { return maskPattern.ReplaceAllString(string(b), "*") }

func TestMaskHeads(t *testing.T) {
	r := New(Options{Keys: []string{"X-Own"}}, testKey)
	for in, want := range map[string]string{
		"Authorization: Bearer abc.def":                                  "Authorization: Bearer *",
		"AUTHORIZATION:bearer  abc ":                                     "AUTHORIZATION:bearer  * ",
		"authorization: opaque":                                          "authorization: *",
		"Authorization : Basic eDp5":                                     "Authorization : Basic *",
		"Proxy-Authorization: Basic eDp5":                                "Proxy-Authorization: Basic *",
		"Authorization: Digest a=\"b\", c=\"d\"":                         "Authorization: Digest *",
		"Cookie: a=1; b=2;c=3":                                           "Cookie: a=*; b=*;c=*",
		"Cookie: lonely":                                                 "Cookie: *",
		"Set-Cookie: a=1; Path=/, b=2; Secure; c=3":                      "Set-Cookie: a=*; Path=/, b=*; Secure; c=*",
		"Set-Cookie: a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/": "Set-Cookie: a=*; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/",
		"Set-Cookie: a={\"x\":1,\"y\":2}; Path=/":                        "Set-Cookie: a=*; Path=/",
		"Cookie: a=1, b=2":                                               "Cookie: a=*",
		"X-Envoy-Original-Path: /mcp?a=1&token=b":                        "X-Envoy-Original-Path: /mcp?a=1&token=*",
		"X-Any: see https://u:p@h/x?api_key=1":                           "X-Any: see https://u:*@h/x?api_key=*",
		"X-Api-Key: Bearer k":                                            "X-Api-Key: Bearer *",
		"Authentication: Bearer k":                                       "Authentication: Bearer *",
		"Mcp-Param-Password: x":                                          "Mcp-Param-Password: *",
		"Set-Cookie: sid=1=2; Path=/; HttpOnly":                          "Set-Cookie: sid=*; Path=/; HttpOnly",
		"X-Api-Key: k":                                                   "X-Api-Key: *",
		"api-key:k":                                                      "api-key:*",
		"X-Auth-Token: k":                                                "X-Auth-Token: *",
		"DPoP: eyJ.a.b":                                                  "DPoP: *",
		"x-own: v":                                                       "x-own: *",
		"X-Api-Key:":                                                     "X-Api-Key:",
		"X-Forwarded-Authorization: Bearer k":                            "X-Forwarded-Authorization: Bearer *",
		"x-functions-key: k":                                             "x-functions-key: *",
		"Set-Cookie2: a=1; Path=/, b=2":                                  "Set-Cookie2: a=*; Path=*",
		"Mcp-Param-X-Own: v":                                             "Mcp-Param-X-Own: *",
		"Mcp-Param-Name: v":                                              "Mcp-Param-Name: v",
		"Location: https://u:p@h/?a=1;token=2":                           "Location: https://u:*@h/?a=1;token=*",
		"Link: <https://tok@h/>; rel=next, <ssh://git@h/>":               "Link: <https://*@h/>; rel=next, <ssh://git@h/>",
		"X-Api-Key: redacted:01234567":                                   "X-Api-Key: *",
		"Mcp-Session-Id: s-1":                                            "Mcp-Session-Id: s-1",
		"Mcp-Next-Token: s-1":                                            "Mcp-Next-Token: s-1",
		"Accept: text/event-stream":                                      "Accept: text/event-stream",
		"Location: /cb?code=1&state=2#access_token=3":                    "Location: /cb?code=*&state=2#access_token=*",
		"WWW-Authenticate: Bearer resource_metadata=\"http://h/x?a=b\"":  "WWW-Authenticate: Bearer resource_metadata=\"http://h/x?a=b\"",
		"X-Api-Key: a\r\n  b\r\nHost: x":                                 "X-Api-Key: *\r\n  *\r\nHost: x",
		"no field":                                                       "no field",
	} {
		for _, start := range []string{"POST /mcp HTTP/1.1\r\n", "HTTP/1.1 200 OK\n", ""} {
			f := wire.Frame{Kind: wire.KindRequest, Data: []byte(start + in + "\r\n\r\n")}
			got, masked := r.Frame(&f)
			if plain(got) != start+want+"\r\n\r\n" || masked != (string(got) != string(f.Data)) {
				t.Errorf("%q becomes %q, masked %v", f.Data, got, masked)
			}
		}
	}
}

func TestMaskTargets(t *testing.T) {
	r := New(Options{}, testKey)
	for in, want := range map[string]string{
		"/mcp":                     "/mcp",
		"/mcp;token=a":             "/mcp;token=*",
		"http://h/a;b=c;token=a/x": "http://h/a;b=c;token=*/x",
		"http://h/a;token=b/c;d?token=e&a=f?token=g": "http://h/a;token=*/c;d?token=*&a=f?token=g",
		"/mcp?sessionId=1&token=2":                   "/mcp?sessionId=1&token=*",
		"/mcp?apiKey=a&API_KEY=b":                    "/mcp?apiKey=*&API_KEY=*",
		"/m?tavilyApiKey=a":                          "/m?tavilyApiKey=*",
		"/m?cursor=a&page_token=b":                   "/m?cursor=a&page_token=b",
		"/m?access_token=":                           "/m?access_token=",
		"http://h:1/m?client_secret=a&session_id=9":  "http://h:1/m?client_secret=*&session_id=9",
		"/m?token":                      "/m?token",
		"/m?access%5Ftoken=a&%74oken=b": "/m?access%5Ftoken=*&%74oken=*",
		"/m?X-Amz-Signature=a&%zz=b":    "/m?X-Amz-Signature=*&%zz=b",
		"http://u:p@h/m":                "http://u:*@h/m",
		"/m?a=b?token=c&&code=d":        "/m?a=b?token=c&&code=*",
	} {
		f := wire.Frame{Kind: wire.KindRequest, Data: []byte("GET " + in + " HTTP/1.1\r\nHost: h:1\r\n\r\n")}
		if got, _ := r.Frame(&f); plain(got) != "GET "+want+" HTTP/1.1\r\nHost: h:1\r\n\r\n" {
			t.Errorf("%s becomes %q", in, got)
		}
	}
}

func TestMaskPayloads(t *testing.T) {
	plainOpt, own := Options{}, Options{Keys: []string{"PIN", "inner"}}
	path := Options{Paths: []string{"params.arguments.pin", "a.b", "a.c.d", "x"}}
	names := Options{Paths: []string{`a b.c`, `"q".r`, "s[0]", "*"}} // a path has names and nothing else
	value := Options{Values: []*regexp.Regexp{regexp.MustCompile(`sk-[a-z0-9]+`), regexp.MustCompile(`^42$`)}}
	for _, tc := range []struct {
		opt      Options
		kind     wire.Kind
		in, want string
	}{
		{plainOpt, wire.KindLine, `{"access_token":"x","token_type":"Bearer"}`, `{"access_token":"*","token_type":"Bearer"}`},
		{plainOpt, wire.KindLine, `{"a":[{"refresh_token" : "x\"y\\"}],"id_token":""}`, `{"a":[{"refresh_token" : "*"}],"id_token":""}`},
		{plainOpt, wire.KindLine, `{"client_secret":null,"code_verifier":7,"my_access_token":"x"}`, `{"client_secret":null,"code_verifier":7,"my_access_token":"*"}`},
		{plainOpt, wire.KindLine, `{"text":"the access_token is \"access_token\" here"}`, ``},
		{plainOpt, wire.KindLine, `{"text":"{\"access_token\": \"x\\\\\\\"y\", \"b\":1}"}`, `{"text":"{\"access_token\": \"*\", \"b\":1}"}`},
		{plainOpt, wire.KindLine, `{"text":"{\"access_token\":\"cut"}`, `{"text":"{\"access_token\":\"*"}`},
		{plainOpt, wire.KindLine, `{"text":"{\"access_token\":\n  \"x\"}"}`, `{"text":"{\"access_token\":\n  \"*\"}"}`},
		{plainOpt, wire.KindLine, `{"t":"{\"u\":\"{\\\"id_token\\\":\\\"x\\\"}\"}"}`, `{"t":"{\"u\":\"{\\\"id_token\\\":\\\"*\\\"}\"}"}`},
		{plainOpt, wire.KindBody, `grant_type=authorization_code&code=a&code_verifier=b&client_id=c`, `grant_type=authorization_code&code=*&code_verifier=*&client_id=c`},
		{plainOpt, wire.KindBody, `client_secret=a%20b`, `client_secret=*`},
		{plainOpt, wire.KindBody, `{"url":"http://x?token=1&a=2"}`, `{"url":"http://x?token=*&a=2"}`},
		{plainOpt, wire.KindBody, `&a[b]=1&flag&password=it's;so&assertion=b`, `&a[b]=1&flag&password=*&assertion=*`},
		{plainOpt, wire.KindBody, "--b\r\nContent-Disposition: form-data; name=\"client_secret\"\r\n\r\nx\r\ny\r\n--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nz\r\n--b--\r\n", "--b\r\nContent-Disposition: form-data; name=\"client_secret\"\r\n\r\n*\r\n--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nz\r\n--b--\r\n"},
		{plainOpt, wire.KindLine, `{"Access_Token":"x","device_code":"y"}`, `{"Access_Token":"*","device_code":"*"}`},
		{plainOpt, wire.KindEvent, "data: {\"access_token\":\ndata: \"x\"}\n\n", "data: {\"access_token\":\ndata: \"*\"}\n\n"},
		{path, wire.KindRequest, "POST / HTTP/1.1\r\nMcp-Param-Pin: x\r\n\r\n", "POST / HTTP/1.1\r\nMcp-Param-Pin: *\r\n\r\n"},
		{plainOpt, wire.KindEvent, "data: {\"access_token\":\"x\"}\n\n", "data: {\"access_token\":\"*\"}\n\n"},
		{plainOpt, wire.KindEvent, "event: endpoint\ndata: /messages?session_id=1&api_key=2\n\n", "event: endpoint\ndata: /messages?session_id=1&api_key=*\n\n"},
		{plainOpt, wire.KindStderr, `got {"access_token": "x`, `got {"access_token": "*`},
		{plainOpt, wire.KindEdit, `{"what":"location","was":"http://a?code=1","now":"http://b?code=1"}`, `{"what":"location","was":"http://a?code=*","now":"http://b?code=*"}`},
		{plainOpt, wire.KindStart, `{"command":["x"]}`, ``},
		{own, wire.KindLine, `{"pin":1234,"Pin":"a","inner":{"x":["}"]},"pin":[1,2],"spin":1,"PIN":true,"pin":null}`, `{"pin":"*","Pin":"*","inner":"*","pin":"*","spin":1,"PIN":"*","pin":null}`},
		{plainOpt, wire.KindLine, `{"headers":{"Authorization":"Bearer x"}}`, `{"headers":{"Authorization":"Bearer *"}}`},
		{plainOpt, wire.KindLine, `{"credentials":{"user":"x","type":"basic","password":"y","other":["zzz"],"n":1,"url":"http://u:p@h/"},"a":"b"}`, `{"credentials":{"user":"x","type":"basic","password":"*","other":["*"],"n":1,"url":"http://u:*@h/"},"a":"b"}`},
		{plainOpt, wire.KindLine, `{"tokens":["aaa","bbb",3,null],"auth":{"user":"x","pass":"yyy"},"cookies":{"sid":"abc"}}`, `{"tokens":["*","*",3,null],"auth":{"user":"x","pass":"*"},"cookies":{"sid":"*"}}`},
		{plainOpt, wire.KindLine, `{"password":12345,"token":12345,"pwd":-1.5e3}`, `{"password":"*","token":12345,"pwd":-1.5e3}`},
		{plainOpt, wire.KindLine, `{"dsn":"postgres://u:p@h/db","u":"https://h/?a=1\u0026key=abcdefgh1","v":"http:\/\/u:p@h\/"}`, `{"dsn":"postgres://u:*@h/db","u":"https://h/?a=1\u0026key=*","v":"http:\/\/u:*@h\/"}`},
		{plainOpt, wire.KindStderr, `config {'api_key': 'abc', 'port': 1, 'token': 'x y'}`, `config {'api_key': '*', 'port': 1, 'token': '*'}`},
		{plainOpt, wire.KindStderr, `connecting to mysql://u:p@h/x with DB_PASS=abc --token abc`, `connecting to mysql://u:*@h/x with DB_PASS=* --token *`},
		{own, wire.KindLine, `{"t":"{\"pin\": 1234}","access_token":"x"}`, `{"t":"{\"pin\": \"*\"}","access_token":"*"}`},
		{path, wire.KindLine, `{"params":{"arguments":{"pin":"x","other":"y"},"pin":"z"}}`, `{"params":{"arguments":{"pin":"*","other":"y"},"pin":"z"}}`},
		{path, wire.KindLine, `[{"a":[{"b":1},{"b":{"c":2}}]},{"a":{"c":{"d":-1.5e3,"e":{"b":1}}}}]`, `[{"a":[{"b":"*"},{"b":"*"}]},{"a":{"c":{"d":"*","e":{"b":1}}}}]`},
		{path, wire.KindLine, `{"y":{"x":1},"x":{"y":1},"\u0078":2}`, `{"y":{"x":1},"x":"*","\u0078":"*"}`},
		{names, wire.KindLine, `{"a b":{"c":1},"\"q\"":{"r":2},"q":{"r":3},"s[0]":4,"s":[5],"*":6}`, `{"a b":{"c":"*"},"\"q\"":{"r":"*"},"q":{"r":3},"s[0]":"*","s":[5],"*":"*"}`},
		{path, wire.KindEvent, "id: 1\ndata: {\"x\":\"y\"}\n\n", "id: 1\ndata: {\"x\":\"*\"}\n\n"},
		{value, wire.KindLine, `{"a":"key sk-abc1 and \"sk-x\"","b":42,"c":142}`, `{"a":"key * and \"*\"","b":"*","c":142}`},
		{value, wire.KindStderr, "my sk-abc", "my *"},
		{value, wire.KindRequest, "GET /sk-abc HTTP/1.1\r\nX: sk-1\r\n\r\n", "GET /* HTTP/1.1\r\nX: *\r\n\r\n"},
		{value, wire.KindEvent, "data: sk-1\ndata: sk-2\n\n", "data: *\ndata: *\n\n"},
	} {
		if tc.want == "" {
			tc.want = tc.in
		}
		f := wire.Frame{Kind: tc.kind, Data: []byte(tc.in)}
		got, hit := masked(t, tc.opt, &f)
		if plain(got) != tc.want || hit != (tc.in != tc.want) || string(f.Data) != tc.in {
			t.Errorf("%s %s\nbecomes %s\nwant    %s", tc.kind, tc.in, plain(got), tc.want)
		}
	}
}

// A secret that continues in the next part of a long unit is masked there too.
func TestMaskParts(t *testing.T) {
	r := New(Options{}, testKey)
	var got []string
	for _, f := range []wire.Frame{
		{Part: wire.More, Data: []byte(`{"access_token":"begin`)},
		{Part: wire.Whole, X: 2, Data: []byte(`other"}`)},
		{Part: wire.More, Data: []byte(`middle`)},
		{Part: wire.More, Data: []byte(`end","a":"b`)},
		{Part: wire.Cut, Data: []byte(`c"}`)},
	} {
		f.Kind = wire.KindBody
		data, _ := r.Frame(&f)
		got = append(got, plain(data))
	}
	if want := []string{`{"access_token":"*`, `other"}`, `*`, `*","a":"b`, `c"}`}; !slices.Equal(got, want) {
		t.Errorf("parts are %q", got)
	}
	if len(r.parts) > 0 {
		t.Error("something is still waited for")
	}
}

// A compressed body is masked, and can be read as before.
func TestMaskCompressed(t *testing.T) {
	const text, want = `{"access_token":"x","token_type":"Bearer"}`, `{"access_token":"*","token_type":"Bearer"}`
	for _, name := range []string{"gzip", "deflate", "br", "zstd"} {
		r := New(Options{}, testKey)
		c := encoding.Parse(name)
		for x, in := range []string{text, "nothing to hide"} {
			head := wire.Frame{Kind: wire.KindResponse, Dir: wire.ToClient, X: uint32(x), Data: []byte("HTTP/1.1 200 OK\r\ncontent-encoding: " + name + "\r\n\r\n")}
			if _, masked := r.Frame(&head); masked {
				t.Error("the head was changed")
			}
			body := wire.Frame{Kind: wire.KindBody, Dir: wire.ToClient, X: uint32(x), Data: c.Encode([]byte(in))}
			got, masked := r.Frame(&body)
			out, ok := c.Decode(got)
			if x == 0 && (plain(out) != want || !masked) || x == 1 && !bytes.Equal(got, body.Data) || !ok {
				t.Errorf("%s: %q becomes %q, %v", name, in, out, ok)
			}
		}
		if len(r.bodies) > 0 {
			t.Error("something is still waited for")
		}
	}
}

// A bomb is recorded as it came: to search it would hold up the tap.
func TestMaskNoBomb(t *testing.T) {
	for _, size := range []int{maxUnfolded - 100, maxUnfolded, 4 * maxUnfolded} {
		r := New(Options{}, testKey)
		r.Frame(&wire.Frame{Kind: wire.KindResponse, Dir: wire.ToClient, Data: []byte("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n")})
		body := encoding.Gzip.Encode([]byte(`{"access_token":"x","a":"` + strings.Repeat("a", size) + `"}`))
		got, masked := r.Frame(&wire.Frame{Kind: wire.KindBody, Dir: wire.ToClient, Data: body})
		if short := size < maxUnfolded; masked != short || short == bytes.Equal(got, body) {
			t.Errorf("a body of %d: masked %v", size, masked)
		}
	}
}

func TestSameSecretSameMask(t *testing.T) {
	dir := t.TempDir()
	data := func(kind wire.Kind, text string) string {
		got, masked := New(Options{}, Key(dir)).Frame(&wire.Frame{Kind: kind, Data: []byte(text)})
		if !masked {
			t.Errorf("%q is not masked", got)
		}
		return maskPattern.FindString(string(got))
	}
	a := data(wire.KindRequest, "GET / HTTP/1.1\r\nAuthorization: Bearer one\r\n\r\n")
	b := data(wire.KindBody, `{"access_token":"one"}`)
	c := data(wire.KindBody, `{"access_token":"two"}`)
	if a != b || b == c || a == "" {
		t.Errorf("masks %s, %s, %s", a, b, c)
	}
	info, err := os.Stat(filepath.Join(dir, keyFile))
	if err != nil || info.Mode().Perm() != 0o600 || info.Size() != keySize {
		t.Errorf("key: %v, %v", info, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, keyFile+"-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	os.WriteFile(filepath.Join(dir, keyFile), []byte("short"), 0o600)
	if k := Key(dir); len(k) != keySize || !bytes.Equal(k, Key(dir)) {
		t.Error("a broken key was not replaced")
	}
	if k := Key(filepath.Join(dir, "nowhere")); len(k) != keySize {
		t.Error("no key for a folder that cannot be written")
	}
}

func TestArgs(t *testing.T) {
	for in, want := range map[string]string{
		"npx -y server /tmp":                            "",
		"server --api-key X --port 1":                   "server --api-key redacted --port 1",
		"server --token=X --password Y":                 "server --token=redacted --password redacted",
		"server --token --verbose":                      "",
		"server -e GITHUB_TOKEN=x -e A=b":               "server -e GITHUB_TOKEN=redacted -e A=b",
		"server -H Authorization:Bearer":                "server -H Authorization: redacted",
		"server --header=X-Api-Key:abc":                 "server --header=X-Api-Key: redacted",
		"remote https://u:p@h/mcp?apiKey=1&sessionId=2": "remote https://u:redacted@h/mcp?apiKey=redacted&sessionId=2",
		"remote --url=https://h/?token=1":               "remote --url=https://h/?token=redacted",
		"server --tokens 5 --max-token-count 3":         "",
		"server postgres://u:p@h:5432/db":               "server postgres://u:redacted@h:5432/db",
		"server C:\\x http://localhost:80/":             "",
		"token x":                                       "",
		"git https://ghp_x@h/r ssh://git@h/r":           "git https://redacted@h/r ssh://git@h/r",
	} {
		if want == "" {
			want = in
		}
		args := strings.Split(in, " ")
		got := Args(args)
		if strings.Join(got, " ") != want || strings.Join(args, " ") != in {
			t.Errorf("%s becomes %q", in, got)
		}
		if again := Args(got); !slices.Equal(again, got) {
			t.Errorf("%q becomes %q", got, again)
		}
	}
}

// One argument may hold many, as for sh -c.
func TestRedactArgText(t *testing.T) {
	for in, want := range map[string]string{
		`cd /x && API_KEY=5 npx s`:                            `cd /x && API_KEY=redacted npx s`,
		`exec s --token '5 5' --port 1`:                       `exec s --token 'redacted' --port 1`,
		`curl -H 'Authorization: Bearer 5' -H "X-Api-Key: 5"`: `curl -H 'Authorization: redacted' -H "X-Api-Key: redacted"`,
		`psql postgres://a:5@h/x; s http://b:5@h`:             `psql postgres://a:redacted@h/x; s http://b:redacted@h`,
		`{"apiKey":"5","port":1}`:                             `{"apiKey":"redacted","port":1}`,
		`--config={"apiKey": "5"}`:                            `--config={"apiKey": "redacted"}`,
		`"{\"access_token\":\"5\"}"`:                          `"{\"access_token\":\"redacted\"}"`,
		`DB_PASSWORD=two words`:                               `DB_PASSWORD=redacted`,
		`echo a: b, see http://h/ --max-token-count 3`:        `echo a: b, see http://h/ --max-token-count 3`,
		`s --token --verbose`:                                 `s --token --verbose`,
	} {
		got := Args([]string{"sh", in})
		if got[1] != want {
			t.Errorf("%s becomes %s", in, got[1])
		}
		if again := Args(got); again[1] != got[1] {
			t.Errorf("%s becomes %s", got[1], again[1])
		}
	}
}

// Masking never makes JSON invalid, and never touches what was to be kept.
func FuzzMaskJSON(f *testing.F) {
	for _, s := range []string{
		`{"access_token":"x","a":{"pin":[1,{"b":"sk-1"}]}}`, `{"t":"{\"pin\": 1234, \"id_token\":\"\\\\\"}"}`, `"\\\"pin\\\":\\\"\\\\\""`,
		`{"pin":"pin","pin":{"pin":1}}`, `["\"pin\":-1e5","\"pin\":{","\\\"pin\\\":\\\"x"]`, `{"x":{"y":[{"z":"}"}]}}`, `"\u00e9sk-\u00e9"`,
	} {
		f.Add([]byte(s))
	}
	for _, s := range wordstest.JSON() {
		f.Add([]byte(`{"İpin":` + s + `,"x":{"y":[` + s + `]},` + s + `:"sk-1"}`))
	}
	opt := Options{Keys: []string{"pin"}, Paths: []string{"x.y", "a"}, Values: []*regexp.Regexp{regexp.MustCompile(`sk-.|9`)}}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, o := range []Options{{}, opt} {
			frame := wire.Frame{Kind: wire.KindLine, Data: data}
			got, hit := masked(t, o, &frame)
			if wire.Valid(data) && !wire.Valid(got) {
				t.Fatalf("%s becomes invalid: %s", data, got)
			}
			if !hit && !bytes.Equal(got, data) {
				t.Fatalf("%s becomes %s and nothing was masked", data, got)
			}
		}
	})
}
