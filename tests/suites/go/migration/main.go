// The operator from which the migration test hands over: each Site gets a page and a record.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func main() {
	namespace := flag.String("leader-election-namespace", "default", "namespace of the Lease")
	flag.Parse()
	ctrl.SetLogger(zap.New(zap.UseDevMode(true)))
	if err := run(*namespace); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// #region manager
func run(namespace string) error {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		LeaderElection:                true,
		LeaderElectionID:              "sites.shop.example.com",
		LeaderElectionNamespace:       namespace,
		LeaderElectionReleaseOnCancel: true,
		Metrics:                       metrics.Options{BindAddress: "0"},
		Client: client.Options{
			Cache: &client.CacheOptions{Unstructured: true},
		},
	})
	if err != nil {
		return err
	}
	err = ctrl.NewControllerManagedBy(mgr).
		For(newSite()).
		Owns(&corev1.ConfigMap{}).
		Complete(&reconciler{mgr.GetClient()})
	if err != nil {
		return err
	}
	return mgr.Start(ctrl.SetupSignalHandler())
}

// #endregion manager

func newSite() *unstructured.Unstructured {
	site := &unstructured.Unstructured{}
	site.SetGroupVersionKind(schema.GroupVersionKind{Group: "shop.example.com", Version: "v1", Kind: "Site"})
	return site
}

type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	report("begin", request.Name)
	defer report("end", request.Name)
	return ctrl.Result{}, r.reconcile(ctx, request)
}

// The test reads these lines, and checks that no other program reconciles the same Site at the same time.
func report(what, name string) {
	fmt.Printf("%s %s %d\n", what, name, time.Now().UnixMilli())
}

// #region reconcile
const finalizer = "shop.example.com/record"

func (r *reconciler) reconcile(ctx context.Context, request ctrl.Request) error {
	site := newSite()
	if err := r.Get(ctx, request.NamespacedName, site); err != nil {
		return client.IgnoreNotFound(err)
	}
	record := configMap("records", site.GetName())
	if site.GetDeletionTimestamp() != nil {
		if !controllerutil.ContainsFinalizer(site, finalizer) {
			return nil
		}
		if err := client.IgnoreNotFound(r.Delete(ctx, record)); err != nil {
			return err
		}
		controllerutil.RemoveFinalizer(site, finalizer)
		return r.Update(ctx, site)
	}
	if controllerutil.AddFinalizer(site, finalizer) {
		if err := r.Update(ctx, site); err != nil {
			return err
		}
	}
	title, _, _ := unstructured.NestedString(site.Object, "spec", "title")
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, record, func() error {
		record.Data = map[string]string{"title": title}
		return nil
	})
	if err != nil {
		return err
	}
	page := configMap(site.GetNamespace(), site.GetName()+"-page")
	_, err = controllerutil.CreateOrUpdate(ctx, r.Client, page, func() error {
		page.Data = map[string]string{
			"index.html": "<h1>" + title + "</h1>",
			"generator":  "controller-runtime",
		}
		return controllerutil.SetControllerReference(site, page, r.Scheme())
	})
	if err != nil {
		return err
	}
	return r.updateStatus(ctx, site)
}

// #endregion reconcile

func (r *reconciler) updateStatus(ctx context.Context, site *unstructured.Unstructured) error {
	changed := site.DeepCopy()
	if err := unstructured.SetNestedField(changed.Object, site.GetGeneration(), "status", "observedGeneration"); err != nil {
		return err
	}
	if equality.Semantic.DeepEqual(changed.Object, site.Object) {
		return nil
	}
	return r.Status().Update(ctx, changed)
}

func configMap(namespace, name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}
