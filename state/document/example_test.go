package document_test

import (
	"encoding/json"
	"fmt"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state/document"
)

// Agents write to a document, and every change is an event for its readers. A reducer says how a write to one pointer
// combines with the present value.
func ExampleDocument() {
	doc, err := document.New(json.RawMessage(`{"notes":["The customer asked for a T-shirt without a print."],"order":{"id":"a-1","size":null}}`), document.Options{
		Reducers: document.Reducers{"/notes": document.Append},
		OnChange: func(c document.Change) error {
			data, err := agui.Encode(c.Event())
			fmt.Println(string(data))
			return err
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := doc.Set("/order/size", "M"); err != nil {
		fmt.Println(err)
	}
	if err := doc.Set("/notes", []string{"Size M."}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"type":"STATE_DELTA","delta":[{"op":"replace","path":"/order/size","value":"M"}]}
	// {"type":"STATE_DELTA","delta":[{"op":"add","path":"/notes/-","value":"Size M."}]}
}

// A browser sends back the state it has, with what a person changed in it. The server keeps what it changed itself
// meanwhile.
func ExampleMergeClient() {
	doc, err := document.New(json.RawMessage(`{"size":"M","price":12.50}`), document.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	base := json.RawMessage(`{"size":"S","price":12.50}`)             // what the page was sent last
	page := json.RawMessage(`{"size":"XL","price":12.5,"gift":true}`) // what it sends
	if err := document.MergeClient(doc, base, page, document.MergeOptions{}); err != nil {
		fmt.Println(err)
	}
	fmt.Println(string(doc.JSON()))
	// Output: {"gift":true,"price":12.50,"size":"M"}
}
