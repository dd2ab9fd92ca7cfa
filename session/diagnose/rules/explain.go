package rules

import (
	"midwire/session/diagnose"
	"midwire/session/operation"
)

// row is a row of a table of causes: the rule that it reports, and when it holds. when fills the
// finding in.
type row struct {
	id   string
	when func(*op) bool
}

// op is an operation that a table explains.
type op struct {
	*diagnose.Case
	o *operation.Operation
	a *operation.Account
	f diagnose.Finding
}

// table has the causes of one family of failures, in order: of an operation the first row that
// holds is reported, and there is no second.
type table []row

// rule is that of an id in the table.
func (t *table) rule(id string) *diagnose.Rule {
	r := rule(id, diagnose.Finish, func(c *diagnose.Case) {
		a := c.Operations().Of(c.Session.Index)
		if a == nil {
			return
		}
		for _, o := range a.Bad {
			if one := t.explain(c, a, o); one != nil && one.id == id {
				c.ReportAs(one.op.f.Says, one.op.f)
			}
		}
	})
	r.Explains = true
	return r
}

// explained is the row that holds of an operation, with its finding.
type explained struct {
	id string
	op *op
}

func (t *table) explain(c *diagnose.Case, a *operation.Account, o *operation.Operation) *explained {
	for _, r := range *t {
		if one := (&op{Case: c, o: o, a: a, f: diagnose.Finding{Count: o.Count}}); r.when(one) {
			return &explained{r.id, one}
		}
	}
	return nil
}
