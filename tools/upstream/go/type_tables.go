package main

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// A section is a group version, or the types that all group versions share.
type section struct {
	apiVersion, modelPrefix, packagePath string
	// Older versions of Kubernetes, whose tables can still be generated, have no such package.
	isRecent bool
}

// A typeTable is one file.
type typeTable struct {
	file     string
	sections []section
}

func apiSection(apiVersion, folder string) section {
	return section{apiVersion, "io.k8s.api." + strings.ReplaceAll(folder, "/", "."), "k8s.io/api/" + folder, false}
}

func recentSection(apiVersion, folder string) section {
	added := apiSection(apiVersion, folder)
	added.isRecent = true
	return added
}

var typeTables = []typeTable{
	{"access-control-v1", []section{
		apiSection("authentication.k8s.io/v1", "authentication/v1"),
		apiSection("authorization.k8s.io/v1", "authorization/v1"),
		apiSection("certificates.k8s.io/v1", "certificates/v1"),
		apiSection("rbac.authorization.k8s.io/v1", "rbac/v1"),
	}},
	{"admissionregistration-v1", []section{apiSection("admissionregistration.k8s.io/v1", "admissionregistration/v1")}},
	{"apiextensions-v1", []section{{"apiextensions.k8s.io/v1", "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1",
		"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1", false}}},
	{"apps-v1", []section{apiSection("apps/v1", "apps/v1")}},
	{"autoscaling", []section{apiSection("autoscaling/v1", "autoscaling/v1"), apiSection("autoscaling/v2", "autoscaling/v2")}},
	{"batch-v1", []section{apiSection("batch/v1", "batch/v1")}},
	{"core-v1", []section{apiSection("v1", "core/v1")}},
	{"meta-v1", []section{
		{"meta/v1", "io.k8s.apimachinery.pkg.apis.meta.v1", metaPath, false},
		apiSection("apidiscovery.k8s.io/v2", "apidiscovery/v2"),
		{"version", "io.k8s.apimachinery.pkg.version", "k8s.io/apimachinery/pkg/version", false},
	}},
	{"networking-v1", []section{apiSection("networking.k8s.io/v1", "networking/v1")}},
	{"resource-v1", []section{apiSection("resource.k8s.io/v1", "resource/v1")}},
	{"small-groups-v1", []section{
		{"apiregistration.k8s.io/v1", "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1",
			"k8s.io/kube-aggregator/pkg/apis/apiregistration/v1", false},
		apiSection("coordination.k8s.io/v1", "coordination/v1"),
		apiSection("discovery.k8s.io/v1", "discovery/v1"),
		apiSection("events.k8s.io/v1", "events/v1"),
		apiSection("flowcontrol.apiserver.k8s.io/v1", "flowcontrol/v1"),
		apiSection("node.k8s.io/v1", "node/v1"),
		apiSection("policy/v1", "policy/v1"),
		apiSection("scheduling.k8s.io/v1", "scheduling/v1"),
		recentSection("storagemigration.k8s.io/v1", "storagemigration/v1"), // 1.37
	}},
	{"storage-v1", []section{apiSection("storage.k8s.io/v1", "storage/v1")}},
}

func (u *universe) typeTable(table typeTable) (string, error) {
	var lines, versions []string
	for _, section := range table.sections {
		if section.isRecent {
			if _, err := u.load(section.packagePath); errors.Is(err, errNoTypes) {
				continue
			}
		}
		if section.apiVersion != "apidiscovery.k8s.io/v2" && section.apiVersion != "version" {
			versions = append(versions, section.apiVersion)
		}
		lines = append(lines, "## "+section.apiVersion+" "+section.modelPrefix)
		own, err := u.sectionLines(section)
		if err != nil {
			return "", err
		}
		lines = append(lines, own...)
	}
	borrowed, err := u.borrowedLines()
	if err != nil {
		return "", err
	}
	lines = append(lines, borrowed...)
	comment := docComment("Types of " + strings.Join(versions, ", ") + ".")
	return header("the Go types of k8s.io/api; the notation is explained in ../parse-type-table.ts") +
		comment + constantOf(camelCase(table.file)+"Types", lines), nil
}

// sectionLines returns the lines of all types of a section, by name.
func (u *universe) sectionLines(section section) ([]string, error) {
	pkg, err := u.load(section.packagePath)
	if err != nil {
		return nil, err
	}
	if pkg == nil {
		return nil, fmt.Errorf("package %s is not in any of the given modules", section.packagePath)
	}
	var lines []string
	for _, name := range pkg.exported() {
		if isListOfKind(pkg, name) || knownTypes[pkg.path+"."+name] != "" || u.overrides.leavesOut(pkg.path, name) {
			continue
		}
		line, err := u.lineOf(pkg, name)
		if err != nil {
			return nil, err
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

// lineOf returns an empty line for a type that is neither a struct nor a wrapped list.
func (u *universe) lineOf(pkg *sourcePackage, name string) (string, error) {
	declared := pkg.types[name]
	structure, err := u.structOf(declared)
	if err != nil {
		return "", err
	}
	if structure != nil {
		return u.typeLine(name, structure, pkg)
	}
	if !declared.markers.has(wrappedMarker) {
		return "", nil
	}
	used, err := u.describe(declared.spec, declared, pkg)
	return name + " = " + used.text, err
}

// borrowedLines returns sections with further types to which the lines refer, directly or indirectly, although no table contains the
// groups of these types.
func (u *universe) borrowedLines() ([]string, error) {
	byPackage := map[string]map[string]string{}
	for len(u.borrowed) > 0 {
		pending := u.borrowed
		u.borrowed = nil
		for _, declared := range pending {
			lines := byPackage[declared.pkg.path]
			if lines == nil {
				lines = map[string]string{}
				byPackage[declared.pkg.path] = lines
			}
			if lines[declared.name] != "" {
				continue
			}
			line, err := u.lineOf(declared.pkg, declared.name)
			if err != nil {
				return nil, err
			}
			lines[declared.name] = line
		}
	}
	var all []string
	for _, path := range slices.Sorted(maps.Keys(byPackage)) {
		apiVersion, err := u.apiVersionOf(u.packages[path])
		if err != nil {
			return nil, err
		}
		folder := strings.TrimPrefix(path, "k8s.io/api/")
		all = append(all, "## "+apiVersion+" "+apiSection(apiVersion, folder).modelPrefix)
		for _, name := range slices.Sorted(maps.Keys(byPackage[path])) {
			all = append(all, byPackage[path][name])
		}
	}
	return all, nil
}

// apiVersionOf returns the group and version that a package registers.
func (u *universe) apiVersionOf(pkg *sourcePackage) (string, error) {
	group, err := u.constantValue(pkg, "GroupName")
	if err != nil {
		return "", fmt.Errorf("%s: %w", pkg.path, err)
	}
	return group + "/" + path.Base(pkg.path), nil
}

func hasSection(packagePath string) bool {
	return slices.ContainsFunc(typeTables, func(table typeTable) bool {
		return slices.ContainsFunc(table.sections, func(s section) bool { return s.packagePath == packagePath })
	})
}

// isListOfKind reports whether a type is derived from its item and therefore not in the tables.
func isListOfKind(pkg *sourcePackage, name string) bool {
	item, ok := strings.CutSuffix(name, "List")
	if !ok || pkg.types[item] == nil {
		return false
	}
	for _, m := range pkg.types[name].members() {
		if m.name == "Items" {
			return true
		}
	}
	return false
}
