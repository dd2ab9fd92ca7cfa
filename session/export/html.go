package export

import "io"

func writeHTML(w io.Writer, s *Source) error { return nil }
