// Package stages tests a server, stage by stage, as a client that keeps to the
// specification and as one that does odd things that a server must bear.
//
// Begin with Run. Each stage is a table of checks (stages.go, transport.go, calls.go); a
// stage that fails so that the next ones could say nothing ends the test. Everything goes
// through midwire's proxy, so that the test is a recording, which the rules judge as well.
package stages
