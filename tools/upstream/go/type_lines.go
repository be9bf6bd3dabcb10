package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// typeLine returns a struct in the notation documented in parse-type-table.ts.
func (u *universe) typeLine(name string, structure *declaredType, table *sourcePackage) (string, error) {
	var fields []string
	for _, m := range structure.members() {
		field, err := u.fieldText(m, table)
		if err != nil {
			return "", err
		}
		if field != "" {
			fields = append(fields, field)
		}
	}
	definition := strings.Join(fields, ", ")
	if isAtomic(structure.markers) {
		definition = "@atomic " + definition
	}
	return name + " = " + definition, nil
}

func isAtomic(m markers) bool {
	return m.first("structType") == "atomic" || m.first("mapType") == "atomic"
}

func (u *universe) fieldText(m member, table *sourcePackage) (string, error) {
	number := protobufNumber(m)
	used, err := u.describe(m.expr, m.owner, table)
	if err != nil {
		return "", err
	}
	if m.isInline() {
		if number == "" || number == "-" || used.text == "meta.TypeMeta" || used.text == "TypeMeta" {
			return "", nil
		}
		return number + " ^" + used.text, nil
	}
	if m.json[0] == "-" {
		return "", nil
	}
	if number == "" {
		number = "0"
	}
	text := number + " " + m.json[0]
	if !m.has("omitempty") && !m.has("omitzero") {
		text += "!"
	}
	text += ":" + used.text
	if used.isPointer {
		text += "?"
	}
	if isRequired(m) {
		text += "*"
	}
	marks, err := u.marksOf(m, used)
	return text + marks, err
}

// protobufNumber returns the second part of `bytes,4,opt,name=…`.
func protobufNumber(m member) string {
	if parts := strings.Split(m.protobuf, ","); len(parts) > 1 {
		return parts[1]
	}
	return m.protobuf
}

// isRequired follows isOptional in kube-openapi, pkg/generators. Members without a JSON name are never required.
func isRequired(m member) bool {
	switch {
	case m.json[0] == "" || m.markers.has("optional"):
		return false
	case m.markers.has("required"):
		return true
	}
	return !m.has("omitempty")
}

func (u *universe) marksOf(m member, used usedType) (string, error) {
	var text strings.Builder
	values, err := u.enumValues(used.named)
	if err != nil {
		return "", err
	}
	if len(values) > 0 {
		fmt.Fprintf(&text, "@enum(%s)", strings.Join(values, "|"))
	}
	text.WriteString(topologyMark(m, used))
	if strategy := m.tags.Get("patchStrategy"); strategy != "" {
		text.WriteString("@" + strings.ReplaceAll(strategy, ",", "+"))
		if key := m.tags.Get("patchMergeKey"); key != "" {
			text.WriteString("(" + key + ")")
		}
	}
	value, err := u.defaultOf(m, used)
	return text.String() + value, err
}

func topologyMark(m member, used usedType) string {
	mark := func(name string) string {
		if m.markers.has(name) {
			return m.markers.first(name)
		}
		for _, inherited := range used.markers {
			if inherited.has(name) {
				return inherited.first(name)
			}
		}
		return ""
	}
	if used.text == "bytes" { // a list in Go and in its markers
		return prefixed(mark("listType"))
	}
	switch used.text[0] {
	case '[':
		switch mark("listType") {
		case "map":
			return "@map(" + strings.Join(m.markers["listMapKey"], "+") + ")"
		case "set":
			return "@set"
		case "":
			return "@unstated"
		}
		return ""
	case '{':
		return prefixed(mark("mapType"))
	}
	if m.markers.has("structType") {
		return prefixed(m.markers.first("structType"))
	}
	return prefixed(m.markers.first("mapType"))
}

func prefixed(mark string) string {
	if mark == "" {
		return ""
	}
	return "@" + mark
}

// defaultOf returns `@zero` if the default is the zero value.
func (u *universe) defaultOf(m member, used usedType) (string, error) {
	text := m.markers.first("default")
	if text == "" {
		return "", nil
	}
	if name, ok := strings.CutPrefix(text, "ref("); ok {
		value, err := u.constantValue(m.owner.pkg, strings.TrimSuffix(name, ")"))
		if err != nil {
			return "", err
		}
		quoted, err := json.Marshal(value)
		if err != nil {
			return "", err
		}
		text = string(quoted)
	}
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return "", fmt.Errorf("%s.%s: default %s: %w", m.owner.pkg.path, m.owner.name, text, err)
	}
	if reflect.ValueOf(value).IsZero() {
		return "@zero", nil
	}
	return "=" + text, nil
}
