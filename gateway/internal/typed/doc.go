// Package typed decides whether a typed message answers an open question, and how.
//
// [Read] parses the question. [Question.Match] works without a model: it recognises the question's options by name and
// by position in the list, and accepts a message only if it says nothing else. Otherwise [Question.Request] builds a
// request to a model and [Question.Reply] parses its reply. A model never decides approvals and other yes-or-no
// questions: these accept only whole messages with a clear meaning. Answers satisfy the question's schema.
package typed
