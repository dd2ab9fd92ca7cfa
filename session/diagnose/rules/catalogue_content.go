package rules

import "midwire/session/diagnose"

// content are the rules of tools, schemas and results.
var content = []*diagnose.Rule{
	messageSchema,
	toolArgumentsInvalid,
	structuredContentInvalid,
	structuredContentMissing,

	toolDefinitionInvalid,
	toolsNeverCalled,
	listChangedIgnored,
	toolFailed,
	serverSaysWhy,
	textGarbled, argumentsRefused, callDoubled, integerRounded, contentTypeDiffers, listEmpty,
	toolNameUnusual,
	nameNotListed,
	listedUnknown,
	listPagesUnread,
}
