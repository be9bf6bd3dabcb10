// A small operator with bugs that can be switched on: each Site gets a ConfigMap with its page and a Secret with its key.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

var siteKind = schema.GroupVersionKind{Group: "shop.example.com", Version: "v1", Kind: "Site"}

const siteLabel = "shop.example.com/site"

// Bugs that the flag --bug switches on.
const (
	// Every reconcile that does not see a Secret in its cache creates one, under a generated name.
	generateName = "generate-name"
	// The ConfigMap has no owner reference.
	ownerReference = "owner-reference"
	// The status is written from the memory of this process, which a restart empties.
	statusFromMemory = "status-from-memory"
)

type reconciler struct {
	client.Client
	bug   string
	pages map[string]int64
}

func main() {
	bug := flag.String("bug", "", "bug to switch on")
	flag.Parse()
	ctrl.SetLogger(zap.New(zap.UseDevMode(true)))
	if err := run(*bug); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(bug string) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	mgr, err := ctrl.NewManager(rest.CopyConfig(config), ctrl.Options{
		Metrics: metrics.Options{BindAddress: "0"},
		// Reads of Sites come from the cache, too.
		Client: client.Options{Cache: &client.CacheOptions{Unstructured: true}},
	})
	if err != nil {
		return err
	}
	err = ctrl.NewControllerManagedBy(mgr).
		For(newSite()).
		Owns(&corev1.ConfigMap{}).
		Owns(&corev1.Secret{}).
		Complete(&reconciler{Client: mgr.GetClient(), bug: bug, pages: map[string]int64{}})
	if err != nil {
		return err
	}
	return mgr.Start(ctrl.SetupSignalHandler())
}

func newSite() *unstructured.Unstructured {
	site := &unstructured.Unstructured{}
	site.SetGroupVersionKind(siteKind)
	return site
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	site := newSite()
	if err := r.Get(ctx, request.NamespacedName, site); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if site.GetDeletionTimestamp() != nil {
		return ctrl.Result{}, nil
	}
	if err := r.applyPage(ctx, site); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.createKey(ctx, site); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.updateStatus(ctx, site)
}

// The page follows the Site, and is changed back if somebody edits it.
func (r *reconciler) applyPage(ctx context.Context, site *unstructured.Unstructured) error {
	title, _, _ := unstructured.NestedString(site.Object, "spec", "title")
	color, _, _ := unstructured.NestedString(site.Object, "spec", "color")
	page := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: site.GetName() + "-page", Namespace: site.GetNamespace()}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, page, func() error {
		page.Labels = map[string]string{siteLabel: site.GetName()}
		page.Data = map[string]string{"index.html": fmt.Sprintf("<h1 style=\"color:%s\">%s</h1>", color, title)}
		if r.bug == ownerReference {
			return nil
		}
		return controllerutil.SetControllerReference(site, page, r.Scheme())
	})
	return err
}

func (r *reconciler) createKey(ctx context.Context, site *unstructured.Unstructured) error {
	key := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: site.GetName() + "-key", Namespace: site.GetNamespace(), Labels: map[string]string{siteLabel: site.GetName()}},
		StringData: map[string]string{"key": "key of " + site.GetName()},
	}
	if err := controllerutil.SetControllerReference(site, key, r.Scheme()); err != nil {
		return err
	}
	if r.bug == generateName {
		keys := &corev1.SecretList{}
		if err := r.List(ctx, keys, client.InNamespace(site.GetNamespace()), client.MatchingLabels{siteLabel: site.GetName()}); err != nil {
			return err
		}
		if len(keys.Items) > 0 {
			return nil
		}
		key.Name, key.GenerateName = "", site.GetName()+"-key-"
		return r.Create(ctx, key)
	}
	found := &corev1.Secret{}
	err := r.Get(ctx, client.ObjectKeyFromObject(key), found)
	if apierrors.IsNotFound(err) {
		return r.Create(ctx, key)
	}
	if err != nil {
		return err
	}
	wanted := found.DeepCopy()
	wanted.Labels, wanted.OwnerReferences = key.Labels, key.OwnerReferences
	wanted.Data = map[string][]byte{"key": []byte(key.StringData["key"])}
	if equality.Semantic.DeepEqual(found, wanted) {
		return nil
	}
	return r.Update(ctx, wanted)
}

func (r *reconciler) updateStatus(ctx context.Context, site *unstructured.Unstructured) error {
	pages := int64(1)
	if r.bug == statusFromMemory {
		name := site.GetNamespace() + "/" + site.GetName()
		if r.pages[name] < site.GetGeneration() {
			r.pages[name]++
		}
		pages = r.pages[name]
	}
	changed := site.DeepCopy()
	if err := unstructured.SetNestedField(changed.Object, pages, "status", "pages"); err != nil {
		return err
	}
	if err := unstructured.SetNestedField(changed.Object, site.GetGeneration(), "status", "observedGeneration"); err != nil {
		return err
	}
	if equality.Semantic.DeepEqual(changed.Object, site.Object) {
		return nil
	}
	return r.Status().Update(ctx, changed)
}
