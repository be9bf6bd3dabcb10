// Subjects of the benchmark written in Go: client-go's informer, controller-runtime's reconcile and webhooks.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	var s spec
	if err := json.Unmarshal([]byte(os.Args[1]), &s); err != nil {
		panic(err)
	}
	subject := start(s)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var c command
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			panic(err)
		}
		answer, err := json.Marshal(subject.carryOut(c))
		if err != nil {
			panic(err)
		}
		fmt.Println(string(answer))
	}
}

func start(s spec) subject {
	switch {
	case s.Role == "reconciler":
		return newReconciler(s)
	case s.Role == "webhooks":
		return newWebhooks(s)
	case s.Subject == "client-go, one list":
		os.Setenv("KUBE_FEATURE_WatchListClient", "false")
	}
	return newInformer(s)
}
