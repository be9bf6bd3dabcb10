package main

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

const sample = `package v1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gangs "k8s.io/api/gangs/v1alpha3"
)

// +enum
type Phase string

const (
	On  Phase = "On"
	Off       = Phase("Off")
	Also      = Phase(types.Other)
)

type Name string

// +structType=atomic
type Entry struct {
	Key string ` + "`json:\"key\" protobuf:\"bytes,1,opt,name=key\"`" + `
}

type Amounts map[Name]resource.Quantity

// Widget is a kind.
type Widget struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	// +optional
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\" protobuf:\"bytes,1,opt,name=metadata\"`" + `
	Entry ` + "`json:\",inline\" protobuf:\"bytes,9,opt,name=entry\"`" + `
	// +optional
	// +default=ref(On)
	Phase *Phase ` + "`json:\"phase,omitempty\" protobuf:\"bytes,2,opt,name=phase\"`" + `
	// +listType=map
	// +listMapKey=key
	// +listMapKey=kind
	Entries []Entry ` + "`json:\"entries\" patchStrategy:\"merge,retainKeys\" patchMergeKey:\"key\" protobuf:\"bytes,4,rep,name=entries\"`" + `
	// +required
	Amounts Amounts ` + "`json:\"amounts,omitempty\" protobuf:\"bytes,5,rep,name=amounts\"`" + `
	// +default=false
	// +listType=set
	Hashes [][]byte ` + "`json:\"hashes,omitempty\" protobuf:\"bytes,6,rep,name=hashes\"`" + `
	ByName map[Name]int32 ` + "`json:\"byName,omitempty\" protobuf:\"bytes,7,rep,name=byName\"`" + `
	UID types.UID ` + "`json:\"-\" protobuf:\"-\"`" + `
	Values map[string]Values ` + "`json:\"values,omitempty\" protobuf:\"bytes,8,rep,name=values\"`" + `
	Gang *gangs.Gang ` + "`json:\"gang,omitempty\" protobuf:\"bytes,10,opt,name=gang\"`" + `
}

// Tag embeds without the option "inline".
type Tag struct {
	metav1.TypeMeta ` + "`json:\"\"`" + `
	Entry ` + "`json:\"\" protobuf:\"bytes,9,opt,name=entry\"`" + `
}

// +protobuf.nullable=true
type Values []string

type WidgetList struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	Items []Widget ` + "`json:\"items\"`" + `
}
`

const gangs = `package v1alpha3

type Gang struct {
	Policy Policy ` + "`json:\"policy\" protobuf:\"bytes,1,opt,name=policy\"`" + `
}

type Policy struct {
	Count int32 ` + "`json:\"count\" protobuf:\"varint,1,opt,name=count\"`" + `
}

type Unused struct{}
`

func sampleUniverse(t *testing.T, overridesText string) *universe {
	t.Helper()
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	modules := map[string]fs.FS{
		"k8s.io/api": fstest.MapFS{
			"widgets/v1/types.go":        file(sample),
			"widgets/v1/register.go":     file("package v1\nconst GroupName = \"widgets.k8s.io\"\n"),
			"gangs/v1alpha3/types.go":    file(gangs),
			"gangs/v1alpha3/register.go": file("package v1alpha3\nconst GroupName = \"gangs.k8s.io\"\n"),
		},
		"k8s.io/apimachinery": fstest.MapFS{
			"pkg/apis/meta/v1/types.go": file("package v1\ntype TypeMeta struct{}\ntype ObjectMeta struct{}\n"),
			"pkg/api/resource/types.go": file("package resource\ntype Quantity struct{}\n"),
			"pkg/types/types.go":        file("package types\ntype UID string\nconst Other = \"Other\"\n"),
			"pkg/types/more_test.go":    file("not Go"),
		},
	}
	deviations, err := readOverrides(overridesText)
	if err != nil {
		t.Fatal(err)
	}
	return newUniverse(modules, deviations)
}

var widgets = apiSection("widgets.k8s.io/v1", "widgets/v1")

func TestTypeLines(t *testing.T) {
	lines, err := sampleUniverse(t, "").sectionLines(widgets)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"Entry = @atomic 1 key!:string*",
		"Tag = 9 ^Entry",
		"Values = [string]",
		"Widget = 1 metadata:meta.ObjectMeta, 9 ^Entry, 2 phase:string?@enum(Off|On|Other)=\"On\", " +
			"4 entries!:[Entry]*@map(key+kind)@merge+retainKeys(key), 5 amounts:{Quantity}*, 6 hashes:[bytes]@set@zero, 7 byName:{int32}, 8 values:{Values}, 10 gang:gangs.k8s.io/v1alpha3.Gang?",
	}
	if got := strings.Join(lines, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

func TestTypesOfAGroupWithoutATableAreBorrowed(t *testing.T) {
	u := sampleUniverse(t, "")
	if _, err := u.sectionLines(widgets); err != nil {
		t.Fatal(err)
	}
	lines, err := u.borrowedLines()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(lines, "\n")
	for _, want := range []string{
		"## gangs.k8s.io/v1alpha3 io.k8s.api.gangs.v1alpha3\nGang = 1 policy!:Policy*\nPolicy = 1 count!:int32*",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	if strings.Contains(got, "Unused") {
		t.Errorf("got a type that nothing refers to:\n%s", got)
	}
}

func TestOverridesLeaveOutAndAreUsed(t *testing.T) {
	u := sampleUniverse(t, "leave-out k8s.io/api/widgets/v1 Entry # nobody reads it\n")
	lines, err := u.sectionLines(widgets)
	if err != nil || strings.Contains(strings.Join(lines, "\n"), "Entry =") || u.overrides.checkUsed() != nil {
		t.Errorf("got %v, %v, %v", lines, err, u.overrides.checkUsed())
	}
	if sampleUniverse(t, "leave-out k8s.io/api/widgets/v1 Gone").overrides.checkUsed() == nil {
		t.Error("an override that matches nothing is accepted")
	}
	if _, err := readOverrides("rename a b"); err == nil {
		t.Error("an override of unknown form is accepted")
	}
}

func TestAGroupThatIsNewerThanTheModulesIsLeftOut(t *testing.T) {
	sections := []section{widgets, recentSection("later.k8s.io/v1", "later/v1")}
	text, err := sampleUniverse(t, "").typeTable(typeTable{"sample", sections})
	if err != nil || !strings.Contains(text, "## widgets.k8s.io/v1") || strings.Contains(text, "later") {
		t.Errorf("got %v\n%s", err, text)
	}
	sections[1].isRecent = false
	if _, err := sampleUniverse(t, "").typeTable(typeTable{"sample", sections}); err == nil {
		t.Error("a missing group is accepted")
	}
}
