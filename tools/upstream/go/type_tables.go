package main

import (
	"fmt"
	"strings"
)

// A section is a group version, or the types that all group versions share.
type section struct {
	apiVersion, modelPrefix, packagePath string
}

// A typeTable is one file.
type typeTable struct {
	file     string
	sections []section
}

func apiSection(apiVersion, folder string) section {
	return section{apiVersion, "io.k8s.api." + strings.ReplaceAll(folder, "/", "."), "k8s.io/api/" + folder}
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
		"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"}}},
	{"apps-v1", []section{apiSection("apps/v1", "apps/v1")}},
	{"autoscaling", []section{apiSection("autoscaling/v1", "autoscaling/v1"), apiSection("autoscaling/v2", "autoscaling/v2")}},
	{"batch-v1", []section{apiSection("batch/v1", "batch/v1")}},
	{"core-v1", []section{apiSection("v1", "core/v1")}},
	{"meta-v1", []section{
		{"meta/v1", "io.k8s.apimachinery.pkg.apis.meta.v1", metaPath},
		apiSection("apidiscovery.k8s.io/v2", "apidiscovery/v2"),
		{"version", "io.k8s.apimachinery.pkg.version", "k8s.io/apimachinery/pkg/version"},
	}},
	{"networking-v1", []section{apiSection("networking.k8s.io/v1", "networking/v1")}},
	{"resource-v1", []section{apiSection("resource.k8s.io/v1", "resource/v1")}},
	{"small-groups-v1", []section{
		{"apiregistration.k8s.io/v1", "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1",
			"k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"},
		apiSection("coordination.k8s.io/v1", "coordination/v1"),
		apiSection("discovery.k8s.io/v1", "discovery/v1"),
		apiSection("events.k8s.io/v1", "events/v1"),
		apiSection("flowcontrol.apiserver.k8s.io/v1", "flowcontrol/v1"),
		apiSection("node.k8s.io/v1", "node/v1"),
		apiSection("policy/v1", "policy/v1"),
		apiSection("scheduling.k8s.io/v1", "scheduling/v1"),
	}},
	{"storage-v1", []section{apiSection("storage.k8s.io/v1", "storage/v1")}},
}

func (u *universe) typeTable(table typeTable) (string, error) {
	var lines, versions []string
	for _, section := range table.sections {
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
	comment := fmt.Sprintf("/** Types of %s. */\n", strings.Join(versions, ", "))
	return header("the Go types of k8s.io/api; the notation is explained in ../parse-type-table.ts") +
		comment + constantOf(camelCase(table.file)+"Types", lines), nil
}

func (u *universe) sectionLines(section section) ([]string, error) {
	var lines []string
	err := u.eachStruct(section, func(name string, structure *declaredType) error {
		line, err := u.typeLine(name, structure, u.packages[section.packagePath])
		lines = append(lines, line)
		return err
	})
	return lines, err
}

// eachStruct calls a function for every struct in the tables, by name.
func (u *universe) eachStruct(section section, visit func(name string, structure *declaredType) error) error {
	pkg, err := u.load(section.packagePath)
	if err != nil {
		return err
	}
	if pkg == nil {
		return fmt.Errorf("package %s is not in any of the given modules", section.packagePath)
	}
	for _, name := range pkg.exported() {
		structure, err := u.structOf(pkg.types[name])
		if err != nil {
			return err
		}
		if structure == nil || isListOfKind(pkg, name) || knownTypes[pkg.path+"."+name] != "" || u.overrides.leavesOut(pkg.path, name) {
			continue
		}
		if err := visit(name, structure); err != nil {
			return err
		}
	}
	return nil
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
