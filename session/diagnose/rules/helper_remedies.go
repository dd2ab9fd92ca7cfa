package rules

import "midwire/session/diagnose"

// fixes are the remedies of a finding, the most important one first.
func fixes(all ...diagnose.Remedy) []diagnose.Remedy { return all }

func either(text string, sides ...diagnose.Side) (all []diagnose.Remedy) {
	for _, side := range sides {
		all = append(all, diagnose.Remedy{Side: side, Text: text})
	}
	return all
}

func inClient(text string) diagnose.Remedy { return diagnose.Remedy{Side: diagnose.Client, Text: text} }

func inServer(text string) diagnose.Remedy { return diagnose.Remedy{Side: diagnose.Server, Text: text} }

func inGateway(text string) diagnose.Remedy {
	return diagnose.Remedy{Side: diagnose.Gateway, Text: text}
}

func inAuthServer(text string) diagnose.Remedy {
	return diagnose.Remedy{Side: diagnose.AuthServer, Text: text}
}

// anyone is a remedy of whoever can do it: a whole sentence.
func anyone(text string) diagnose.Remedy { return diagnose.Remedy{Text: text} }
