// SPDX-License-Identifier: Apache-2.0
//
// A driver to start from, in Go.  Copy it, and put your port where it says YOUR PORT.  It plays
// custom agents that yield events with texts and skips everything else.  Try it with
//
//	go build -o driver driver.go && adkref test --port ./driver smallest.jsonl
package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
)

type object = map[string]any

var hello = object{
	"implementation": "template-go", "version": "0.1.0", "language": "go",
	"format": "adk-scenario/1", "protocol": 1,
	// What your port cannot do yet, by the kit's names: it is not asked for scenarios with these.
	"skips":   []string{"llm", "sequential", "loop", "parallel", "plugins", "agent_callbacks", "workflow"},
	"choices": object{}, // what it does where a rule leaves the choice: rule id to the choice's name
}

// A scenario as far as it is played here: one with other keys is skipped.
type scenario struct {
	Format, ID, Title, Ordering string
	Rules                       []string
	Session                     struct {
		App, User, ID string
		State         object
	}
	Agent agent
	Turns []struct{ User *string }
}

type agent struct {
	Kind, Name, Description string
	Body                    []struct {
		Yield struct{ Author, Content string }
	}
}

// A run of one scenario: its trace, and the events that were stored.
type play struct{ trace, events []object }

func (p *play) record(fields object) {
	maps.DeleteFunc(fields, func(_ string, value any) bool { return value == "" }) // what is empty is left out
	p.trace = append(p.trace, fields)
}

// body runs the scripted body of a custom agent: this is the code of a user of your port.
func (p *play) body(a agent, invocation string, yield func(object)) {
	p.record(object{"at": "body", "agent": a.Name, "step": "start"})
	for _, op := range a.Body {
		yield(newEvent(op.Yield.Author, op.Yield.Content, "model", invocation))
		p.record(object{"at": "body", "agent": a.Name, "step": "resumed"})
	}
	p.record(object{"at": "body", "agent": a.Name, "step": "end"})
}

// run is the smallest runner that one can have: YOUR PORT instead of it.
func (p *play) run(a agent, message *string, yield func(object)) {
	var id [16]byte
	rand.Read(id[:])
	invocation := fmt.Sprintf("e-%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
	store := func(event object) {
		p.events = append(p.events, event)
		p.record(object{"at": "append", "event": event})
	}
	if message != nil {
		store(newEvent("user", *message, "user", invocation))
	}
	p.body(a, invocation, func(event object) {
		if event["author"] == "" {
			event["author"] = a.Name
		}
		store(event)
		yield(event)
	})
}

func newEvent(author, text, role, invocation string) object {
	event := object{"author": author, "invocationId": invocation} // traces show no event's own id and time
	if text != "" {
		event["content"] = object{"parts": []object{{"text": text}}, "role": role}
	}
	return event
}

var generated = regexp.MustCompile("(e-|adk-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

// named renames generated ids by first appearance: inv-1 for e-UUID, adk-1 for adk-UUID, id-1.
func named(trace []object) json.RawMessage {
	text, _ := json.Marshal(trace) // with its keys sorted
	kinds := map[string]string{"e-": "inv", "adk-": "adk", "": "id"}
	names, counts := map[string]string{}, map[bool]int{}
	for _, id := range generated.FindAllStringSubmatch(string(text), -1) {
		if prefix := id[1]; names[id[0]] == "" {
			counts[prefix == "e-"]++
			names[id[0]] = fmt.Sprintf("%s-%d", kinds[prefix], counts[prefix == "e-"])
		}
	}
	return generated.ReplaceAllFunc(text, func(id []byte) []byte { return []byte(names[string(id)]) })
}

// answer plays one scenario and returns its trace and the final state of the session.
func answer(id any, spec []byte) (reply object) {
	defer func() {
		if problem := recover(); problem != nil {
			reply = object{"id": id, "panic": fmt.Sprint(problem)}
		}
	}()
	s, p, decoder := scenario{}, play{}, json.NewDecoder(bytes.NewReader(spec))
	s.Session.State = object{}
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&s); err != nil || s.Agent.Kind != "custom" || s.Agent.Name == "" || s.Session.App == "" || s.Session.User == "" {
		return object{"id": id, "skip": fmt.Sprint("unknown keys, other agents, no names: ", err)}
	}
	// YOUR PORT: build agents, plugins and runner; create the session.
	for number, turn := range s.Turns {
		p.record(object{"at": "turn", "n": number + 1})
		p.run(s.Agent, turn.User, func(event object) { p.record(object{"at": "yield", "event": event}) })
		p.record(object{"at": "end"})
	}
	return object{"id": id, "trace": named(p.trace), "final": object{"state": s.Session.State, "events": len(p.events)}}
}

func main() {
	for requests := json.NewDecoder(os.Stdin); ; {
		var request struct {
			Cmd      string
			ID       any
			Scenario json.RawMessage
		}
		if requests.Decode(&request) != nil || request.Cmd == "stop" {
			return
		}
		reply := hello
		if request.Cmd == "run" {
			reply = answer(request.ID, request.Scenario)
		}
		json.NewEncoder(os.Stdout).Encode(reply)
	}
}
