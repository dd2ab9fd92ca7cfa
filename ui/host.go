package ui

import (
	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/library"
)

// Scene implements host.
func (m *Model) Scene() *scene { return m.scene() }

// Jump implements host.
func (m *Model) Jump(rec *library.Recording, frame uint64) tea.Cmd { return m.jump(rec, frame) }

// Copy implements host.
func (m *Model) Copy(text, what string) tea.Cmd { return clipboard(m, text, what) }

// Say implements host.
func (m *Model) Say(text safe.Text) tea.Cmd { return m.say(text) }

// Complain implements host.
func (m *Model) Complain(text safe.Text) tea.Cmd { return m.complain(text) }
