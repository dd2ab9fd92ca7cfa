package cli

import (
	"github.com/spf13/pflag"

	"midwire/intercept"
	"midwire/intercept/reload"
)

// reloadFlags are what the flags say of restarting a stdio server behind its client.
type reloadFlags struct {
	on    bool
	watch []string
}

func (o *reloadFlags) flags(f *pflag.FlagSet) {
	f.BoolVar(&o.on, "reload", false, "restart the server behind its client: when its program changes, or on midwire gate restart")
	f.StringArrayVar(&o.watch, "watch", nil, "with --reload: files that restart the server, like 'src/**/*.ts', instead of its program (repeatable)")
}

// reload is nil where no one asked for it.
func (o *reloadFlags) reload() (*intercept.Reload, error) {
	if !o.on && len(o.watch) > 0 {
		return nil, usagef("--watch is for --reload")
	}
	for _, glob := range o.watch {
		if err := reload.Check(glob); err != nil {
			return nil, usagef("--watch: %w", err)
		}
	}
	if !o.on {
		return nil, nil
	}
	return &intercept.Reload{Watch: o.watch}, nil
}
