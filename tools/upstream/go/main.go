// Command upstream generates the type tables of the API server from the sources of the Kubernetes modules.
//
//	upstream -out <root of the repository> k8s.io/api=<folder> k8s.io/apimachinery=<folder> …
package main

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	out := flag.String("out", ".", "root of the repository")
	flag.Parse()
	if err := run(*out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "upstream:", err)
		os.Exit(1)
	}
}

func run(out string, args []string) error {
	modules := map[string]fs.FS{}
	for _, arg := range args {
		module, folder, found := strings.Cut(arg, "=")
		if !found {
			return fmt.Errorf("%q is not <module>=<folder>", arg)
		}
		modules[module] = os.DirFS(folder)
	}
	deviations, err := readOverrides(overridesText)
	if err != nil {
		return err
	}
	u := newUniverse(modules, deviations)
	for _, file := range files() {
		text, err := file.make(u)
		if err != nil {
			return err
		}
		if err := write(out, file.name, text); err != nil {
			return err
		}
	}
	return deviations.checkUsed()
}

func write(out, file, text string) error {
	path := filepath.Join(out, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// A generatedFile is a file to write. Its name is the path relative to the root of the repository.
type generatedFile struct {
	name string
	make func(*universe) (string, error)
}

func files() []generatedFile {
	var all []generatedFile
	for _, table := range typeTables {
		all = append(all, generatedFile{
			"packages/codec/src/schema/types/" + table.file + ".ts",
			func(u *universe) (string, error) { return u.typeTable(table) },
		})
	}
	return all
}
