package main

import (
	"fmt"
	"go/ast"
	"strings"
	"unicode"
)

const internalTypesFile = "packages/kube-apiserver/src/kinds/internal-types.ts"
const internalPath = "k8s.io/kubernetes/pkg/apis/"

// What errors of updates print: these types, and all that they hold.
var internalRoots = []string{
	"apps.DeploymentStrategy", "batch.PodFailurePolicy", "batch.SuccessPolicy", "core.PersistentVolumeSource",
	"core.PodTemplateSpec", "networking.ParentReference", "rbac.RoleRef", "resource.ResourceClaimTemplateSpec",
	"storage.CSINodeDriver", "storage.TokenRequest", "storage.VolumeAttachmentSpec",
}

const internalTypesComment = `/**
 * Upstream's internal types as they print: ` + "`Type Member:held …`" + `, members named as in Go.
 *
 * ` + "`=name`" + ` follows where the member is not called so in JSON (with a small first letter). Held are ` + "`string`, `bool`, `integer`" + `,
 * ` + "`quantity`, `raw` (prints as it is written), `selector`, another type, `[T]`, `{T}` and pointers `T?`." + `
 */
`

// internalHeld are the types whose printed form says nothing of their Go.
var internalHeld = map[string]string{
	"Quantity": "quantity", "IntOrString": "integer", "RawExtension": "raw", "Time": "raw", "MicroTime": "raw",
	"meta.LabelSelector": "selector", "bytes": "raw", "double": "integer",
	"int": "integer", "int32": "integer", "int64": "integer", "uint8": "integer", "bool": "bool", "string": "string",
}

// internalReader collects the lines of types as it meets them.
type internalReader struct {
	u     *universe
	lines map[string]string
	from  map[string]string
}

func (u *universe) internalTypes() (string, error) {
	reader := internalReader{u, map[string]string{}, map[string]string{}}
	for _, root := range internalRoots {
		group, name, _ := strings.Cut(root, ".")
		pkg, err := u.load(internalPath + group)
		if err != nil {
			return "", err
		}
		if pkg == nil || pkg.types[name] == nil {
			return "", fmt.Errorf("no module at hand has %s%s", internalPath, root)
		}
		if err := reader.add(pkg.types[name]); err != nil {
			return "", err
		}
	}
	names := map[string]bool{}
	for name := range reader.lines {
		names[name] = true
	}
	var lines []string
	for _, name := range sortedKeys(names) {
		lines = append(lines, reader.lines[name])
	}
	return header("the Go types of k8s.io/kubernetes") + internalTypesComment + constantOf("internalTypes", lines), nil
}

func (r internalReader) add(declared *declaredType) error {
	if from, known := r.from[declared.name]; known {
		if from != declared.pkg.path {
			return fmt.Errorf("internal types: two are called %s: in %s and in %s", declared.name, from, declared.pkg.path)
		}
		return nil
	}
	r.from[declared.name] = declared.pkg.path
	members, err := r.members(declared)
	r.lines[declared.name] = strings.Join(append([]string{declared.name}, members...), " ")
	return err
}

func (r internalReader) members(declared *declaredType) ([]string, error) {
	var texts []string
	for _, m := range declared.members() {
		if m.name != "" {
			held, err := r.held(m.expr, declared)
			if err != nil {
				return nil, err
			}
			name, err := r.names(m)
			if err != nil {
				return nil, err
			}
			texts = append(texts, name+":"+held)
			continue
		}
		embedded, err := r.embedded(m)
		if err != nil {
			return nil, err
		}
		texts = append(texts, embedded...)
	}
	return texts, nil
}

// embedded are the members of a struct that is part of another.
func (r internalReader) embedded(m member) ([]string, error) {
	path, name := pathAndName(m.expr, m.owner)
	switch path + "." + name {
	case metaPath + ".ObjectMeta":
		return []string{"@metadata"}, nil
	case metaPath + ".TypeMeta":
		return []string{"@type"}, nil
	}
	inner, err := r.u.find(m.expr, m.owner)
	if err != nil || inner == nil {
		return nil, fmt.Errorf("%s.%s: cannot read what is embedded: %w", m.owner.pkg.path, m.owner.name, err)
	}
	return r.members(inner)
}

func (r internalReader) held(expr ast.Expr, from *declaredType) (string, error) {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		held, err := r.held(expr.X, from)
		return held + "?", err
	case *ast.ArrayType:
		held, err := r.held(expr.Elt, from)
		return "[" + held + "]", err
	case *ast.MapType:
		held, err := r.held(expr.Value, from)
		return "{" + held + "}", err
	}
	used, err := r.u.describe(expr, from, from.pkg)
	if err != nil {
		return "", err
	}
	if held, ok := internalHeld[used.text]; ok {
		return held, nil
	}
	declared, err := r.u.find(expr, from)
	if err != nil || declared == nil {
		return "", fmt.Errorf("internal types: %s holds %s, which cannot be read: %w", from.name, used.text, err)
	}
	if _, ok := declared.spec.(*ast.StructType); !ok {
		return r.held(declared.spec, declared)
	}
	return declared.name, r.add(declared)
}

// names is the member's name in Go, and the one in JSON where that does not follow from it.
func (r internalReader) names(m member) (string, error) {
	inJSON := lowerFirst(m.name)
	group := strings.TrimPrefix(m.owner.pkg.path, internalPath)
	versioned, err := r.u.load("k8s.io/api/" + group + "/v1")
	if err != nil {
		return "", err
	}
	if versioned != nil {
		for _, other := range versioned.types[m.owner.name].membersOrNone() {
			if other.name == m.name {
				inJSON = other.json[0]
			}
		}
	}
	if inJSON == lowerFirst(m.name) {
		return m.name, nil
	}
	return m.name + "=" + inJSON, nil
}

func (d *declaredType) membersOrNone() []member {
	if d == nil {
		return nil
	}
	return d.members()
}

func lowerFirst(name string) string {
	runes := []rune(name)
	runes[0] = unicode.ToLower(runes[0])
	return string(runes)
}
