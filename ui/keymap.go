package ui

import (
	"slices"

	"midwire/session/safe"
)

// action is what a key does.
type action uint8

const (
	actNone action = iota
	actQuit
	actInterrupt
	actBack
	actHelp
	actNextPane
	actPrevPane
	actPaneTree
	actPaneList
	actPaneDetail
	actDown
	actUp
	actTop
	actBottom
	actHalfDown
	actHalfUp
	actPageDown
	actPageUp
	actOpen
	actLeft
	actRight
	actFilter
	actFollow
	actTime
	actFrames
	actDrawer
	actPlace
	actNextProblem
	actPrevProblem
	actCopy
	actCopyJSON
	actCopyRaw
	actCopyID
	actCopyWords
	actCopySession
	actMouse
	actRedraw
	actCopyConfig
	actFind
	actNextHit
	actPrevHit
	actWrap
	actScrollLeft
	actScrollRight
	actFreeze
	actFlow
	actMark
	actMarked
	actFindings
	actErrors // the severities in their order
	actWarnings
	actNotes
	actOrder
	actReach
	actMute
	actOnlyThese
	actCopyReport
	actCopyFindings
	actReplay
	actResend
	actEdit
	actCompare
	actLastReplay
	actIgnore
	actWaterfall
	actSequence
	actTools
	actCaps
	actStreams
	actHandles
	actDefinition
	actFold
	actFoldAll
	actUnfoldAll
	actForm
	actForms
	actHex
	actCopyPath
	actCopyValue
	actCopyCurl
	actCopyReplay
	actCopyMarkdown
	actSaveTab
	actSaveValue
	actExport
	actZoomIn // of the waterfall and the sequence diagram
	actZoomOut
	actFit
	actNow
	actUnfold
	actPalette
	actComment // notes, tree, order, places
	actName
	actDelete
	actFindNode
	actSort
	actReverse
	actOther
	actReturn
)

// area is where a binding holds.
type area uint8

const (
	everywhere area = iota
	inTree
	inList
	inDetail
	inCopy   // the copy menu
	inEmpty  // nothing was recorded yet
	inExport // the export menu, whose keys are those of formats
	inReport
	inReplay
	inDiff
	inWaterfall // the views: those that follow
	inSequence
	inTools
	inCaps
	inStreams
	inHandles
	areas
)

// ofList says whether a view shows what the list shows, in the order of time.
func (in area) ofList() bool { return in == inWaterfall || in == inSequence }

// binding is one line of the key map. Footer, help and dispatch come from it.
type binding struct {
	do    action
	in    area
	keys  []string  // as tea.KeyPressMsg.String writes them
	show  safe.Text // the keys as a person reads them
	hint  safe.Text // a word for the footer, "" to leave it out
	help  safe.Text
	group safe.Text
}

// The groups of the help.
const move, look, act = "MOVE", "LOOK", "ACT"

// keymap is every key there is, in the order of help and footer.
func keymap() []binding {
	return slices.Concat(replayKeys(), viewKeys(), waterfallKeys(), sequenceKeys(), insightKeys(),
		detailKeys(), reportKeys(), mainKeys(), copyKeys(), keepKeys())
}

// replayKeys are those on the screens of a comparison.
func replayKeys() []binding {
	return []binding{
		{actOpen, inReplay, []string{"enter", "l", "right"}, "enter", "difference", "the two answers", move},
		{actBack, inReplay, []string{"esc"}, "esc", "back", "back to the messages", move},
		{actNextProblem, inReplay, []string{"]", "n"}, "] [", "next", "next, previous difference", move},
		{actPrevProblem, inReplay, []string{"[", "N"}, "", "", "", ""},
		{actOnlyThese, inReplay, []string{"f"}, "f", "only these", "only what differs, or all", look},
		{actCompare, inReplay, []string{"d"}, "d", "", "the two answers", look},
		{actResend, inReplay, []string{"r"}, "r", "again", "replay again", act},
		{actEdit, inReplay, []string{"e"}, "e", "edit", "edit the request, send it", act},
		{actReplay, inReplay, []string{"R"}, "R", "ask", "replay again, ask how", act},
		{actCopyReport, inReplay, []string{"y"}, "y", "copy", "copy as Markdown", act},
		{actNextHit, inDiff, []string{"n"}, "n N", "change", "next, previous change", move},
		{actPrevHit, inDiff, []string{"N"}, "", "", "", ""},
		{actNextProblem, inDiff, []string{"]"}, "] [", "call", "next, previous call", move},
		{actPrevProblem, inDiff, []string{"["}, "", "", "", ""},
		{actBack, inDiff, []string{"esc", "h", "left"}, "esc", "back", "back to the calls", move},
		{actFrames, inDiff, []string{"v"}, "v", "split", "side by side, or unified", look},
		{actIgnore, inDiff, []string{"u"}, "u", "ignore", "do not compare this path", act},
		{actCopyReport, inDiff, []string{"y"}, "y", "copy", "copy as Markdown", act},
		{actEdit, inDiff, []string{"e"}, "e", "edit", "edit the request, send it", act},
		{actResend, inDiff, []string{"r"}, "r", "again", "replay again", act},
	}
}

// copyKeys are those of the copy menu.
func copyKeys() []binding {
	return []binding{
		{actCopyJSON, inCopy, []string{"c"}, "c", "JSON", "", ""},
		{actCopyRaw, inCopy, []string{"r"}, "r", "raw bytes", "", ""},
		{actCopyID, inCopy, []string{"i"}, "i", "id", "", ""},
		{actCopyWords, inCopy, []string{"w"}, "w", "the row in words", "", ""},
		{actCopySession, inCopy, []string{"s"}, "s", "session id", "", ""},
		{actCopyFindings, inCopy, []string{"f"}, "f", "findings as Markdown", "", ""},
		{actCopyPath, inCopy, []string{"p"}, "p", "path under the cursor", "", ""},
		{actCopyValue, inCopy, []string{"v"}, "v", "value under the cursor", "", ""},
		{actCopyCurl, inCopy, []string{"u"}, "u", "as a curl command", "", ""},
		{actCopyReplay, inCopy, []string{"m"}, "m", "as a midwire replay command", "", ""},
		{actCopyMarkdown, inCopy, []string{"d"}, "d", "as Markdown", "", ""},
		{actSaveTab, inCopy, []string{"F"}, "F", "to a file: this tab", "", ""},
		{actSaveValue, inCopy, []string{"b"}, "b", "to a file: what the base64 is", "", ""},
	}
}

// reportKeys are those of the findings.
func reportKeys() []binding {
	return []binding{
		{actOpen, inReport, []string{"enter", "l", "right"}, "enter", "open", "unfold, go to the message", move},
		{actBack, inReport, []string{"esc"}, "esc", "back", "back to the messages", move},
		{actNextPane, inReport, []string{"tab"}, "tab", "read", "the explanation, the list", move},
		{actLeft, inReport, []string{"h", "left"}, "h", "", "fold", move},
		{actOnlyThese, inReport, []string{"f"}, "f", "only these", "only this rule's messages", look},
		{actReach, inReport, []string{"s"}, "s", "scope", "session, recording, all", look},
		{actErrors, inReport, []string{"e"}, "e w n", "show", "errors, warnings, notes", look},
		{actWarnings, inReport, []string{"w"}, "", "", "", ""},
		{actNotes, inReport, []string{"n"}, "", "", "", ""},
		{actOrder, inReport, []string{"o"}, "o", "order", "the worst first, or by time", look},
		{actMute, inReport, []string{"m"}, "m", "mute", "mute the rule, or not", act},
		{actCopyReport, inReport, []string{"y"}, "y", "copy", "copy as Markdown", act},
		{actExport, inReport, []string{"x"}, "x", "export", "export as SARIF", act},
	}
}

func mainKeys() []binding {
	return []binding{
		{actOpen, inTree, []string{"enter", "l", "right"}, "enter", "open", "show, load or unfold", move},
		{actLeft, inTree, []string{"h", "left"}, "h", "", "fold", move},
		{actOpen, inList, []string{"enter", "l", "right"}, "enter", "open", "the message in detail", move},
		{actLeft, inDetail, []string{"h"}, "h l", "tab", "previous, next tab", move},
		{actRight, inDetail, []string{"l"}, "", "", "", ""},
		{actScrollLeft, inDetail, []string{"left"}, "← →", "", "tab, or scroll sideways", move},
		{actScrollRight, inDetail, []string{"right"}, "", "", "", ""},
		{actDown, everywhere, []string{"j", "down"}, "j k ↓ ↑", "", "line down, up", move},
		{actUp, everywhere, []string{"k", "up"}, "", "", "", ""},
		{actHalfDown, everywhere, []string{"ctrl+d"}, "^d ^u", "", "half a page", move},
		{actHalfUp, everywhere, []string{"ctrl+u"}, "", "", "", ""},
		{actPageDown, everywhere, []string{"space", "ctrl+f", "pgdown"}, "space ^b", "", "page", move},
		{actPageUp, everywhere, []string{"ctrl+b", "pgup"}, "", "", "", ""},
		{actTop, everywhere, []string{"g", "home"}, "g", "", "top", move},
		{actBottom, everywhere, []string{"G", "end"}, "G", "", "end, and follow", move},
		{actNextProblem, everywhere, []string{"]"}, "] [", "", "next, previous problem", move},
		{actPrevProblem, everywhere, []string{"["}, "", "", "", ""},
		{actNextPane, everywhere, []string{"tab"}, "tab", "pane", "next pane", move},
		{actPrevPane, everywhere, []string{"shift+tab"}, "", "", "", ""},
		{actPaneTree, everywhere, []string{"1"}, "1 2 3", "", "sessions, messages, detail", move},
		{actPaneList, everywhere, []string{"2"}, "", "", "", ""},
		{actPaneDetail, everywhere, []string{"3"}, "", "", "", ""},
		{actFind, inDetail, []string{"/"}, "/", "find", "find text in the detail", look},
		{actNextHit, inDetail, []string{"n"}, "n N", "", "next, previous place found", look},
		{actPrevHit, inDetail, []string{"N"}, "", "", "", ""},
		{actWrap, inDetail, []string{"W"}, "W", "wrap", "break long lines, or not", look},
		{actFilter, inList, []string{"/"}, "/", "filter", "filter the messages", look},
		{actFindNode, inTree, []string{"/"}, "/", "find", "find in the session tree", look},
		{actName, inTree, []string{"N", ","}, "N", "name", "name a recording, a session", act},
		{actDelete, inTree, []string{"X"}, "X", "delete", "delete a recording", act},
		{actFindings, everywhere, []string{"!"}, "!", "findings", "what broke, and why", look},
		{actDrawer, everywhere, []string{"b"}, "b", "sessions", "the session tree", look},
		{actFollow, everywhere, []string{"F"}, "F", "follow", "follow the newest, or stop", look},
		{actFlow, everywhere, []string{"f"}, "f", "flow", "only this message's flow", look},
		{actMark, everywhere, []string{"m"}, "m M", "", "mark a row, only marked", act},
		{actMarked, everywhere, []string{"M"}, "", "", "", ""},
		{actFreeze, everywhere, []string{"p"}, "p", "", "freeze, recording goes on", look},
		{actFrames, everywhere, []string{"v"}, "v", "frames", "exchanges or raw frames", look},
		{actTime, everywhere, []string{"T"}, "T", "time", "time: start, clock, delta", look},
		{actPlace, everywhere, []string{"P"}, "P", "", "detail: below, right, off", look},
		{actCopyConfig, inEmpty, []string{"y"}, "y", "copy", "", ""},
		{actCopy, everywhere, []string{"y"}, "y", "copy", "copy: opens a menu", act},
		{actExport, everywhere, []string{"x"}, "x", "export", "export the session", act},
		{actReplay, everywhere, []string{"R"}, "R", "replay", "replay the session", act},
		{actResend, everywhere, []string{"r"}, "r e", "", "send the call again, edited", act},
		{actEdit, everywhere, []string{"e"}, "", "", "", ""},
		{actCompare, everywhere, []string{"d"}, "d", "", "compare two sessions", act},
		{actLastReplay, everywhere, []string{"D"}, "D", "", "the last replay, comparison", look},
		{actMouse, everywhere, []string{"alt+m"}, "alt+m", "", "mouse on, off", act},
		{actRedraw, everywhere, []string{"ctrl+l"}, "^l", "", "draw the screen anew", act},
		{actPalette, everywhere, []string{":", "ctrl+p"}, ":", "command", "commands by name, also ^p", act},
		{actHelp, everywhere, []string{"?"}, "?", "help", "these keys", act},
		{actBack, everywhere, []string{"esc"}, "esc", "", "clear the filter, back", act},
		{actQuit, everywhere, []string{"q"}, "q", "quit", "quit", act},
		{actInterrupt, everywhere, []string{"ctrl+c"}, "^c", "", "quit", act},
	}
}

// key is the first of the keys, "" where a configuration leaves none.
func (b *binding) key() string {
	if len(b.keys) == 0 {
		return ""
	}
	return b.keys[0]
}

// keys finds actions by area and key.
type keys struct {
	all []binding
	by  [areas]map[string]action
}

func newKeys() keys { return keysOf(keymap()) }

func keysOf(all []binding) keys {
	k := keys{all: all}
	for i := range k.by {
		k.by[i] = map[string]action{}
	}
	for _, b := range k.all {
		for _, s := range b.keys {
			k.by[b.in][s] = b.do
		}
	}
	return k
}

// reaches says whether the key of a binding that holds everywhere means that in
// an area, and nothing of the area's own.
func (k *keys) reaches(in area, b binding) bool {
	return b.in == everywhere && k.by[in][b.key()] == actNone
}

// find returns the action of a key in an area, or everywhere.
func (k *keys) find(in area, key string) action {
	if a, ok := k.by[in][key]; ok {
		return a
	}
	return k.by[everywhere][key]
}
