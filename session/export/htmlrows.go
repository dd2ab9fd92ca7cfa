package export

import (
	"cmp"
	"fmt"
	"strings"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/session/words"
)

func (s *Source) htmlRows(p *page) {
	p.put("\n<section id=\"messages\">\n<h2>Messages</h2>\n<div class=\"tools\"><input id=\"filter\" type=\"search\" " +
		"placeholder=\"Filter: words that a row must have\" aria-label=\"Filter\"><button id=\"unfold\" type=\"button\">" +
		"Fold or unfold all</button><span id=\"said\" class=\"dim\" role=\"status\"></span></div>\n")
	rows, gap, skipped := s.selectRows(htmlFirst, htmlLast)
	if skipped > 0 {
		p.put("<p class=\"dim\">%s in the middle left out. </p>", words.Count(skipped, "row"))
	}
	p.put("<p class=\"dim\">Payloads are cut at 16 KiB.</p>\n")
	budget := htmlBudget
	for i, at := range rows {
		if i == gap && skipped > 0 {
			p.put("<div class=\"gap\">%s left out here: the report holds the first %s and the last %s</div>\n",
				words.Count(skipped, "row"), htmlFirst, htmlLast)
			budget = htmlBudget
		}
		s.htmlRow(p, s.tracker.Row(at), &budget)
	}
	if len(rows) == 0 {
		p.put("<p class=\"dim\">None.</p>\n")
	}
	p.put("</section>\n")
}

func (s *Source) htmlRow(p *page, r *session.Row, budget *int) {
	ask, response := s.shown(uint64(r.Request), r.Batch, budget), ""
	if r.Response != r.Request {
		response = s.shown(uint64(r.Response), r.RBatch, budget)
	}
	if ask == "" && response == "" {
		p.put("<div class=\"row none mono\" id=\"n%s\">", r.Request)
		s.htmlCells(p, r)
		p.put("</div>\n")
		return
	}
	p.put("<details class=\"row mono\" id=\"n%s\"", r.Request)
	if response != "" {
		p.put(" data-response=\"%s\"", r.Response)
	}
	p.put("><summary>")
	s.htmlCells(p, r)
	p.put("</summary><div class=\"body\">\n")
	if ask != "" {
		p.put("<h4>frame #%s</h4><pre>%s</pre>", r.Request, ask)
	}
	if response != "" {
		p.put("<h4>response, frame #%s</h4><pre>%s</pre>", r.Response, response)
	}
	p.put("</div></details>\n")
}

// htmlCells writes a row as it is seen while it is folded.
func (s *Source) htmlCells(p *page, r *session.Row) {
	target, result := s.words(r)
	of, latency := "", ""
	if r.Session >= 0 {
		of = fmt.Sprintf("s%d", r.Session+1)
	}
	if r.Kind == session.RowCall && r.End != 0 {
		latency = Duration(r.Latency())
	}
	class := endingClass(r.Ending)
	p.put(`<span class="num wide">#%s</span><span class="num">%s</span><span class="dim wide">%s</span><span class="dim">%s</span>`,
		r.Request, fmt.Sprintf("%.3f", float64(r.T)/1e9), of, Arrow(r.Dir, r.Kind))
	p.put(`<span class="%s">%s</span><span class="%s">%s</span><span class="words">%s</span><span class="num wide">%s</span>`,
		class, Sign(r.Ending), class, safe.Clean(s.clean(s.tracker.Name(r.Name))),
		safe.Clean(outcome(target, result)), latency)
}

// endingClass is the colour of how a row ended.
func endingClass(e session.Ending) string {
	word := e.Word()
	return cmp.Or(map[string]string{"error": "bad", "cancelled": "dim", "lost": "warn"}[word], word)
}

// shown is a payload as the report shows it: JSON laid out, safe, and cut.
func (s *Source) shown(n uint64, batch uint16, budget *int) string {
	payload := s.message(n, batch)
	if payload == "" {
		return ""
	}
	if *budget <= 0 {
		return fmt.Sprintf("… %d bytes left out to limit the size of the report", len(payload))
	}
	if len(payload) <= htmlBudget {
		if text, ok := wire.Indent([]byte(payload), ""); ok {
			payload = string(text)
		}
	}
	cut := ""
	if len(payload) > htmlPayload {
		cut = fmt.Sprintf("\n… %d bytes more", len(payload)-htmlPayload)
		payload = words.Clip(payload, htmlPayload)
	}
	var b strings.Builder
	for line := range strings.Lines(payload) {
		b.WriteString(safe.Whole(strings.TrimRight(line, "\r\n")) + "\n")
	}
	*budget -= b.Len()
	return strings.TrimSuffix(b.String(), "\n") + cut
}
