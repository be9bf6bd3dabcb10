package main

import (
	"context"
	"fmt"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/pager"
	watchtools "k8s.io/client-go/tools/watch"
)

func retryWatcher(ctx context.Context, c *cluster) error {
	api := c.typed.CoreV1().ConfigMaps(c.namespace)
	list, err := api.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	var streams atomic.Int32
	short := int64(1) // a second, and the server ends the stream
	watcher, err := watchtools.NewRetryWatcherWithContext(ctx, list.ResourceVersion, &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			streams.Add(1)
			options.TimeoutSeconds = &short
			return api.Watch(ctx, options)
		},
	})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	for index := range 3 {
		want := int32(index + 1)
		if err := until(ctx, "another stream", func() bool { return streams.Load() >= want }); err != nil {
			return err
		}
		name := fmt.Sprintf("c%d", index)
		if _, err := api.Create(ctx, configMap(name), metav1.CreateOptions{}); err != nil {
			return err
		}
		select {
		case event := <-watcher.ResultChan():
			got, ok := event.Object.(*corev1.ConfigMap)
			if !ok || event.Type != watch.Added || got.Name != name {
				return fmt.Errorf("%v %v, not %s added", event.Type, event.Object, name)
			}
		case <-ctx.Done():
			return fmt.Errorf("%s was not heard of", name)
		}
	}
	return nil
}

func expiredWatch(ctx context.Context, c *cluster) error {
	stream, err := c.typed.CoreV1().ConfigMaps(c.namespace).Watch(ctx, metav1.ListOptions{ResourceVersion: "1"})
	if err == nil {
		defer stream.Stop()
		event := <-stream.ResultChan()
		err = apierrors.FromObject(event.Object)
	}
	if !apierrors.IsResourceExpired(err) && !apierrors.IsGone(err) {
		return fmt.Errorf("not expired: %w", err)
	}
	return nil
}

func chunkedLists(ctx context.Context, c *cluster) error {
	api := c.typed.CoreV1().ConfigMaps(c.namespace)
	for index := range 25 {
		if _, err := api.Create(ctx, configMap(fmt.Sprintf("c%02d", index)), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	chunks, names := 0, 0
	reader := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		chunks++
		return api.List(ctx, options)
	})
	reader.PageSize = 10
	err := reader.EachListItem(ctx, metav1.ListOptions{}, func(object runtime.Object) error {
		if want := fmt.Sprintf("c%02d", names); object.(*corev1.ConfigMap).Name != want {
			return fmt.Errorf("%s, not %s", object.(*corev1.ConfigMap).Name, want)
		}
		names++
		return nil
	})
	if err != nil {
		return err
	}
	first, err := api.List(ctx, metav1.ListOptions{Limit: 10})
	if err != nil {
		return err
	}
	if first.RemainingItemCount == nil || *first.RemainingItemCount != 15 {
		return fmt.Errorf("remaining: %v", first.RemainingItemCount)
	}
	return same("chunks and names", []int{chunks, names}, []int{3, 25})
}
