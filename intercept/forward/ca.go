package forward

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"sync"
	"time"
)

// Life of certificates: longer than any run of a client, and not much longer.
const (
	caLife   = 30 * 24 * time.Hour
	openLife = 7 * 24 * time.Hour // of an authority that can vouch for other hosts than those named
	before   = time.Hour          // clocks differ
)

// Authority is the certificate authority of one run. Its key is never stored.
type Authority struct {
	key  *ecdsa.PrivateKey
	cert *x509.Certificate

	mu     sync.Mutex // guards leaves
	leaves map[string]*tls.Certificate
}

// NewAuthority makes an authority that can vouch for these hosts and, by the
// rules that every client enforces (RFC 5280, 4.2.1.10), for no one else. With
// none it can vouch for any host.
func NewAuthority(hosts []string) (*Authority, error) {
	return newAuthority(caLife, func(t *x509.Certificate) {
		if len(hosts) > 0 {
			permit(t, hosts)
		}
	})
}

// NewOpenAuthority makes one that can vouch for other names too, which no one
// knows yet, but not for those of models, and for no other address. It lives
// shorter.
func NewOpenAuthority(hosts []string) (*Authority, error) {
	return newAuthority(openLife, func(t *x509.Certificate) {
		permit(t, hosts)
		t.PermittedDNSDomains = nil
		t.ExcludedDNSDomains = modelDomains(hosts)
	})
}

func newAuthority(life time.Duration, limit func(*x509.Certificate)) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	serial := newSerial()
	t := &x509.Certificate{
		SerialNumber: serial,
		// With its own name in every run: clients find an authority by it.
		Subject:   pkix.Name{CommonName: fmt.Sprintf("midwire of one run %x", serial.Bytes()[:4]), Organization: []string{"midwire"}},
		NotBefore: now.Add(-before), NotAfter: now.Add(life),
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		BasicConstraintsValid: true, IsCA: true, MaxPathLenZero: true,
	}
	limit(t)
	der, err := x509.CreateCertificate(rand.Reader, t, t, key.Public(), key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &Authority{key: key, cert: cert, leaves: map[string]*tls.Certificate{}}, nil
}

// permit constrains an authority to hosts. A kind of name without a constraint
// would be free.
func permit(t *x509.Certificate, hosts []string) {
	t.PermittedDNSDomainsCritical = true
	for _, h := range hosts {
		ip := net.ParseIP(h)
		switch {
		case ip == nil:
			t.PermittedDNSDomains = append(t.PermittedDNSDomains, h)
		case ip.To4() != nil:
			t.PermittedIPRanges = append(t.PermittedIPRanges, &net.IPNet{IP: ip.To4(), Mask: net.CIDRMask(32, 32)})
		default:
			t.PermittedIPRanges = append(t.PermittedIPRanges, &net.IPNet{IP: ip, Mask: net.CIDRMask(128, 128)})
		}
	}
	if len(t.PermittedDNSDomains) == 0 {
		t.PermittedDNSDomains = []string{"midwire.invalid"}
	}
	if len(t.PermittedIPRanges) == 0 {
		t.ExcludedIPRanges = []*net.IPNet{
			{IP: net.IPv4zero.To4(), Mask: net.CIDRMask(0, 32)}, {IP: net.IPv6zero, Mask: net.CIDRMask(0, 128)},
		}
	}
}

func newSerial() *big.Int {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[0] = b[0]&0x7f | 0x40
	return new(big.Int).SetBytes(b[:])
}

// PEM is the certificate of the authority, for clients to trust.
func (a *Authority) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
}

var (
	errName = errors.New("no name to make a certificate for")
	errOver = errors.New("the certificates of this run have expired: start it again")
)

// Leaf is a certificate for a name or an address, if the authority can vouch for
// it.
func (a *Authority) Leaf(name string) (*tls.Certificate, error) {
	if name == "" {
		return nil, errName
	}
	if time.Now().After(a.cert.NotAfter) {
		return nil, errOver
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.leaves[name]; c != nil {
		return c, nil
	}
	c, err := a.issue(name)
	if err == nil {
		err = a.check(c.Certificate[0], name)
	}
	if err != nil {
		return nil, err
	}
	a.leaves[name] = c
	return c, nil
}

// issue makes a certificate for whatever name.
func (a *Authority) issue(name string) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	t := &x509.Certificate{
		SerialNumber: newSerial(), Subject: pkix.Name{Organization: []string{"midwire"}},
		NotBefore: a.cert.NotBefore, NotAfter: a.cert.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
	}
	if ip := net.ParseIP(name); ip != nil {
		t.IPAddresses = []net.IP{ip}
	} else {
		t.DNSNames = []string{name}
	}
	der, err := x509.CreateCertificate(rand.Reader, t, a.cert, key.Public(), a.key)
	return &tls.Certificate{Certificate: [][]byte{der, a.cert.Raw}, PrivateKey: key}, err
}

// check verifies a certificate as a client does.
func (a *Authority) check(der []byte, name string) error {
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AddCert(a.cert)
	_, err = leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: name})
	return err
}
