package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// webhooks serves a validator that allows everything, a defaulter that sets one field, and a conversion.
type webhooks struct {
	address string
	meter   meter
}

func newWebhooks(s spec) *webhooks {
	ctrl.SetLogger(zap.New(zap.WriteTo(io.Discard)))
	// The address is never used, because the manager sends no requests to an API server.
	config := &rest.Config{Host: "http://127.0.0.1:1"}
	manager := must(ctrl.NewManager(config, ctrl.Options{
		Scheme:        siteScheme(),
		Metrics:       server.Options{BindAddress: "0"},
		WebhookServer: webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: s.Port, CertDir: s.CertDir}),
	}))
	if err := ctrl.NewWebhookManagedBy(manager, &Site{}).
		WithDefaulter(siteDefaulter{}).
		WithValidator(siteValidator{}).
		Complete(); err != nil {
		panic(err)
	}
	go func() {
		if err := manager.Start(context.Background()); err != nil {
			panic(err)
		}
	}()
	return &webhooks{address: net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port))}
}

func (w *webhooks) carryOut(c command) any {
	switch c.Do {
	case "sync":
		w.untilServing()
		w.meter.start()
		return w.meter.read()
	case "count":
		w.meter.start()
		return w.meter.read()
	case "await":
		return w.meter.read()
	}
	panic("unknown command " + c.Do)
}

func (w *webhooks) untilServing() {
	for {
		connection, err := tls.Dial("tcp", w.address, &tls.Config{InsecureSkipVerify: true})
		if err == nil {
			connection.Close()
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

type siteDefaulter struct{}

func (siteDefaulter) Default(_ context.Context, site *Site) error {
	if site.Spec.Replicas == nil {
		one := int32(1)
		site.Spec.Replicas = &one
	}
	return nil
}

type siteValidator struct{}

func (siteValidator) ValidateCreate(_ context.Context, site *Site) (admission.Warnings, error) {
	return nil, objection(site)
}

func (siteValidator) ValidateUpdate(_ context.Context, _, site *Site) (admission.Warnings, error) {
	return nil, objection(site)
}

func (siteValidator) ValidateDelete(context.Context, *Site) (admission.Warnings, error) {
	return nil, nil
}

func objection(site *Site) error {
	for _, port := range site.Spec.Ports {
		if port.Port < 1 {
			return fmt.Errorf("port %s: must be at least 1", port.Name)
		}
	}
	return nil
}
