// Command dojo serves the agents of team.yaml, and in the place of those that have tools of the file the same made in
// Go: what a team file can say a program can say too.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"maps"
	"net/http"
	"os"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/gateway/teamfile"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/openai"
	"github.com/agui-gateway/gateway/travel"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "where to listen")
	file := flag.String("config", "examples/dojo/team.yaml", "the team file")
	flag.Parse()
	if err := serve(*addr, *file); err != nil {
		log.Fatal(err)
	}
}

func serve(addr, file string) error {
	team, err := teamfile.Load(file, teamfile.Options{Types: map[string]teamfile.AgentType{
		"travel": func(m model.Model) groupchat.Agent { return travel.New(travel.Options{Model: m}) },
	}})
	if err != nil {
		return err
	}
	m, err := openai.New(openai.Options{BaseURL: os.Getenv("OPENAI_BASE_URL"), Key: os.Getenv("OPENAI_API_KEY"),
		Name: "gpt-4.1-mini"})
	if err != nil {
		return err
	}
	maps.Copy(team.Agents, inGo(m))
	// Scripted words come at the pace of the binary.
	g, err := gateway.New(gateway.Options{Agents: team.Agents, Agent: team.Options, Pace: 30 * time.Millisecond})
	if err != nil {
		return err
	}
	server := &http.Server{Addr: addr, Handler: g, ReadHeaderTimeout: 10 * time.Second}
	return server.ListenAndServe()
}

// inGo are the agents that are made here.
func inGo(m model.Model) map[string]groupchat.Agent {
	return map[string]groupchat.Agent{
		"agentic_generative_ui": &groupchat.LLM{Model: m, Tools: []groupchat.Tool{progress()},
			Instructions: "Call generate_task_steps_generative_ui when the user asks for a task or a plan, with all " +
				"its steps."},
		"backend_tool_rendering": &groupchat.LLM{Model: m, Tools: []groupchat.Tool{weather()},
			Instructions: "You are a helpful assistant."},
		"human_in_the_loop_interrupt": &groupchat.LLM{Model: m, Tools: []groupchat.Tool{choice()},
			NoFrontendTools: true,
			Instructions:    "Call plan_execution_steps when the user asks for a task or a plan."},
		"predictive_state_updates": &groupchat.LLM{Model: m, Sees: []string{"/document"},
			Tools: []groupchat.Tool{document()},
			Predict: []groupchat.Prediction{{Tool: "write_document_local", Argument: "document",
				Path: "/document"}},
			Instructions: "Write documents with write_document_local, each time the whole text in markdown."},
		"shared_state": &groupchat.LLM{Model: m, Sees: []string{"/recipe"}, Tools: []groupchat.Tool{recipe()},
			Instructions: "You are a helpful recipe assistant. Call generate_recipe to make or change the recipe."},
		"error_flow": groupchat.AgentFunc(func(context.Context, *groupchat.Turn) error {
			return &errcode.Error{Code: "AGUI_CREWAI_FLOW_ERROR_RUNTIMEERROR", Text: "CrewAI flow failed",
				Err: errors.New("it fails always")}
		}),
	}
}

type (
	step struct {
		Description string `json:"description"`
		Status      string `json:"status,omitempty"`
	}
	plan struct {
		Steps []step `json:"steps"`
	}
)

// progress carries out the steps that the model made up, which the page sees in the state.
func progress() groupchat.Tool {
	return groupchat.NewTurnTool("generate_task_steps_generative_ui", "Make up the steps of a task and carry them out.",
		func(_ context.Context, t *groupchat.Turn, _ groupchat.ToolCall, in plan) (string, error) {
			if err := t.State().Set("/steps", in.Steps); err != nil {
				return "", err
			}
			for i := range in.Steps {
				if err := t.Sleep(500 * time.Millisecond); err != nil {
					return "", err
				}
				if err := t.State().Set(fmt.Sprintf("/steps/%d/status", i), "completed"); err != nil {
					return "", err
				}
			}
			return "The steps are carried out.", nil
		})
}

// choice asks which steps to take, with the steps in the card.
func choice() groupchat.Tool {
	return groupchat.NewTurnTool("plan_execution_steps", "Make up the steps of a task.",
		func(_ context.Context, t *groupchat.Turn, _ groupchat.ToolCall, in plan) (string, error) {
			answer, err := t.Ask(groupchat.Question{Key: "steps", Message: "Which steps shall I take?", Value: in})
			if err != nil {
				return "", err
			}
			return string(answer.Payload), nil
		})
}

// document is written while the model speaks, see Predict above; then the page's own tool asks whether it stays.
func document() groupchat.Tool {
	type written struct {
		Document string `json:"document"`
	}
	return groupchat.NewTurnTool("write_document_local", "Write the document. Give all of its text, in markdown.",
		func(_ context.Context, t *groupchat.Turn, c groupchat.ToolCall, _ written) (agui.Content, error) {
			return t.CallTool("confirm/"+c.Key, "confirm_changes", nil)
		})
}

// recipe merges the model's changes into the recipe.
func recipe() groupchat.Tool {
	type made struct {
		Recipe map[string]json.RawMessage `json:"recipe" jsonschema:"the whole recipe"`
	}
	return groupchat.NewTurnTool("generate_recipe", "Make the recipe, or change it. Give all of it.",
		func(_ context.Context, t *groupchat.Turn, _ groupchat.ToolCall, in made) (string, error) {
			for member, value := range in.Recipe {
				if err := t.State().Set("/recipe/"+member, value); err != nil {
					return "", err
				}
			}
			return "The recipe is made.", nil
		})
}

func weather() groupchat.Tool {
	type place struct {
		Location string `json:"location"`
	}
	return groupchat.NewTool("get_weather", "Get the weather of a place.",
		func(_ context.Context, _ groupchat.ToolCall, in place) (map[string]any, error) {
			return map[string]any{"city": in.Location, "temperature": 20, "conditions": "sunny", "humidity": 50,
				"wind_speed": 10, "feelsLike": 25}, nil
		})
}
