package main

import (
	"sort"
	"strings"
)

const namedStringsFile = "packages/codec/src/body/named-strings.ts"

const namedStringsComment = `/**
 * String types with names of their own, of members or of what is in their lists and maps: ` + "`type Struct.member …`" + `. Where structs of
 * the same name differ, their group version stands before it.
 */
`

const namedKeysComment = `
/** Types of the keys of maps, where they are no plain strings; written likewise. */
`

// A namedMember is a member of a struct of a section; its type is empty where it has no name of its own.
type namedMember struct{ apiVersion, member, typeName string }

// namedStrings are the members whose strings have a type of their own: errors of Go's decoder say its name.
func (u *universe) namedStrings() (string, error) {
	var strings, keys []namedMember
	for _, table := range typeTables {
		for _, section := range table.sections {
			err := u.eachStruct(section, func(name string, structure *declaredType) error {
				for _, m := range structure.members() {
					if m.json[0] == "" || m.json[0] == "-" {
						continue
					}
					used, err := u.describe(m.expr, structure, structure.pkg)
					if err != nil {
						return err
					}
					member := name + "." + m.json[0]
					strings = append(strings, namedMember{section.apiVersion, member, goName(used.named)})
					keys = append(keys, namedMember{section.apiVersion, member, goName(used.key)})
				}
				return nil
			})
			if err != nil {
				return "", err
			}
		}
	}
	return header("the Go types of k8s.io/api") + namedStringsComment + constantOf("namedStrings", linesByType(strings)) +
		namedKeysComment + constantOf("namedKeys", linesByType(keys)), nil
}

func goName(declared *declaredType) string {
	if declared == nil {
		return ""
	}
	return declared.pkg.name + "." + declared.name
}

func linesByType(all []namedMember) []string {
	types := map[string]map[string]bool{}
	for _, each := range all {
		if types[each.member] == nil {
			types[each.member] = map[string]bool{}
		}
		types[each.member][each.typeName] = true
	}
	members := map[string]map[string]bool{}
	for _, each := range all {
		if each.typeName == "" {
			continue
		}
		name := each.member
		if len(types[name]) > 1 {
			name = each.apiVersion + "." + name
		}
		if members[each.typeName] == nil {
			members[each.typeName] = map[string]bool{}
		}
		members[each.typeName][name] = true
	}
	var lines []string
	for typeName, found := range members {
		lines = append(lines, typeName+" "+strings.Join(sortedKeys(found), " "))
	}
	sort.Strings(lines)
	return lines
}

func sortedKeys(set map[string]bool) []string {
	var keys []string
	for key := range set {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
