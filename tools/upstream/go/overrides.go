package main

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed overrides.txt
var overridesText string

// overrides are intended deviations from upstream's types. It is an error if an override no longer matches a type.
type overrides struct {
	// Types to leave out; true once the type was found.
	leftOut map[string]bool
}

// readOverrides reads lines `leave-out <package> <Type> …`; `#` begins a reason.
func readOverrides(text string) (*overrides, error) {
	read := &overrides{leftOut: map[string]bool{}}
	for number, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if words[0] != "leave-out" || len(words) < 3 {
			return nil, fmt.Errorf("overrides.txt:%d: cannot read %q", number+1, line)
		}
		for _, name := range words[2:] {
			read.leftOut[words[1]+"."+name] = false
		}
	}
	return read, nil
}

func (o *overrides) leavesOut(pkg, name string) bool {
	_, found := o.leftOut[pkg+"."+name]
	if found {
		o.leftOut[pkg+"."+name] = true
	}
	return found
}

func (o *overrides) checkUsed() error {
	for name, used := range o.leftOut {
		if !used {
			return fmt.Errorf("overrides.txt leaves out %s, which does not exist", name)
		}
	}
	return nil
}
