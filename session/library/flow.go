package library

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"midwire/session/diagnose/rules"
	"midwire/session/export"
	"midwire/session/library/summary"
	"midwire/session/record"
	"midwire/session/wire"
)

// CompareFlows has the summaries of recordings of one flow say what these show only
// together, as check does: once for the same recordings. Flows that are being written, or
// are too long for that, are left as they are.
func CompareFlows(ctx context.Context, entries []record.Entry) {
	flows, sizes, open := map[string][]string{}, map[string]int64{}, map[string]bool{}
	for _, e := range entries {
		if flow := e.Header.Flow; flow != "" && e.Err == nil {
			flows[flow] = append(flows[flow], e.Path)
			sizes[flow] += e.Size
			open[flow] = open[flow] || e.Live
		}
	}
	for flow, files := range flows {
		if len(files) < 2 || open[flow] || sizes[flow] > maxSides || ctx.Err() != nil || areCompared(files) {
			continue
		}
		if checked, err := CheckUntil(ctx, files, rules.All(), nil); err == nil {
			KeepCompared(files, checked)
		}
	}
}

// KeepCompared writes what a check of all recordings of a flow came to into their summaries.
func KeepCompared(files []string, checked []export.Checked) {
	all := flowKey(files)
	for i, file := range files {
		s, err := summary.Get(context.Background(), file)
		if err != nil || len(checked[i].Verdicts) != s.Total {
			continue
		}
		s.Compare(all, checked[i].Sessions, checked[i].Verdicts, checked[i].Findings)
		_ = summary.Keep(file, s) // it is compared again next time
	}
}

func areCompared(files []string) bool {
	all := flowKey(files)
	return !slices.ContainsFunc(files, func(file string) bool {
		s, ok := summary.Read(file)
		return !ok || s.Compared != all
	})
}

// flowKey stands for the recordings of a flow.
func flowKey(files []string) string {
	names := make([]string, len(files))
	for i, file := range files {
		names[i] = named("", file)
	}
	slices.Sort(names)
	return strconv.FormatUint(wire.Hash([]byte(strings.Join(names, " "))), 16)
}
