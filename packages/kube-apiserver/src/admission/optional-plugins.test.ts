import type { Unstructured } from "@kubewright/apimachinery";
import type { AdmissionAttributes } from "@kubewright/apiserver/admission";
import { AdmissionChain } from "@kubewright/apiserver/admission";
import { expect, it } from "vitest";
import { optionalPlugins } from "./optional-plugins.ts";
import { selectPlugins } from "./plugin-selection.ts";

const chainOf = (...enable: string[]): AdmissionChain =>
  new AdmissionChain(
    selectPlugins(
      optionalPlugins(async () => undefined),
      { enable },
    ),
  );

const creation = (resource: string, spec: object): AdmissionAttributes & { readonly object: Unstructured } => ({
  operation: "CREATE",
  resource: { group: "", version: "v1", resource },
  subresource: "",
  kind: { group: "", version: "v1", kind: "Thing" },
  namespace: "ns",
  name: "a",
  object: { apiVersion: "v1", kind: "Thing", metadata: { name: "a" }, spec } as Unstructured,
  oldObject: undefined,
  options: {},
  dryRun: false,
  user: { name: "u", groups: [] },
  warn: () => {},
});

it("are all disabled by default", () => {
  expect(selectPlugins(optionalPlugins(async () => undefined))).toEqual([]);
});

it("are disabled until enabled by name", async () => {
  await chainOf().admit(creation("pods", {}));
  await expect(chainOf("AlwaysDeny").admit(creation("pods", {}))).rejects.toThrow(
    'pods "a" is forbidden: admission control is denying all modifications',
  );
});

it("behave like kube-apiserver's", async () => {
  const pod = creation("pods", { containers: [{ name: "c", image: "nginx", imagePullPolicy: "IfNotPresent" }] });
  const pulling = chainOf("AlwaysPullImages");
  await expect(pulling.validate(pod)).rejects.toThrow(
    'pods "a" is forbidden: spec.containers[0].imagePullPolicy: Unsupported value: "IfNotPresent": supported values: "Always"',
  );
  await pulling.admit(pod);
  expect(pod.object.spec).toEqual({ containers: [{ name: "c", image: "nginx", imagePullPolicy: "Always" }] });
  await pulling.validate(pod);
  await expect(
    chainOf("DenyServiceExternalIPs").validate(creation("services", { externalIPs: ["1.2.3.4"] })),
  ).rejects.toThrow('services "a" is forbidden: Use of external IPs is denied by admission control');
  await expect(chainOf("NamespaceExists").validate(creation("pods", {}))).rejects.toThrow('namespaces "ns" not found');
});
