package main

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// reconciler is a controller of ConfigMaps whose reconcile reads from the cache and optionally writes a merge patch.
type reconciler struct {
	spec   spec
	client client.Client
	events chan event.GenericEvent
	meter  meter

	mu     sync.Mutex
	number int
	done   map[ctrl.Request]bool
	wanted int
	ended  chan struct{}
}

func newReconciler(s spec) *reconciler {
	// With an active logger, controller-runtime creates a child logger for each reconcile.
	if s.Logs {
		ctrl.SetLogger(zap.New(zap.WriteTo(io.Discard)))
	} else {
		ctrl.SetLogger(logr.Discard())
	}
	config := &rest.Config{Host: s.URL}
	if s.Kubeconfig != "" {
		config = must(clientcmd.BuildConfigFromFlags("", s.Kubeconfig))
	}
	config.QPS = -1
	config.ContentType = "application/json"
	manager := must(ctrl.NewManager(config, ctrl.Options{Metrics: server.Options{BindAddress: "127.0.0.1:0"}}))
	r := &reconciler{
		spec:   s,
		client: manager.GetClient(),
		events: make(chan event.GenericEvent, s.Objects),
	}
	r.next(s.Objects)
	channel := source.Channel(r.events, &handler.EnqueueRequestForObject{}, source.WithBufferSize[client.Object, ctrl.Request](s.Objects))
	if err := ctrl.NewControllerManagedBy(manager).
		Named("bench").
		For(&corev1.ConfigMap{}).
		WatchesRawSource(channel).
		WithOptions(controller.Options{MaxConcurrentReconciles: s.Workers}).
		Complete(r); err != nil {
		panic(err)
	}
	go func() {
		if err := manager.Start(context.Background()); err != nil {
			panic(err)
		}
	}()
	return r
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var configMap corev1.ConfigMap
	if err := r.client.Get(ctx, request.NamespacedName, &configMap); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	r.mu.Lock()
	number, isDone := r.number, r.done[request]
	r.mu.Unlock()
	if isDone {
		return ctrl.Result{}, nil // the second reconcile, caused by our own write
	}
	if r.spec.Writes && number > 1 {
		patch := client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"data":{"round":"%d"}}`, number))
		if err := r.client.Patch(ctx, &configMap, patch); err != nil {
			return ctrl.Result{}, err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done[request] = true
	if len(r.done) == r.wanted {
		close(r.ended)
		r.wanted = -1
	}
	return ctrl.Result{}, nil
}

// next begins a round that must reconcile each key once.
func (r *reconciler) next(count int) chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.number++
	r.done, r.wanted, r.ended = make(map[ctrl.Request]bool, count), count, make(chan struct{})
	return r.ended
}

func (r *reconciler) carryOut(c command) any {
	if c.Do == "sync" {
		<-r.ended
	}
	if c.Do != "reconcile" {
		return r.meter.read()
	}
	var configMaps corev1.ConfigMapList
	if err := r.client.List(context.Background(), &configMaps); err != nil {
		panic(err)
	}
	r.meter.start()
	for range c.Rounds {
		ended := r.next(len(configMaps.Items))
		for i := range configMaps.Items {
			r.events <- event.GenericEvent{Object: &configMaps.Items[i]}
		}
		<-ended
	}
	return r.meter.read()
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
