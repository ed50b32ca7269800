// Package typed finds out whether a message that a person typed is the answer to an open question, and which one.
//
// [Read] tells what kind of question it is. [Question.Match] needs no model: it knows the answers that a question offers by what they are
// called and by their place in the list, and takes a message for an answer only if it says nothing else. Where that is not enough,
// [Question.Request] is what a model is asked and [Question.Reply] reads what it says. A model never decides about approvals and other
// questions for yes or no: for these only whole messages count that mean nothing else. Whatever is found fits the question's schema.
package typed
