// Package findings is the view of what broke and why: findings by rule, with their
// evidence and their explanation.
package findings
