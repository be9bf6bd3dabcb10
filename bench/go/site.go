package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/conversion"
)

// The kind of the objects in webhook requests. src/webhooks/site.ts defines the same kind.
var (
	siteVersion     = schema.GroupVersion{Group: "bench.kubewright.dev", Version: "v1"}
	siteBetaVersion = schema.GroupVersion{Group: "bench.kubewright.dev", Version: "v1beta1"}
)

type sitePort struct {
	Name     string `json:"name"`
	Port     int32  `json:"port"`
	Protocol string `json:"protocol,omitempty"`
}

type siteSpec struct {
	Image    string            `json:"image"`
	Replicas *int32            `json:"replicas,omitempty"`
	Ports    []sitePort        `json:"ports,omitempty"`
	Settings map[string]string `json:"settings,omitempty"`
}

// Site is the hub version.
type Site struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              siteSpec `json:"spec"`
}

func (*Site) Hub() {}

func (s *Site) DeepCopyObject() runtime.Object {
	to := &Site{TypeMeta: s.TypeMeta, Spec: s.Spec.copied()}
	s.ObjectMeta.DeepCopyInto(&to.ObjectMeta)
	return to
}

type siteBetaSpec struct {
	Container string            `json:"container"`
	Replicas  *int32            `json:"replicas,omitempty"`
	Ports     []sitePort        `json:"ports,omitempty"`
	Settings  map[string]string `json:"settings,omitempty"`
}

type siteBeta struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              siteBetaSpec `json:"spec"`
}

func (s *siteBeta) ConvertTo(hub conversion.Hub) error {
	to := hub.(*Site)
	to.ObjectMeta = s.ObjectMeta
	to.Spec = siteSpec{Image: s.Spec.Container, Replicas: s.Spec.Replicas, Ports: s.Spec.Ports, Settings: s.Spec.Settings}
	return nil
}

func (s *siteBeta) ConvertFrom(hub conversion.Hub) error {
	from := hub.(*Site)
	s.ObjectMeta = from.ObjectMeta
	s.Spec = siteBetaSpec{Container: from.Spec.Image, Replicas: from.Spec.Replicas, Ports: from.Spec.Ports, Settings: from.Spec.Settings}
	return nil
}

func (s *siteBeta) DeepCopyObject() runtime.Object {
	spec := siteSpec{Replicas: s.Spec.Replicas, Ports: s.Spec.Ports, Settings: s.Spec.Settings}
	spec = spec.copied()
	to := &siteBeta{
		TypeMeta: s.TypeMeta,
		Spec:     siteBetaSpec{Container: s.Spec.Container, Replicas: spec.Replicas, Ports: spec.Ports, Settings: spec.Settings},
	}
	s.ObjectMeta.DeepCopyInto(&to.ObjectMeta)
	return to
}

func (s siteSpec) copied() siteSpec {
	if s.Replicas != nil {
		replicas := *s.Replicas
		s.Replicas = &replicas
	}
	s.Ports = append([]sitePort(nil), s.Ports...)
	settings := make(map[string]string, len(s.Settings))
	for name, value := range s.Settings {
		settings[name] = value
	}
	s.Settings = settings
	return s
}

func siteScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(siteVersion.WithKind("Site"), &Site{})
	scheme.AddKnownTypeWithName(siteBetaVersion.WithKind("Site"), &siteBeta{})
	metav1.AddToGroupVersion(scheme, siteVersion)
	metav1.AddToGroupVersion(scheme, siteBetaVersion)
	return scheme
}
