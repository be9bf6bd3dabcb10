import type { Condition, DeepReadonly, Kind, KubeObject } from "@kubewright/apimachinery";
import { describe, expect, expectTypeOf, it } from "vitest";
import * as kinds from "./index.ts";

describe("kinds", () => {
  it("are the built-in kinds by their names", () => {
    expect(Object.keys(kinds).sort()).toEqual([
      "APIService",
      "CSIDriver",
      "CSINode",
      "CSIStorageCapacity",
      "CertificateSigningRequest",
      "ClusterRole",
      "ClusterRoleBinding",
      "ConfigMap",
      "ControllerRevision",
      "CronJob",
      "CustomResourceDefinition",
      "DaemonSet",
      "Deployment",
      "EndpointSlice",
      "Endpoints",
      "Event",
      "FlowSchema",
      "HorizontalPodAutoscaler",
      "Ingress",
      "IngressClass",
      "Job",
      "Lease",
      "LimitRange",
      "LocalSubjectAccessReview",
      "MutatingWebhookConfiguration",
      "Namespace",
      "NetworkPolicy",
      "Node",
      "PersistentVolume",
      "PersistentVolumeClaim",
      "Pod",
      "PodDisruptionBudget",
      "PodTemplate",
      "PriorityClass",
      "PriorityLevelConfiguration",
      "ReplicaSet",
      "ReplicationController",
      "ResourceQuota",
      "Role",
      "RoleBinding",
      "RuntimeClass",
      "Secret",
      "SelfSubjectAccessReview",
      "SelfSubjectReview",
      "SelfSubjectRulesReview",
      "Service",
      "ServiceAccount",
      "StatefulSet",
      "StorageClass",
      "SubjectAccessReview",
      "TokenReview",
      "ValidatingAdmissionPolicy",
      "ValidatingAdmissionPolicyBinding",
      "ValidatingWebhookConfiguration",
      "VolumeAttachment",
    ]);
  });

  it("know where they are served", () => {
    expect(kinds.Deployment).toEqual({
      group: "apps",
      version: "v1",
      kind: "Deployment",
      plural: "deployments",
      scope: "Namespaced",
    });
    for (const [name, kind] of Object.entries<Kind>(kinds)) {
      expect(kind.kind).toBe(name);
      expect(kind.plural).toMatch(/^[a-z]+$/);
    }
  });

  it("have the types of the wire", () => {
    expectTypeOf<kinds.Pod>().toExtend<KubeObject>();
    expectTypeOf<kinds.Pod["spec"]["nodeName"]>().toEqualTypeOf<string | undefined>();
    expectTypeOf<kinds.PodStatus["startTime"]>().toEqualTypeOf<string | undefined>();
    expectTypeOf<NonNullable<kinds.Lease["spec"]>["renewTime"]>().toEqualTypeOf<string | undefined>();
    expectTypeOf<NonNullable<kinds.LimitRange["spec"]>["limits"][number]["default"]>().toEqualTypeOf<
      { [key: string]: string } | undefined
    >();
    expectTypeOf<NonNullable<NonNullable<kinds.Service["status"]>["conditions"]>>().toEqualTypeOf<Condition[]>();
    expectTypeOf<kinds.JSONSchemaProps["$ref"]>().toEqualTypeOf<string | undefined>();
    expectTypeOf<kinds.JSONSchemaProps["x-kubernetes-preserve-unknown-fields"]>().toEqualTypeOf<boolean | undefined>();
    expectTypeOf<kinds.JSONSchemaProps["items"]>().toEqualTypeOf<
      kinds.JSONSchemaProps | kinds.JSONSchemaProps[] | undefined
    >();
    type Version = kinds.CustomResourceDefinition["spec"]["versions"][number];
    expectTypeOf<NonNullable<Version["schema"]>["openAPIV3Schema"]>().toEqualTypeOf<
      kinds.JSONSchemaProps | undefined
    >();
    expectTypeOf<kinds.Deployment>().toExtend<DeepReadonly<kinds.Deployment>>();
    expectTypeOf<kinds.NetworkPolicy>().toExtend<KubeObject>();
    expectTypeOf<
      NonNullable<NonNullable<NonNullable<kinds.NetworkPolicy["spec"]>["ingress"]>[number]["from"]>
    >().toBeArray();
  });
});
