package session

import (
	"strings"

	"midwire/session/mcp"
	"midwire/session/wire"
)

// App is what the definition of a tool says of its app (SEP-1865: Resource Discovery).
type App struct {
	Resource string // URI of what is shown, "" for none
	AppOnly  bool   // the model must not call the tool
}

// ReadApp reads it from the definition.
func ReadApp(tool []byte) App {
	meta := wire.Get(tool, "_meta")
	ui := wire.Get(meta, "ui")
	app := App{Resource: wire.Text(wire.Get(ui, "resourceUri"))}
	if app.Resource == "" { // as it was before the extension was final
		app.Resource = wire.Text(wire.Get(meta, "ui/resourceUri"))
	}
	if who := wire.Get(ui, "visibility"); wire.IsArray(who) {
		app.AppOnly = true
		wire.Items(who, func(_ int, v []byte) bool {
			app.AppOnly = wire.Text(v) != "model"
			return app.AppOnly
		})
	}
	return app
}

// Words say it for people, with what no recording has of it; "" for a tool without an app.
func (a App) Words() string {
	if a.Resource == "" && !a.AppOnly {
		return ""
	}
	said := "app " + a.Resource
	if a.AppOnly {
		said = strings.TrimSpace(said) + ", for the app alone"
	}
	return said + ". " + mcp.ExtensionByID(mcp.ExtensionApps).Elsewhere
}
