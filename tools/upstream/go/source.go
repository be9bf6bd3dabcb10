package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"reflect"
	"sort"
	"strconv"
	"strings"
)

// A declaredType is a type of a package, with its comment and the imports of its file.
type declaredType struct {
	pkg     *sourcePackage
	name    string
	spec    ast.Expr
	markers markers
	// Imported packages by their names in the declaring file.
	imports map[string]string
}

type constant struct {
	// Name of the type of the constant, in the same package. Empty if the constant is declared without a type.
	typeName string
	// Value of the constant: a literal, or the name of another constant.
	value   ast.Expr
	imports map[string]string
}

// A sourcePackage contains the declarations of a Go package.
type sourcePackage struct {
	path      string
	name      string
	types     map[string]*declaredType
	constants map[string]constant
}

// A universe reads packages of modules on first use.
type universe struct {
	// Folders by module path.
	modules   map[string]fs.FS
	packages  map[string]*sourcePackage
	overrides *overrides
	// Types outside all tables that a line refers to, to be added to its table.
	borrowed []*declaredType
}

func newUniverse(modules map[string]fs.FS, overrides *overrides) *universe {
	return &universe{modules: modules, packages: map[string]*sourcePackage{}, overrides: overrides}
}

// load returns nil for packages outside of the given modules.
func (u *universe) load(importPath string) (*sourcePackage, error) {
	if known, ok := u.packages[importPath]; ok {
		return known, nil
	}
	for module, folder := range u.modules {
		inside, found := strings.CutPrefix(importPath+"/", module+"/")
		if !found {
			continue
		}
		pkg, err := readPackage(folder, path.Clean("./"+inside), importPath)
		if err != nil {
			return nil, err
		}
		u.packages[importPath] = pkg
		return pkg, nil
	}
	return nil, nil
}

var errNoTypes = errors.New("no types")

func readPackage(folder fs.FS, inside, importPath string) (*sourcePackage, error) {
	files, err := fs.Glob(folder, path.Join(inside, "*.go"))
	if err != nil {
		return nil, err
	}
	pkg := &sourcePackage{path: importPath, types: map[string]*declaredType{}, constants: map[string]constant{}}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		pkg.name = file.Name.Name
		pkg.add(file)
	}
	if len(pkg.types) == 0 {
		return nil, fmt.Errorf("%w in %s", errNoTypes, importPath)
	}
	return pkg, nil
}

func (p *sourcePackage) add(file *ast.File) {
	imports := importsOf(file)
	for _, declaration := range file.Decls {
		general, ok := declaration.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range general.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				doc := spec.Doc
				if doc == nil {
					doc = general.Doc
				}
				p.types[spec.Name.Name] = &declaredType{p, spec.Name.Name, spec.Type, markersOf(doc), imports}
			case *ast.ValueSpec:
				p.addConstants(general.Tok, spec, imports)
			}
		}
	}
}

func (p *sourcePackage) addConstants(tok token.Token, spec *ast.ValueSpec, imports map[string]string) {
	if tok != token.CONST {
		return
	}
	typeName := ""
	if named, ok := spec.Type.(*ast.Ident); ok {
		typeName = named.Name
	}
	for i, name := range spec.Names {
		if i >= len(spec.Values) {
			return
		}
		value := spec.Values[i]
		of := typeName
		if call, ok := value.(*ast.CallExpr); ok && len(call.Args) == 1 { // Type("value")
			if named, ok := call.Fun.(*ast.Ident); ok {
				of, value = named.Name, call.Args[0]
			}
		}
		p.constants[name.Name] = constant{of, value, imports}
	}
}

func importsOf(file *ast.File) map[string]string {
	imports := map[string]string{}
	for _, spec := range file.Imports {
		importPath, _ := strconv.Unquote(spec.Path.Value)
		name := path.Base(importPath)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imports[name] = importPath
	}
	return imports
}

// exported returns the names of exported types in alphabetical order.
func (p *sourcePackage) exported() []string {
	var names []string
	for name := range p.types {
		if ast.IsExported(name) {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}

// A member is a field or embedded type of a struct.
type member struct {
	owner *declaredType
	// Empty for an embedded type.
	name     string
	expr     ast.Expr
	json     []string
	hasJSON  bool
	protobuf string
	tags     reflect.StructTag
	markers  markers
}

func (d *declaredType) members() []member {
	structure, ok := d.spec.(*ast.StructType)
	if !ok {
		return nil
	}
	var members []member
	for _, field := range structure.Fields.List {
		var tags reflect.StructTag
		if field.Tag != nil {
			text, _ := strconv.Unquote(field.Tag.Value)
			tags = reflect.StructTag(text)
		}
		json, hasJSON := tags.Lookup("json")
		m := member{
			owner: d, expr: field.Type, json: strings.Split(json, ","), hasJSON: hasJSON,
			protobuf: tags.Get("protobuf"), tags: tags, markers: markersOf(field.Doc),
		}
		if len(field.Names) == 0 {
			members = append(members, m)
		}
		for _, name := range field.Names {
			m.name = name.Name
			members = append(members, m)
		}
	}
	return members
}

func (m member) isInline() bool { return m.name == "" && m.json[0] == "" }

func (m member) has(option string) bool {
	for _, each := range m.json[1:] {
		if each == option {
			return true
		}
	}
	return false
}
