// Command server prints a description of kube-apiserver as JSON: its flags, feature gates and admission plugins, and all versions for which it has types.
// It is built in the module that builds kube-apiserver, so that both have the same version.
package main

import (
	"encoding/json"
	"os"
	"sort"

	"github.com/spf13/pflag"
	extensions "k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/cli/globalflag"
	_ "k8s.io/component-base/logs/json/register"
	"k8s.io/component-base/version/verflag"
	aggregatorscheme "k8s.io/kube-aggregator/pkg/apiserver/scheme"
	_ "k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	kubeoptions "k8s.io/kubernetes/pkg/kubeapiserver/options"
)

type flag struct {
	Section string `json:"section"`
	Name    string `json:"name"`
	Type    string `json:"type"`
	Default string `json:"default"`
}

type gate struct {
	Name     string `json:"name"`
	Stage    string `json:"stage"`
	IsOn     bool   `json:"isOn"`
	IsLocked bool   `json:"isLocked"`
}

type plugin struct {
	Name string `json:"name"`
	IsOn bool   `json:"isOn"`
}

func main() {
	description := struct {
		Flags        []flag `json:"flags"`
		FeatureGates []gate `json:"featureGates"`
		// Admission plugins, in the order in which they run.
		AdmissionPlugins []plugin            `json:"admissionPlugins"`
		Versions         map[string][]string `json:"versions"`
		// Groups for which client-go has types.
		ClientGroups []string `json:"clientGroups"`
	}{flags(), gates(), plugins(), versions(), clientGroups()}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(description); err != nil {
		panic(err)
	}
}

func flags() []flag {
	sections := options.NewServerRunOptions().Flags()
	verflag.AddFlags(sections.FlagSet("global"))
	globalflag.AddGlobalFlags(sections.FlagSet("global"), "kube-apiserver")
	var all []flag
	for _, section := range sections.Order {
		all = append(all, flagsOf(sections, section)...)
	}
	return all
}

func flagsOf(sections cliflag.NamedFlagSets, section string) []flag {
	var found []flag
	sections.FlagSets[section].VisitAll(func(f *pflag.Flag) {
		shown, _ := pflag.UnquoteUsage(&pflag.Flag{Value: f.Value}) // ignores the name quoted in the usage text
		if shown == "" {
			shown = f.Value.Type()
		}
		found = append(found, flag{section, f.Name, shown, f.DefValue})
	})
	return found
}

func gates() []gate {
	var all []gate
	for name, spec := range utilfeature.DefaultMutableFeatureGate.GetAll() {
		stage := string(spec.PreRelease)
		if stage == "" {
			stage = "GA"
		}
		all = append(all, gate{string(name), stage, spec.Default, spec.LockToDefault})
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all
}

func plugins() []plugin {
	off := kubeoptions.DefaultOffAdmissionPlugins()
	var all []plugin
	for _, name := range kubeoptions.AllOrderedPlugins {
		all = append(all, plugin{name, !off.Has(name)})
	}
	return all
}

func versions() map[string][]string {
	all := map[string][]string{}
	for _, scheme := range []*runtime.Scheme{legacyscheme.Scheme, extensions.Scheme, aggregatorscheme.Scheme} {
		for _, gv := range scheme.PrioritizedVersionsAllGroups() {
			all[gv.Group] = append(all[gv.Group], gv.Version)
		}
	}
	return all
}

func clientGroups() []string {
	seen := map[string]bool{}
	var all []string
	for _, gv := range clientscheme.Scheme.PrioritizedVersionsAllGroups() {
		if !seen[gv.Group] {
			seen[gv.Group] = true
			all = append(all, gv.Group)
		}
	}
	sort.Strings(all)
	return all
}
