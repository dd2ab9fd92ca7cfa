// Package waterfall is the view of what took long: bars on an axis of time.
package waterfall
