package main

import (
	"slices"
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

const sentAnnotation = "bench.kubewright.dev/sent"

// informer is client-go's SharedIndexInformer of Pods, in JSON, the format of custom resources.
type informer struct {
	spec     spec
	factory  informers.SharedInformerFactory
	informer cache.SharedIndexInformer
	meter    meter

	mu        sync.Mutex
	added     int
	updated   int
	wanted    [2]int
	reached   chan struct{}
	latencies []float64
	latency   bool
	read      int64
}

func newInformer(s spec) *informer {
	config := &rest.Config{Host: s.URL, QPS: -1, ContentConfig: rest.ContentConfig{ContentType: "application/json"}}
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(config), 0)
	i := &informer{spec: s, factory: factory, informer: factory.Core().V1().Pods().Informer()}
	return i
}

func (i *informer) carryOut(c command) any {
	switch c.Do {
	case "sync":
		i.meter.start()
		i.until(i.spec.Objects*i.spec.Handlers, 0)
		for range i.spec.Handlers {
			if _, err := i.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
				AddFunc:    func(object any) { i.note(object, true) },
				UpdateFunc: func(_, object any) { i.note(object, false) },
			}); err != nil {
				panic(err)
			}
		}
		i.factory.Start(make(chan struct{}))
		return i.finish()
	case "expect":
		i.mu.Lock()
		i.latency, i.latencies, i.updated = c.Latency, nil, 0
		i.mu.Unlock()
		i.until(i.added, c.Events*i.spec.Handlers)
		i.meter.start()
	case "await":
		return i.finish()
	case "heap":
		return heapNow()
	case "read":
		for _, object := range i.informer.GetStore().List() {
			i.read += readPod(object.(*corev1.Pod), "everything")
		}
	}
	return acknowledgement{Read: i.read}
}

func (i *informer) until(added, updated int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.wanted, i.reached = [2]int{added, updated}, make(chan struct{})
}

func (i *informer) finish() usage {
	<-i.reached
	used := i.meter.read()
	if len(i.latencies) > 0 {
		slices.Sort(i.latencies)
		used.LatencyP50Ms = i.latencies[len(i.latencies)/2]
	}
	return used
}

func (i *informer) note(object any, isAddition bool) {
	pod := object.(*corev1.Pod)
	seen := readPod(pod, i.spec.Read)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.read += seen
	if i.latency {
		sent, err := strconv.ParseInt(pod.Annotations[sentAnnotation], 10, 64)
		if err != nil {
			panic(err)
		}
		i.latencies = append(i.latencies, float64(monotonicNanos()-sent)/1e6)
	}
	if isAddition {
		i.added++
	} else {
		i.updated++
	}
	if i.added == i.wanted[0] && i.updated == i.wanted[1] {
		close(i.reached)
	}
}

func readPod(pod *corev1.Pod, reading string) int64 {
	seen := len(pod.Name) + len(pod.Namespace) + len(pod.ResourceVersion) + len(pod.Labels["app.kubernetes.io/name"])
	if reading == "metadata" {
		return int64(seen)
	}
	seen += len(pod.Spec.NodeName) + len(pod.Status.Phase)
	for _, container := range pod.Spec.Containers {
		seen += len(container.Image)
		for _, variable := range container.Env {
			seen += len(variable.Name)
		}
	}
	for _, condition := range pod.Status.Conditions {
		seen += len(condition.Type)
	}
	for _, container := range pod.Status.ContainerStatuses {
		seen += int(container.RestartCount)
	}
	return int64(seen)
}
