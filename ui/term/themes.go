package term

import "slices"

// scheme is a theme by name: its colours in the order of schemeRoles, for a dark
// and for a light background. What it does not name is as in the first theme.
type scheme struct {
	name        string
	dark, light []string
}

// schemeRoles are the roles that a scheme sets: others follow from them.
var schemeRoles = []string{
	"ok", "error", "warning", "note", "pending", "dim", "faint", "frame", "key", "to-client",
	"json-key", "json-string", "selection", "selection-elsewhere", "header", "removed", "added",
}

var schemes = []scheme{
	{
		"high-contrast",
		[]string{"#5fffaf", "#ff8f8f bold", "#ffff5f", "#87d7ff", "#d7afff", "#d0d0d0", "#c0c0c0", "#9a9a9a", "#87d7ff bold", "#ffb35f", "#afd7ff", "#afffaf", "on:#004080", "on:#303030", "on:#262626", "on:#5f0000", "on:#005f2f"},
		[]string{"#004d2a", "#9b0000 bold", "#5c3a00", "#003f7f", "#46107f", "#303030", "#3a3a3a", "#767676", "#00309c bold", "#6b2e00", "#00346b", "#0a4a12", "on:#b9d7ff", "on:#e0e0e0", "on:#e8e8e8", "on:#ffd7d7", "on:#d0f5dc"},
	},
	{
		"catppuccin",
		[]string{"#a6e3a1", "#f38ba8 bold", "#f9e2af", "#89dceb", "#cba6f7", "#a6adc8", "#9399b2", "#45475a", "#89b4fa bold", "#fab387", "#89b4fa", "#a6e3a1", "on:#313244", "on:#26273a", "on:#1e1e2e", "on:#45202f", "on:#203a2c"},
		[]string{"#2f7a1f", "#c20b35 bold", "#8a5a00", "#04607f", "#7a2fd0", "#5c5f77", "#62657c", "#bcc0cc", "#1a56d6 bold", "#b04a00", "#1a56d6", "#2f7a1f", "on:#dce0e8", "on:#e6e9ef", "on:#e6e9ef", "on:#f7d9df", "on:#d9eed6"},
	},
	{
		"gruvbox",
		[]string{"#b8bb26", "#fb6a55 bold", "#fabd2f", "#8bb5a8", "#d3869b", "#bdae93", "#a89984", "#504945", "#83a598 bold", "#fe8019", "#83a598", "#b8bb26", "on:#3c3836", "on:#32302f", "on:#32302f", "on:#4a2320", "on:#34381b"},
		[]string{"#5f5a05", "#9d0006 bold", "#8a4f08", "#076678", "#8f3f71", "#665c54", "#6b6158", "#d5c4a1", "#076678 bold", "#a03c02", "#076678", "#5f5a05", "on:#ebdbb2", "on:#f2e5bc", "on:#f2e5bc", "on:#f5d5c5", "on:#e3e5b8"},
	},
	{
		"solarized",
		[]string{"#9aad00", "#f0625f bold", "#d0a215", "#4aa8e8", "#9a9ee8", "#93a1a1", "#8a9a9b", "#27515c", "#4aa8e8 bold", "#e8793f", "#4aa8e8", "#2fb3a8", "on:#073642", "on:#05303b", "on:#073642", "on:#3a2024", "on:#10382c"},
		[]string{"#5a6700", "#b3211f bold", "#7f6000", "#1a68a8", "#565bb0", "#586e75", "#5a6b72", "#d3cbb7", "#1a68a8 bold", "#a83e10", "#1a68a8", "#19756d", "on:#eee8d5", "on:#f5efdc", "on:#eee8d5", "on:#f7dcd2", "on:#e0ebc8"},
	},
}

// Names are the themes by name, besides the one without: the last is made of the
// terminal's own sixteen colours.
func Names() []string {
	var out []string
	for _, s := range schemes {
		out = append(out, s.name)
	}
	return append(out, "terminal")
}

// Named is a theme by its name, for a dark or a light background: one of Names, or
// else the one without a name.
func Named(name string, dark bool) Theme {
	if name == "terminal" {
		return Basic()
	}
	i := slices.IndexFunc(schemes, func(s scheme) bool { return s.name == name })
	if i < 0 {
		return Coloured(dark)
	}
	colours := schemes[i].light
	if dark {
		colours = schemes[i].dark
	}
	set := map[string]string{}
	for k, role := range schemeRoles {
		set[role] = colours[k]
	}
	set["to-server"], set["frame-focus"] = set["key"], set["key"]
	set["json-number"], set["json-word"] = set["warning"], set["pending"]
	set["stand-in"], set["bad"] = set["error"]+" reverse", set["error"]+" reverse"
	set["hit-now"] = set["warning"] + " bold reverse"
	return Coloured(dark).With(set)
}
