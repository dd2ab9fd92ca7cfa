// Package junit writes reports as CI systems read them.
package junit

import (
	"encoding/xml"
	"io"

	"midwire/session/safe"
)

// Suite is a report. Its texts may come from the wire.
type Suite struct {
	XMLName  xml.Name `xml:"testsuite"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Skipped  int      `xml:"skipped,attr"`
	Cases    []Case   `xml:"testcase"`
}

// Case is one test of a suite. It has passed when it neither failed nor was skipped.
type Case struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Time    string   `xml:"time,attr"`
	Failure *Message `xml:"failure,omitempty"`
	Skipped *Message `xml:"skipped,omitempty"`
	Out     string   `xml:"system-out,omitempty"` // lines, clean already
}

// Message says why a test did not pass.
type Message struct {
	Message string `xml:"message,attr,omitempty"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"` // lines, clean already
}

// Add adds a case.
func (s *Suite) Add(c Case) {
	c.Name = safe.Clean(c.Name)
	s.Tests++
	if c.Failure != nil {
		c.Failure.Message = safe.Clean(c.Failure.Message)
		s.Failures++
	}
	if c.Skipped != nil {
		c.Skipped.Message = safe.Clean(c.Skipped.Message)
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

// Write writes the suite.
func (s *Suite) Write(w io.Writer) error {
	s.Name = safe.Clean(s.Name)
	raw, err := xml.MarshalIndent(s, "", "  ")
	if err == nil {
		_, err = io.WriteString(w, xml.Header+string(raw)+"\n")
	}
	return err
}
