// Package messages is the list of messages: which rows of a recording are shown
// and in which order, selection and scrolling, the search in payloads, and how a
// row is drawn. A List belongs to the goroutine of the tea.Program; its steps
// (SearchStep, OrderStep) return commands whose messages it takes back.
package messages
