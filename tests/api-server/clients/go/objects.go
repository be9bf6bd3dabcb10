package main

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// sites is defined by the test that starts the server.
var sites = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "sites"}

func site(name string, size int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1",
		"kind":       "Site",
		"metadata":   map[string]any{"name": name},
		"spec":       map[string]any{"size": size},
	}}
}

func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": name}},
		Data:       map[string]string{"colour": "green"},
		BinaryData: map[string][]byte{"bytes": {0, 1, 255}},
	}
}

func pod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": name}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "example/main:1"}}},
	}
}

func deployment(name string) *appsv1.Deployment {
	replicas := int32(2)
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       pod(name).Spec,
			},
		},
	}
}

// same returns an error with the difference of two values.
func same(what string, got, want any) error {
	if equality.Semantic.DeepEqual(got, want) {
		return nil
	}
	return fmt.Errorf("%s: got %v, not %v", what, got, want)
}

// until repeats a check until it succeeds.
func until(ctx context.Context, what string, isSo func() bool) error {
	for !isSo() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: did not come", what)
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}
