package doctor

import (
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"time"

	"midwire/intercept/clients"
	"midwire/session/words"
)

// clients says which configurations name a midwire that does not answer.
func (c *check) clients() {
	env, err := c.Machine()
	if err != nil {
		c.say(Failed, err.Error(), "")
		return
	}
	files, wrapped := 0, 0
	for _, client := range clients.All() {
		found, err := env.Find(client, "")
		if err != nil { // of midwire's own record, so it is the same for each client
			c.say(Failed, err.Error(), "move the file away; midwire unwrap cannot undo what it said")
			return
		}
		for _, f := range found {
			files++
			if f.Trouble != nil {
				c.say(Warning, fmt.Sprintf("%s: %s cannot be read: %v", client.Name, f.Path, f.Trouble),
					"the client may not read it either")
			}
			for _, s := range f.Servers {
				if s.Wrapped {
					wrapped++
				}
				c.server(client.ID+"/"+s.At.Name, s, env.Self)
			}
		}
	}
	c.say(OK, fmt.Sprintf("%s here, midwire in front of %s", words.Count(files, "configuration"), words.Count(wrapped, "server")), "")
}

// server says what is wrong with midwire in front of a server.
func (c *check) server(name string, s clients.Server, self string) {
	again := "midwire unwrap " + name + " && midwire wrap " + name
	if s.ByHand {
		again = "write the path of this one into the entry: " + self
	}
	switch {
	case s.Undone:
		c.say(Warning, name+" is not wrapped any more: the client, or somebody, undid it",
			"midwire wrap "+name+", or midwire unwrap "+name+" to forget it")
	case s.Program != "":
		path, err := exec.LookPath(s.Program)
		switch {
		case err != nil && filepath.IsAbs(s.Program):
			c.say(Failed, fmt.Sprintf("%s starts %s, which is not there or cannot be run: the server does not start", name, s.Program), again)
		case err != nil:
			c.say(Failed, fmt.Sprintf("%s starts %s, which is not in the PATH: the server does not start", name, s.Program),
				"put midwire into the PATH that the client has")
		case !Same(path, self):
			c.say(Note, fmt.Sprintf("%s starts another midwire: %s", name, path), again)
		}
	case s.Listens != "" && !listens(s.Listens):
		c.say(Warning, fmt.Sprintf("%s uses http://%s, where nothing listens", name, s.Listens), s.Needs)
	}
}

// patience is how long something on this machine may take to answer.
const patience = time.Second

// listens says whether something on this machine takes connections.
func listens(address string) bool {
	conn, err := net.DialTimeout("tcp", address, patience)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}
