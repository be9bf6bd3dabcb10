package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"sort"
	"strconv"
)

// enumValues returns the values of a type that is marked as an enumeration, in alphabetical order.
func (u *universe) enumValues(declared *declaredType) ([]string, error) {
	if declared == nil || !declared.markers.has("enum") {
		return nil, nil
	}
	seen := map[string]bool{}
	var values []string
	for name, each := range declared.pkg.constants {
		if each.typeName != declared.name {
			continue
		}
		value, err := u.constantValue(declared.pkg, name)
		if err != nil {
			return nil, err
		}
		if !seen[value] {
			seen[value] = true
			values = append(values, value)
		}
	}
	sort.Strings(values)
	return values, nil
}

// constantValue returns the value of a constant and follows references to other constants, also in other packages.
func (u *universe) constantValue(pkg *sourcePackage, name string) (string, error) {
	if found, ok := pkg.constants[name]; ok {
		switch value := found.value.(type) {
		case *ast.BasicLit:
			if value.Kind == token.STRING {
				return strconv.Unquote(value.Value)
			}
		case *ast.Ident:
			return u.constantValue(pkg, value.Name)
		case *ast.SelectorExpr:
			if prefix, ok := value.X.(*ast.Ident); ok {
				other, err := u.load(found.imports[prefix.Name])
				if err != nil {
					return "", err
				}
				if other != nil {
					return u.constantValue(other, value.Sel.Name)
				}
			}
		}
	}
	return "", fmt.Errorf("%s.%s: not a string that can be read", pkg.path, name)
}
