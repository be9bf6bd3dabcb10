package main

import (
	"context"
	"fmt"
	"slices"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

func discoveryAndMapping(ctx context.Context, c *cluster) error {
	cached := memory.NewMemCacheClient(c.typed.Discovery())
	version, err := cached.ServerVersion()
	// kube-apiserver returns its version only as JSON
	if err != nil && !apierrors.IsNotAcceptable(err) {
		return err
	}
	if err == nil && (version.Major != "1" || version.Minor == "") {
		return fmt.Errorf("version %v", version)
	}
	groups, resources, err := cached.ServerGroupsAndResources()
	if err != nil {
		return err
	}
	if len(groups) < 15 || len(resources) < 15 {
		return fmt.Errorf("%d groups, %d lists", len(groups), len(resources))
	}
	mapper := restmapper.NewShortcutExpander(restmapper.NewDeferredDiscoveryRESTMapper(cached), cached, nil)
	for resource, kind := range map[string]string{
		"deploy": "Deployment", "pods": "Pod", "site": "Site", "leases": "Lease", "crd": "CustomResourceDefinition",
	} {
		got, err := mapper.KindFor(schema.GroupVersionResource{Resource: resource})
		if err != nil {
			return err
		}
		if err := same(resource, got.Kind, kind); err != nil {
			return err
		}
	}
	mapping, err := mapper.RESTMapping(schema.GroupKind{Group: "example.com", Kind: "Site"})
	if err != nil {
		return err
	}
	if mapping.Scope.Name() != meta.RESTScopeNameNamespace || mapping.Resource != sites {
		return fmt.Errorf("mapping %v", mapping)
	}
	_, err = mapper.RESTMapping(schema.GroupKind{Group: "example.com", Kind: "Nothing"})
	if !meta.IsNoMatchError(err) {
		return fmt.Errorf("a kind that is not there: %v", err)
	}
	return nil
}

func openAPI(ctx context.Context, c *cluster) error {
	document, err := c.typed.Discovery().OpenAPISchema()
	if err != nil {
		return err
	}
	if len(document.Definitions.AdditionalProperties) < 100 {
		return fmt.Errorf("%d definitions", len(document.Definitions.AdditionalProperties))
	}
	paths, err := c.typed.Discovery().OpenAPIV3().Paths()
	if err != nil {
		return err
	}
	for _, path := range []string{"api/v1", "apis/apps/v1", "apis/example.com/v1"} {
		group, isThere := paths[path]
		if !isThere {
			return fmt.Errorf("no %s", path)
		}
		if _, err := group.Schema("application/json"); err != nil {
			return err
		}
	}
	return nil
}

func tokenRequest(ctx context.Context, c *cluster) error {
	accounts := c.typed.CoreV1().ServiceAccounts(c.namespace)
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot"}}
	if _, err := accounts.Create(ctx, account, metav1.CreateOptions{}); err != nil {
		return err
	}
	tenMinutes := int64(600)
	request, err := accounts.CreateToken(ctx, "robot", &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &tenMinutes},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	review, err := c.typed.AuthenticationV1().TokenReviews().Create(ctx, &authenticationv1.TokenReview{
		Spec: authenticationv1.TokenReviewSpec{Token: request.Status.Token},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	name := fmt.Sprintf("system:serviceaccount:%s:robot", c.namespace)
	if err := same("reviewed", review.Status.User.Username, name); err != nil {
		return err
	}
	config := rest.AnonymousClientConfig(c.config)
	config.BearerToken = request.Status.Token
	robot, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	self, err := robot.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if !slices.Contains(self.Status.UserInfo.Groups, "system:serviceaccounts:"+c.namespace) {
		return fmt.Errorf("groups %v", self.Status.UserInfo.Groups)
	}
	_, err = robot.CoreV1().Secrets(c.namespace).List(ctx, metav1.ListOptions{})
	if !apierrors.IsForbidden(err) {
		return fmt.Errorf("not forbidden: %v", err)
	}
	return nil
}

func accessReviews(ctx context.Context, c *cluster) error {
	mayList := func(config *rest.Config) (bool, error) {
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			return false, err
		}
		review, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, &authorizationv1.SelfSubjectAccessReview{
			Spec: authorizationv1.SelfSubjectAccessReviewSpec{
				ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "list", Resource: "secrets", Namespace: c.namespace},
			},
		}, metav1.CreateOptions{})
		if err != nil {
			return false, err
		}
		return review.Status.Allowed, nil
	}
	nobody := rest.CopyConfig(c.config)
	nobody.Impersonate.UserName = "nobody"
	for _, asked := range []struct {
		config  *rest.Config
		allowed bool
	}{{c.config, true}, {nobody, false}} {
		allowed, err := mayList(asked.config)
		if err != nil {
			return err
		}
		if err := same("allowed", allowed, asked.allowed); err != nil {
			return err
		}
	}
	client, err := kubernetes.NewForConfig(nobody)
	if err != nil {
		return err
	}
	if _, err := client.CoreV1().Secrets(c.namespace).List(ctx, metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		return fmt.Errorf("not forbidden: %v", err)
	}
	return nil
}

func errorReasons(ctx context.Context, c *cluster) error {
	api := c.typed.CoreV1().ConfigMaps(c.namespace)
	if _, err := api.Get(ctx, "none", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		return fmt.Errorf("not found: %v", err)
	}
	if _, err := api.Create(ctx, configMap("a"), metav1.CreateOptions{}); err != nil {
		return err
	}
	if _, err := api.Create(ctx, configMap("a"), metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("already there: %v", err)
	}
	_, err := api.Create(ctx, configMap("A"), metav1.CreateOptions{})
	status, ok := err.(apierrors.APIStatus)
	if !ok || !apierrors.IsInvalid(err) || status.Status().Details.Causes[0].Field != "metadata.name" {
		return fmt.Errorf("invalid: %v", err)
	}
	if _, err := api.List(ctx, metav1.ListOptions{FieldSelector: "data=x"}); !apierrors.IsBadRequest(err) {
		return fmt.Errorf("a field that no selector knows: %v", err)
	}
	config := rest.AnonymousClientConfig(c.config)
	config.BearerToken = "nonsense"
	stranger, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	if _, err := stranger.CoreV1().Pods("").List(ctx, metav1.ListOptions{}); !apierrors.IsUnauthorized(err) {
		return fmt.Errorf("unauthorized: %v", err)
	}
	return nil
}
