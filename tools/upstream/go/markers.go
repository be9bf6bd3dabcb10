package main

import (
	"go/ast"
	"strings"
)

// markers are the `+name=value` lines of a comment.
type markers map[string][]string

func markersOf(doc *ast.CommentGroup) markers {
	found := markers{}
	if doc == nil {
		return found
	}
	for _, comment := range doc.List {
		text := strings.TrimSpace(strings.TrimPrefix(comment.Text, "//"))
		marker, ok := strings.CutPrefix(text, "+")
		if !ok {
			continue
		}
		name, value, _ := strings.Cut(marker, "=")
		found[name] = append(found[name], value)
	}
	return found
}

func (m markers) has(name string) bool { return len(m[name]) > 0 }

func (m markers) first(name string) string {
	if !m.has(name) {
		return ""
	}
	return m[name][0]
}
