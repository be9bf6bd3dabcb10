package main

import (
	"fmt"
	"go/ast"
	"strings"
)

const metaPath = "k8s.io/apimachinery/pkg/apis/meta/v1"
const corePath = "k8s.io/api/core/v1"

// knownTypes are types that the tables contain only by name, because their structure in Go differs from their form in JSON.
var knownTypes = map[string]string{
	metaPath + ".Time":      "Time",
	metaPath + ".MicroTime": "MicroTime",
	metaPath + ".Duration":  "Duration",
	metaPath + ".FieldsV1":  "FieldsV1",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON": "JSON",
	"k8s.io/apimachinery/pkg/api/resource.Quantity":                 "Quantity",
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString":               "IntOrString",
	"k8s.io/apimachinery/pkg/runtime.RawExtension":                  "RawExtension",
	"k8s.io/apimachinery/pkg/runtime.Object":                        "RawExtension",
	"k8s.io/apimachinery/pkg/types.UID":                             "string",
}

// wrappedMarker marks lists that are separate protobuf messages. The tables refer to them by name.
const wrappedMarker = "protobuf.nullable"

// A usedType is the type of a member, in the form that the tables use.
type usedType struct {
	// Notation of the tables: `[T]`, `{T}` or `T`.
	text      string
	isPointer bool
	// The innermost named string type, also within a list or map; nil for plain strings.
	named *declaredType
	// Markers of all named types on the way to the innermost type.
	markers []markers
}

// describe resolves a type expression of a declaration, relative to the package that owns the table.
func (u *universe) describe(expr ast.Expr, from *declaredType, table *sourcePackage) (usedType, error) {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		used, err := u.describe(expr.X, from, table)
		used.isPointer = true
		return used, err
	case *ast.ArrayType:
		if element, ok := expr.Elt.(*ast.Ident); ok && element.Name == "byte" {
			return usedType{text: "bytes"}, nil
		}
		return u.container(expr.Elt, from, table, "[%s]")
	case *ast.MapType:
		return u.container(expr.Value, from, table, "{%s}")
	case *ast.Ident, *ast.SelectorExpr:
		return u.named(expr, from, table)
	}
	return usedType{}, fmt.Errorf("%s.%s: cannot read %T", from.pkg.path, from.name, expr)
}

func (u *universe) container(of ast.Expr, from *declaredType, table *sourcePackage, format string) (usedType, error) {
	used, err := u.describe(of, from, table)
	return usedType{text: fmt.Sprintf(format, used.text), named: used.named}, err
}

func (u *universe) named(expr ast.Expr, from *declaredType, table *sourcePackage) (usedType, error) {
	if plain, ok := expr.(*ast.Ident); ok && !ast.IsExported(plain.Name) {
		if plain.Name == "float64" {
			return usedType{text: "double"}, nil
		}
		return usedType{text: plain.Name}, nil
	}
	path, name := pathAndName(expr, from)
	if known, ok := knownTypes[path+"."+name]; ok {
		declared, err := u.find(expr, from)
		if known != "string" {
			declared = nil
		}
		return usedType{text: known, named: declared}, err
	}
	declared, err := u.find(expr, from)
	if err != nil {
		return usedType{}, err
	}
	if declared == nil {
		return usedType{}, fmt.Errorf("%s.%s: type %s.%s is not in any of the given modules", from.pkg.path, from.name, path, name)
	}
	if _, ok := declared.spec.(*ast.StructType); ok || declared.markers.has(wrappedMarker) {
		name, err := u.tableName(declared, table)
		return usedType{text: name, markers: []markers{declared.markers}}, err
	}
	used, err := u.describe(declared.spec, declared, table)
	used.markers = append([]markers{declared.markers}, used.markers...)
	if used.named == nil && used.text == "string" {
		used.named = declared
	}
	return used, err
}

func pathAndName(expr ast.Expr, from *declaredType) (path, name string) {
	switch expr := expr.(type) {
	case *ast.Ident:
		return from.pkg.path, expr.Name
	case *ast.SelectorExpr:
		if pkg, ok := expr.X.(*ast.Ident); ok {
			return from.imports[pkg.Name], expr.Sel.Name
		}
	}
	return "", ""
}

// find returns nil if the package is not in any of the given modules.
func (u *universe) find(expr ast.Expr, from *declaredType) (*declaredType, error) {
	path, name := pathAndName(expr, from)
	pkg, err := u.load(path)
	if err != nil || pkg == nil {
		return nil, err
	}
	return pkg.types[name], nil
}

// tableName returns the name by which the types of a package refer to a struct or wrapped list.
func (u *universe) tableName(declared *declaredType, table *sourcePackage) (string, error) {
	if !hasSection(declared.pkg.path) && strings.HasPrefix(declared.pkg.path, "k8s.io/api/") {
		u.borrowed = append(u.borrowed, declared)
	}
	switch declared.pkg.path {
	case table.path:
		return declared.name, nil
	case metaPath:
		return "meta." + declared.name, nil
	case corePath:
		return "core." + declared.name, nil
	}
	apiVersion, err := u.apiVersionOf(declared.pkg)
	return apiVersion + "." + declared.name, err
}

// structOf follows declarations such as `type List metav1.List` to the struct.
func (u *universe) structOf(declared *declaredType) (*declaredType, error) {
	if selector, ok := declared.spec.(*ast.SelectorExpr); ok {
		target, err := u.find(selector, declared)
		if err != nil || target == nil {
			return nil, err
		}
		return u.structOf(target)
	}
	if _, ok := declared.spec.(*ast.StructType); ok {
		return declared, nil
	}
	return nil, nil
}
