package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"
)

func leaderElection(ctx context.Context, c *cluster) error {
	leaders := make(chan string, 2)
	run := func(ctx context.Context, identity string) {
		leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: &resourcelock.LeaseLock{
				LeaseMeta:  metav1.ObjectMeta{Namespace: c.namespace, Name: "leader"},
				Client:     c.typed.CoordinationV1(),
				LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
			},
			LeaseDuration:   15 * time.Second,
			RenewDeadline:   10 * time.Second,
			RetryPeriod:     200 * time.Millisecond,
			ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { leaders <- identity },
				OnStoppedLeading: func() {},
			},
		})
	}
	next := func() (string, error) {
		select {
		case leader := <-leaders:
			return leader, nil
		case <-ctx.Done():
			return "", fmt.Errorf("nobody leads")
		}
	}
	firstCtx, stopFirst := context.WithCancel(ctx)
	defer stopFirst()
	go run(firstCtx, "first")
	if leader, err := next(); err != nil || leader != "first" {
		return fmt.Errorf("%q leads: %w", leader, err)
	}
	secondCtx, stopSecond := context.WithCancel(ctx)
	defer stopSecond()
	go run(secondCtx, "second")
	stopFirst()
	if leader, err := next(); err != nil || leader != "second" {
		return fmt.Errorf("%q leads: %w", leader, err)
	}
	lease, err := c.typed.CoordinationV1().Leases(c.namespace).Get(ctx, "leader", metav1.GetOptions{})
	if err != nil {
		return err
	}
	return same("holder and transitions", []any{*lease.Spec.HolderIdentity, *lease.Spec.LeaseTransitions}, []any{"second", int32(1)})
}

func recordedEvents(ctx context.Context, c *cluster) error {
	about, err := c.typed.CoreV1().ConfigMaps(c.namespace).Create(ctx, configMap("a"), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	defer broadcaster.Shutdown()
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: c.typed.CoreV1().Events(c.namespace)})
	recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "check"})
	for range 2 { // the second time counts up by a strategic merge patch
		recorder.Event(about, corev1.EventTypeNormal, "Checked", "looked at")
	}
	return until(ctx, "an event that was seen twice", func() bool {
		list, err := c.typed.CoreV1().Events(c.namespace).List(ctx, metav1.ListOptions{
			FieldSelector: "involvedObject.name=a,reason=Checked",
		})
		return err == nil && len(list.Items) == 1 && list.Items[0].Count == 2
	})
}
