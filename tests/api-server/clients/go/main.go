// Checks of the embedded API server with client-go. Prints one line of JSON for each.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	corev1 "k8s.io/api/core/v1"
)

const patience = 60 * time.Second

// cluster is the input of every check: clients with one configuration, and a separate namespace.
type cluster struct {
	config    *rest.Config
	typed     kubernetes.Interface
	dynamic   dynamic.Interface
	namespace string
}

type check struct {
	name string
	run  func(context.Context, *cluster) error
}

var checks = []check{
	{"an informer factory syncs and receives changes", sharedInformers},
	{"a dynamic informer follows custom resources", dynamicInformer},
	{"a metadata informer receives only metadata", metadataInformer},
	{"an indexer finds by index", indexedInformer},
	{"a retry watcher continues where its stream ended", retryWatcher},
	{"a watch from an expired version gets an error", expiredWatch},
	{"lists come in chunks", chunkedLists},
	{"typed create, get, update, delete", typedObjects},
	{"custom resources through the dynamic client", dynamicObjects},
	{"four patch types", patches},
	{"apply, with conflict, force and extraction", serverSideApply},
	{"an update of an outdated version is a conflict", staleUpdate},
	{"scale and status are subresources", subresources},
	{"an eviction deletes, unless a budget forbids it", eviction},
	{"leader election hands over", leaderElection},
	{"recorded events arrive", recordedEvents},
	{"discovery and a RESTMapper", discoveryAndMapping},
	{"OpenAPI, version 2 as protobuf and version 3", openAPI},
	{"a requested token is valid in a review", tokenRequest},
	{"access reviews, and an impersonated user without permission", accessReviews},
	{"errors have their reasons", errorReasons},
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "how to reach the server")
	contentType := flag.String("content-type", "", "ContentType of the configuration")
	accept := flag.String("accept", "", "AcceptContentTypes of the configuration")
	http1 := flag.Bool("http1", false, "do without HTTP/2")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	config.ContentType = *contentType
	config.AcceptContentTypes = *accept
	config.QPS = -1
	if *http1 {
		config.NextProtos = []string{"http/1.1"}
	}
	for index, check := range checks {
		report(check.name, runCheck(config, index, check))
	}
}

func runCheck(config *rest.Config, index int, check check) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	typed, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	untyped, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	namespace, err := typed.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{GenerateName: fmt.Sprintf("check-%d-", index)},
	}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("create a namespace: %w", err)
	}
	return check.run(ctx, &cluster{config, typed, untyped, namespace.Name})
}

func report(name string, err error) {
	line := struct {
		Name  string `json:"name"`
		Error string `json:"error,omitempty"`
	}{Name: name}
	if err != nil {
		line.Error = err.Error()
	}
	_ = json.NewEncoder(os.Stdout).Encode(line)
}
