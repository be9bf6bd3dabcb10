package main

import (
	"context"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
)

// heard is a handler that records its events.
type heard struct {
	mutex sync.Mutex
	lines []string
}

func (h *heard) note(verb string, object any) {
	if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = tombstone.Obj
	}
	if meta, ok := object.(metav1.Object); ok {
		h.mutex.Lock()
		defer h.mutex.Unlock()
		h.lines = append(h.lines, verb+" "+meta.GetName())
	}
}

func (h *heard) all() []string {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return append([]string{}, h.lines...)
}

func (h *heard) OnAdd(object any, _ bool) { h.note("add", object) }
func (h *heard) OnUpdate(_, object any)   { h.note("update", object) }
func (h *heard) OnDelete(object any)      { h.note("delete", object) }

func (h *heard) follow(ctx context.Context, informer cache.SharedIndexInformer) error {
	registration, err := informer.AddEventHandler(h)
	if err != nil {
		return err
	}
	go informer.RunWithContext(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), registration.HasSynced) {
		return fmt.Errorf("not synced")
	}
	return nil
}

func (h *heard) expect(ctx context.Context, want ...string) error {
	_ = until(ctx, "events", func() bool { return len(h.all()) >= len(want) })
	return same("events", h.all(), want)
}

func sharedInformers(ctx context.Context, c *cluster) error {
	api := c.typed.CoreV1().ConfigMaps(c.namespace)
	if _, err := api.Create(ctx, configMap("a"), metav1.CreateOptions{}); err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(c.typed, 0, informers.WithNamespace(c.namespace))
	configMaps, deployments := factory.Core().V1().ConfigMaps(), factory.Apps().V1().Deployments()
	events := &heard{}
	if _, err := configMaps.Informer().AddEventHandler(events); err != nil {
		return err
	}
	deployments.Informer()
	ctx, cancel := context.WithCancel(ctx)
	defer factory.Shutdown()
	defer cancel()
	factory.StartWithContext(ctx)
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return fmt.Errorf("%v is not synced", kind)
		}
	}
	got, err := configMaps.Lister().ConfigMaps(c.namespace).Get("a")
	if err != nil {
		return err
	}
	if err := same("data", got.BinaryData, configMap("a").BinaryData); err != nil {
		return err
	}
	changed := got.DeepCopy()
	changed.Data["colour"] = "blue"
	if _, err := api.Update(ctx, changed, metav1.UpdateOptions{}); err != nil {
		return err
	}
	if err := events.expect(ctx, "add a", "update a"); err != nil {
		return err
	}
	if err := api.Delete(ctx, "a", metav1.DeleteOptions{}); err != nil {
		return err
	}
	if err := events.expect(ctx, "add a", "update a", "delete a"); err != nil {
		return err
	}
	left, err := configMaps.Lister().List(labels.Everything())
	if err != nil {
		return err
	}
	return same("what is left", len(left), 0)
}

func dynamicInformer(ctx context.Context, c *cluster) error {
	api := c.dynamic.Resource(sites).Namespace(c.namespace)
	if _, err := api.Create(ctx, site("a", 1), metav1.CreateOptions{}); err != nil {
		return err
	}
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(c.dynamic, 0, c.namespace, nil)
	events := &heard{}
	if err := events.follow(ctx, factory.ForResource(sites).Informer()); err != nil {
		return err
	}
	if err := api.Delete(ctx, "a", metav1.DeleteOptions{}); err != nil {
		return err
	}
	return events.expect(ctx, "add a", "delete a")
}

func metadataInformer(ctx context.Context, c *cluster) error {
	client, err := metadata.NewForConfig(c.config)
	if err != nil {
		return err
	}
	if _, err := c.typed.CoreV1().ConfigMaps(c.namespace).Create(ctx, configMap("a"), metav1.CreateOptions{}); err != nil {
		return err
	}
	configMaps := corev1.SchemeGroupVersion.WithResource("configmaps")
	informer := metadatainformer.NewFilteredMetadataInformer(client, configMaps, c.namespace, 0, cache.Indexers{}, nil)
	events := &heard{}
	if err := events.follow(ctx, informer.Informer()); err != nil {
		return err
	}
	for _, object := range informer.Informer().GetStore().List() {
		partial, ok := object.(*metav1.PartialObjectMetadata)
		if !ok {
			return fmt.Errorf("a %T", object)
		}
		if err := same("labels", partial.Labels, map[string]string{"app": "a"}); err != nil {
			return err
		}
	}
	if err := client.Resource(configMaps).Namespace(c.namespace).Delete(ctx, "a", metav1.DeleteOptions{}); err != nil {
		return err
	}
	return events.expect(ctx, "add a", "delete a")
}

func indexedInformer(ctx context.Context, c *cluster) error {
	for _, name := range []string{"a", "b"} {
		if _, err := c.typed.CoreV1().Pods(c.namespace).Create(ctx, pod(name), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	factory := informers.NewSharedInformerFactoryWithOptions(c.typed, 0, informers.WithNamespace(c.namespace),
		informers.WithTweakListOptions(func(options *metav1.ListOptions) {
			options.LabelSelector = "app in (a, c)"
			options.FieldSelector = "spec.nodeName="
		}))
	informer := factory.Core().V1().Pods().Informer()
	byImage := func(object any) ([]string, error) {
		return []string{object.(*corev1.Pod).Spec.Containers[0].Image}, nil
	}
	if err := informer.AddIndexers(cache.Indexers{"image": byImage}); err != nil {
		return err
	}
	if err := (&heard{}).follow(ctx, informer); err != nil {
		return err
	}
	found, err := informer.GetIndexer().IndexKeys("image", "example/main:1")
	if err != nil {
		return err
	}
	return same("found", found, []string{c.namespace + "/a"})
}
