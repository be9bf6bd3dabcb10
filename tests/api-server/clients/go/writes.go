package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	accorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	acmetav1 "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/util/retry"
)

func typedObjects(ctx context.Context, c *cluster) error {
	api := c.typed.AppsV1().Deployments(c.namespace)
	created, err := api.Create(ctx, deployment("web"), metav1.CreateOptions{FieldValidation: "Strict"})
	if err != nil {
		return err
	}
	if created.UID == "" || created.CreationTimestamp.IsZero() || *created.Spec.RevisionHistoryLimit != 10 {
		return fmt.Errorf("not filled in: %v", created)
	}
	got, err := api.Get(ctx, "web", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if err := same("what was read", got, created); err != nil {
		return err
	}
	got.Spec.Template.Spec.Containers[0].Image = "example/main:2"
	updated, err := api.Update(ctx, got, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	if err := same("generation", updated.Generation, int64(2)); err != nil {
		return err
	}
	list, err := api.List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=web"})
	if err != nil {
		return err
	}
	if len(list.Items) != 1 || list.ResourceVersion == "" {
		return fmt.Errorf("listed: %v", list)
	}
	if err := api.Delete(ctx, "web", *metav1.NewPreconditionDeleteOptions(string(created.UID))); err != nil {
		return err
	}
	if err := api.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		return err
	}
	if _, err := api.Get(ctx, "web", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		return fmt.Errorf("still there: %v", err)
	}
	return nil
}

func dynamicObjects(ctx context.Context, c *cluster) error {
	api := c.dynamic.Resource(sites).Namespace(c.namespace)
	if _, err := api.Create(ctx, site("a", 1), metav1.CreateOptions{}); err != nil {
		return err
	}
	if _, err := api.Create(ctx, site("b", -1), metav1.CreateOptions{}); !apierrors.IsInvalid(err) {
		return fmt.Errorf("not invalid: %v", err)
	}
	patched, err := api.Patch(ctx, "a", types.MergePatchType, []byte(`{"spec":{"size":3}}`), metav1.PatchOptions{})
	if err != nil {
		return err
	}
	size, _, _ := unstructured.NestedInt64(patched.Object, "spec", "size")
	if err := same("size", size, int64(3)); err != nil {
		return err
	}
	applied, err := api.Apply(ctx, "a", site("a", 4), metav1.ApplyOptions{FieldManager: "check", Force: true})
	if err != nil {
		return err
	}
	if err := unstructured.SetNestedField(applied.Object, "Ready", "status", "phase"); err != nil {
		return err
	}
	if _, err := api.UpdateStatus(ctx, applied, metav1.UpdateOptions{}); err != nil {
		return err
	}
	list, err := api.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	phase, _, _ := unstructured.NestedString(list.Items[0].Object, "status", "phase")
	return same("phase", phase, "Ready")
}

func patches(ctx context.Context, c *cluster) error {
	api := c.typed.AppsV1().Deployments(c.namespace)
	if _, err := api.Create(ctx, deployment("web"), metav1.CreateOptions{}); err != nil {
		return err
	}
	for _, patch := range []struct {
		kind types.PatchType
		body string
	}{
		{types.JSONPatchType, `[{"op":"replace","path":"/spec/replicas","value":3}]`},
		{types.MergePatchType, `{"metadata":{"labels":{"merged":"yes"}}}`},
		{types.StrategicMergePatchType, `{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"s"}]}}}}`},
		{types.ApplyYAMLPatchType, "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  annotations:\n    applied: \"yes\"\n"},
	} {
		options := metav1.PatchOptions{FieldManager: "check"}
		if _, err := api.Patch(ctx, "web", patch.kind, []byte(patch.body), options); err != nil {
			return fmt.Errorf("%s: %w", patch.kind, err)
		}
	}
	got, err := api.Get(ctx, "web", metav1.GetOptions{})
	if err != nil {
		return err
	}
	return same("after the patches",
		[]any{*got.Spec.Replicas, got.Labels["merged"], len(got.Spec.Template.Spec.Containers), got.Annotations["applied"]},
		[]any{int32(3), "yes", 2, "yes"})
}

func serverSideApply(ctx context.Context, c *cluster) error {
	api := c.typed.CoreV1().ConfigMaps(c.namespace)
	wish := func(colour string) *accorev1.ConfigMapApplyConfiguration {
		return accorev1.ConfigMap("a", c.namespace).WithData(map[string]string{"colour": colour})
	}
	if _, err := api.Apply(ctx, wish("green"), metav1.ApplyOptions{FieldManager: "first"}); err != nil {
		return err
	}
	if _, err := api.Apply(ctx, wish("blue"), metav1.ApplyOptions{FieldManager: "second"}); !apierrors.IsConflict(err) {
		return fmt.Errorf("no conflict: %v", err)
	}
	applied, err := api.Apply(ctx, wish("blue"), metav1.ApplyOptions{FieldManager: "second", Force: true})
	if err != nil {
		return err
	}
	if err := same("owners", len(applied.ManagedFields), 1); err != nil {
		return err
	}
	extracted, err := accorev1.ExtractConfigMap(applied, "second")
	if err != nil {
		return err
	}
	if err := same("extracted", extracted.Data, map[string]string{"colour": "blue"}); err != nil {
		return err
	}
	extracted.WithOwnerReferences(acmetav1.OwnerReference().
		WithAPIVersion("v1").WithKind("ConfigMap").WithName("a").WithUID(applied.UID))
	_, err = api.Apply(ctx, extracted, metav1.ApplyOptions{FieldManager: "second"})
	return err
}

func staleUpdate(ctx context.Context, c *cluster) error {
	api := c.typed.CoreV1().ConfigMaps(c.namespace)
	old, err := api.Create(ctx, configMap("a"), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	change := func(object *corev1.ConfigMap, value string) error {
		object = object.DeepCopy()
		object.Data["colour"] = value
		_, err := api.Update(ctx, object, metav1.UpdateOptions{})
		return err
	}
	if err := change(old, "blue"); err != nil {
		return err
	}
	if err := change(old, "red"); !apierrors.IsConflict(err) {
		return fmt.Errorf("no conflict: %v", err)
	}
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		latest, err := api.Get(ctx, "a", metav1.GetOptions{})
		if err != nil {
			return err
		}
		return change(latest, "red")
	})
}

func subresources(ctx context.Context, c *cluster) error {
	api := c.typed.AppsV1().Deployments(c.namespace)
	created, err := api.Create(ctx, deployment("web"), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	scale, err := api.GetScale(ctx, "web", metav1.GetOptions{})
	if err != nil {
		return err
	}
	scale.Spec.Replicas = 5
	if _, err := api.UpdateScale(ctx, "web", scale, metav1.UpdateOptions{}); err != nil {
		return err
	}
	created.ResourceVersion = ""
	created.Status.Replicas, created.Status.ReadyReplicas = 5, 4
	created.Spec.Paused = true
	updated, err := api.UpdateStatus(ctx, created, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	return same("spec and status", []any{*updated.Spec.Replicas, updated.Spec.Paused, updated.Status.ReadyReplicas},
		[]any{int32(5), false, int32(4)})
}

func eviction(ctx context.Context, c *cluster) error {
	pods := c.typed.CoreV1().Pods(c.namespace)
	for _, name := range []string{"free", "kept"} {
		created, err := pods.Create(ctx, pod(name), metav1.CreateOptions{})
		if err != nil {
			return err
		}
		created.Status.Phase = corev1.PodRunning
		created.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
		if _, err := pods.UpdateStatus(ctx, created, metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	one := intstr.FromInt32(1)
	budgets := c.typed.PolicyV1().PodDisruptionBudgets(c.namespace)
	budget, err := budgets.Create(ctx, &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "kept"},
		Spec: policyv1.PodDisruptionBudgetSpec{
			MinAvailable: &one,
			Selector:     &metav1.LabelSelector{MatchLabels: map[string]string{"app": "kept"}},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	// Without a written status, the answer is "try again in 10 seconds", and client-go would wait that long.
	budget.Status = policyv1.PodDisruptionBudgetStatus{ObservedGeneration: budget.Generation, CurrentHealthy: 1, DesiredHealthy: 1, ExpectedPods: 1}
	if _, err := budgets.UpdateStatus(ctx, budget, metav1.UpdateOptions{}); err != nil {
		return err
	}
	evict := func(name string) error {
		return pods.EvictV1(ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: c.namespace}})
	}
	if err := evict("kept"); !apierrors.IsTooManyRequests(err) {
		return fmt.Errorf("against the budget: %v", err)
	}
	if err := evict("free"); err != nil {
		return err
	}
	if _, err := pods.Get(ctx, "free", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		return fmt.Errorf("still there: %v", err)
	}
	return nil
}
