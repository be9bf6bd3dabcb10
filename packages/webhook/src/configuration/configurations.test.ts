import { defineKind, type Kind, unstructured } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import { allowed } from "../admission/response.ts";
import { admission } from "../admission.ts";
import { admissionHandler } from "../admission-handler.ts";
import { WebhookServer } from "../server/webhook-server.ts";
import { pair } from "../testing/running-server.ts";
import type { Webhook } from "../webhook.ts";
import type { WebhookTarget } from "./webhook-target.ts";

const Site = defineKind({ group: "shop.example.com", version: "v1", kind: "Site", scope: "Namespaced" });
const Pod = unstructured({ apiVersion: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" });
const service = { namespace: "shop-system", name: "shop" };

const configured = (webhook: Webhook, target: WebhookTarget = { service }) => {
  const server = new WebhookServer({ certificates: pair });
  server.add(webhook);
  return server.configurations(target);
};

const site = admission(Site)
  .default(() => {})
  .validate({ update: () => {}, delete: () => {} })
  .configure({ timeoutSeconds: 5, matchConditions: [{ name: "not-us", expression: "true" }] });

describe("configurations", () => {
  it("use the default plural of a kind that names none", () => {
    const Policy: Kind = { group: "shop.example.com", version: "v1", kind: "Policy" };
    expect(configured(admission(Policy).validate({ create: () => {} }))).toMatchObject([
      { webhooks: [{ rules: [{ resources: ["policies"] }] }] },
    ]);
  });

  it("contain the rules and path of each webhook", () => {
    const caBundle = Buffer.from(pair.ca).toString("base64");
    const common = {
      failurePolicy: "Fail",
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      timeoutSeconds: 5,
      matchConditions: [{ name: "not-us", expression: "true" }],
    };
    const about = { apiGroups: ["shop.example.com"], apiVersions: ["v1"], resources: ["sites"], scope: "Namespaced" };
    expect(configured(site)).toEqual([
      {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: "MutatingWebhookConfiguration",
        metadata: { name: "shop-mutating-webhook-configuration" },
        webhooks: [
          {
            name: "default.site.v1.shop.example.com",
            clientConfig: { service: { ...service, path: "/mutate-shop-example-com-v1-site" }, caBundle },
            rules: [{ operations: ["CREATE", "UPDATE"], ...about }],
            ...common,
          },
        ],
      },
      {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: "ValidatingWebhookConfiguration",
        metadata: { name: "shop-validating-webhook-configuration" },
        webhooks: [
          {
            name: "validate.site.v1.shop.example.com",
            clientConfig: { service: { ...service, path: "/validate-shop-example-com-v1-site" }, caBundle },
            rules: [{ operations: ["UPDATE", "DELETE"], ...about }],
            ...common,
          },
        ],
      },
    ]);
  });

  it("can call a URL, with custom names and another bundle", () => {
    const target = { url: "https://10.0.0.7:9443/", name: "dev", caBundle: "PEM" };
    expect(configured(site, target)[0]).toMatchObject({
      metadata: { name: "dev-mutating-webhook-configuration" },
      webhooks: [{ clientConfig: { url: "https://10.0.0.7:9443/mutate-shop-example-com-v1-site", caBundle: "UEVN" } }],
    });
  });

  it.each([["http://a"], ["a:9443"], ["https://me@a"], ["https://a?b"], [""]])("refuse the url %j", (url) => {
    expect(() => configured(site, { url })).toThrow(`url: "${url}" must be https://host:port`);
  });

  const pods = (more = {}) =>
    admissionHandler("/pods", { rules: [{ kind: Pod, operations: ["CREATE"] }], ...more }, () => allowed());
  const notIn = (...values: string[]) => ({
    matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "NotIn", values }],
  });

  it.each<[string, Webhook, WebhookTarget, unknown]>([
    ["on built-in kinds leave out the operator's namespace", pods(), { service }, notIn("kube-system", "shop-system")],
    [
      "served at a url, that which is named",
      pods(),
      { url: "https://a", namespace: "dev" },
      notIn("kube-system", "dev"),
    ],
    ["or the cluster's own alone", pods(), { url: "https://a" }, notIn("kube-system")],
    ["unless configured", pods({ namespaceSelector: {} }), { service }, {}],
    ["and none on others", site, { service }, undefined],
  ])("%s", (_what, webhook, target, selector) => {
    const [configuration] = configured(webhook, target);
    const [asked] = configuration?.kind === "MutatingWebhookConfiguration" ? configuration.webhooks : [];
    expect(asked).toHaveProperty("rules");
    expect(asked?.namespaceSelector).toEqual(selector);
  });

  it("name raw handlers by their path and kind, and support subresources", () => {
    const exec = admissionHandler(
      "/checks/exec",
      { type: "validating", rules: [{ kind: Pod, operations: ["CONNECT"], subResource: "exec" }] },
      () => allowed(),
    );
    expect(configured(exec)).toMatchObject([
      {
        kind: "ValidatingWebhookConfiguration",
        webhooks: [{ name: "checks-exec.pod.v1.kubewright.dev", rules: [{ resources: ["pods/exec"] }] }],
      },
    ]);
    expect(configured(admissionHandler("/hand-written", {}, () => allowed()))).toEqual([]);
  });
});

it("refuses a validator without functions", () => {
  expect(() => admission(Site).validate({})).toThrow("define at least one of create, update and delete");
});
