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
}

type WidgetList struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	Items []Widget ` + "`json:\"items\"`" + `
}
`

func sampleUniverse(t *testing.T, overridesText string) *universe {
	t.Helper()
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	modules := map[string]fs.FS{
		"k8s.io/api": fstest.MapFS{"widgets/v1/types.go": file(sample)},
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
		"Widget = 1 metadata:meta.ObjectMeta, 9 ^Entry, 2 phase:string?@enum(Off|On|Other)=\"On\", " +
			"4 entries!:[Entry]*@map(key+kind)@merge+retainKeys(key), 5 amounts:{Quantity}*, 6 hashes:[bytes]@set@zero, 7 byName:{int32}",
	}
	if got := strings.Join(lines, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

func TestOverridesLeaveOutAndAreUsed(t *testing.T) {
	u := sampleUniverse(t, "leave-out k8s.io/api/widgets/v1 Entry # nobody reads it\n")
	lines, err := u.sectionLines(widgets)
	if err != nil || len(lines) != 1 || u.overrides.checkUsed() != nil {
		t.Errorf("got %v, %v, %v", lines, err, u.overrides.checkUsed())
	}
	if sampleUniverse(t, "leave-out k8s.io/api/widgets/v1 Gone").overrides.checkUsed() == nil {
		t.Error("an override that matches nothing is accepted")
	}
	if _, err := readOverrides("rename a b"); err == nil {
		t.Error("an override of unknown form is accepted")
	}
}
