import type { ReadonlyObject } from "@kubewright/apiserver/registry";
import { describe, expect, it } from "vitest";
import { podRefersTo, type ReferencedResource, volumeRefersToSecret } from "./node-references.ts";

const pod = (spec: object, status: object = {}, annotations: Record<string, string> = {}): ReadonlyObject => {
  const made = { apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "ns", annotations }, spec, status };
  return made;
};
const withContainer = (container: object) => ({ containers: [{ name: "c", ...container }] });
const withVolume = (volume: object) => ({ volumes: [{ name: "v", ...volume }] });
const env = (valueFrom: object) => ({ env: [{ name: "E", valueFrom }] });

const templated = { name: "r", resourceClaimTemplateName: "t" };

/** @see kubernetes plugin/pkg/auth/authorizer/node Graph.AddPod */
describe("a pod refers to", () => {
  it.each<[ReferencedResource, object, object?]>([
    ["secrets", { imagePullSecrets: [{ name: "x" }] }],
    ["secrets", withContainer({ envFrom: [{ secretRef: { name: "x" } }] })],
    ["secrets", withContainer(env({ secretKeyRef: { name: "x" } }))],
    ["secrets", { initContainers: [{ name: "c", ...env({ secretKeyRef: { name: "x" } }) }] }],
    ["secrets", { ephemeralContainers: [{ name: "c", ...env({ secretKeyRef: { name: "x" } }) }] }],
    ["secrets", withVolume({ secret: { secretName: "x" } })],
    ["secrets", withVolume({ azureFile: { secretName: "x" } })],
    ["secrets", withVolume({ projected: { sources: [{ secret: { name: "x" } }] } })],
    ["secrets", withVolume({ csi: { nodePublishSecretRef: { name: "x" } } })],
    ...["cephfs", "flexVolume", "rbd", "scaleIO", "iscsi", "storageos", "cinder"].map((kind): ["secrets", object] => [
      "secrets",
      withVolume({ [kind]: { secretRef: { name: "x" } } }),
    ]),
    ["configmaps", withContainer({ envFrom: [{ configMapRef: { name: "x" } }] })],
    ["configmaps", withContainer(env({ configMapKeyRef: { name: "x" } }))],
    ["configmaps", withVolume({ configMap: { name: "x" } })],
    ["configmaps", withVolume({ projected: { sources: [{ configMap: { name: "x" } }] } })],
    ["serviceaccounts", { serviceAccountName: "x" }],
    ["persistentvolumeclaims", withVolume({ persistentVolumeClaim: { claimName: "x" } })],
    ["resourceclaims", { resourceClaims: [{ name: "r", resourceClaimName: "x" }] }],
    [
      "resourceclaims",
      { resourceClaims: [{ name: "q", resourceClaimName: "q" }, templated] },
      { resourceClaimStatuses: [{ name: "r", resourceClaimName: "x" }] },
    ],
    ["resourceclaims", {}, { extendedResourceClaimStatus: { resourceClaimName: "x" } }],
  ])("%s by %j %j, and to nothing else", (resource, spec, status) => {
    const all: readonly ReferencedResource[] = [
      "secrets",
      "configmaps",
      "serviceaccounts",
      "persistentvolumeclaims",
      "resourceclaims",
    ];
    expect(all.filter((each) => podRefersTo(pod(spec, status), each, "x"))).toEqual([resource]);
    expect(all.filter((each) => podRefersTo(pod(spec, status), each, "y"))).toEqual([]);
    const mirror = pod(spec, status, { "kubernetes.io/config.mirror": "" });
    expect(podRefersTo(mirror, resource, "x")).toBe(false);
  });

  it.each<[object, object]>([
    [{}, { resourceClaimStatuses: [{ name: "r", resourceClaimName: "x" }] }],
    [{ resourceClaims: [templated] }, {}],
    [{ resourceClaims: [templated] }, { resourceClaimStatuses: [{ name: "s", resourceClaimName: "x" }] }],
    [
      { resourceClaims: [{ ...templated, resourceClaimTemplateName: undefined }] },
      { resourceClaimStatuses: [{ name: "r", resourceClaimName: "x" }] },
    ],
    [
      { resourceClaims: [{ ...templated, resourceClaimName: "y" }] },
      { resourceClaimStatuses: [{ name: "r", resourceClaimName: "x" }] },
    ],
  ])("no claim that only its status names: %j %j", (spec, status) => {
    expect(podRefersTo(pod(spec, status), "resourceclaims", "x")).toBe(false);
  });

  it("the claim generated for its volume", () => {
    const spec = withVolume({ ephemeral: {} });
    expect(podRefersTo(pod(spec), "persistentvolumeclaims", "p-v")).toBe(true);
    expect(podRefersTo(pod(spec), "persistentvolumeclaims", "v")).toBe(false);
  });
});

/** @see kubernetes pkg/api/v1/persistentvolume VisitPVSecretNames */
describe("a volume has secrets that a node may read", () => {
  const volume = (source: object): ReadonlyObject => {
    const spec = { claimRef: { namespace: "claim", name: "c" }, ...source };
    const made = { apiVersion: "v1", kind: "PersistentVolume", metadata: { name: "pv" }, spec };
    return made;
  };
  const named = { secretRef: { name: "x" } };
  const inOther = { secretRef: { name: "x", namespace: "other" } };
  const csi = (part: string) => ({ csi: { [part]: { name: "x", namespace: "other" } } });
  it.each<[object, readonly string[]]>([
    ...["cephfs", "flexVolume", "rbd", "scaleIO", "iscsi"].flatMap((kind): [object, string[]][] => [
      [{ [kind]: named }, ["claim"]],
      [{ [kind]: { secretRef: { name: "x", namespace: "" } } }, ["claim"]],
      [{ [kind]: inOther }, ["other"]],
    ]),
    ...["cinder", "storageos"].flatMap((kind): [object, string[]][] => [
      [{ [kind]: named }, []],
      [{ [kind]: inOther }, ["other"]],
    ]),
    [{ azureFile: { secretName: "x" } }, ["claim"]],
    [{ azureFile: { secretName: "x", secretNamespace: "" } }, ["claim"]],
    [{ azureFile: { secretName: "x", secretNamespace: "other" } }, ["other"]],
    [{ azureFile: { secretName: "y" } }, []],
    [{ rbd: { secretRef: { name: "y" } } }, []],
    [{ rbd: {} }, []],
    [{}, []],
    [csi("nodePublishSecretRef"), ["other"]],
    [csi("nodeStageSecretRef"), ["other"]],
    [csi("nodeExpandSecretRef"), ["other"]],
    [csi("controllerPublishSecretRef"), []],
    [csi("controllerExpandSecretRef"), []],
    [{ csi: { nodeStageSecretRef: { name: "x" } } }, []],
  ])("%j: in %j", (source, namespaces) => {
    const found = ["claim", "other"].filter((namespace) => volumeRefersToSecret(volume(source), namespace, "x"));
    expect(found).toEqual(namespaces);
  });
});
