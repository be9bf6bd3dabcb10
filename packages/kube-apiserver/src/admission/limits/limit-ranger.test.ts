import { describe, expect, it } from "vitest";
import { admitted, attributesOf, objectOf, refusal, resourceOf } from "../testing/attributes.ts";
import { limitRanger } from "./limit-ranger.ts";

const range = (...limits: object[]) => ({ spec: { limits } }) as never;
const defaults = { type: "Container", default: { cpu: "2", memory: "2Gi" }, defaultRequest: { cpu: "1" } };
const ranger = (...ranges: never[]) => limitRanger(async (namespace) => (namespace === "default" ? ranges : []));
const container = (name: string, resources?: object) => ({ name, ...(resources ? { resources } : {}) });
const pod = (spec: object) => objectOf({ spec });

/** @see kubernetes plugin/pkg/admission/limitranger admission_test.go TestMergePodResourceRequirements */
describe("a pod gets missing values of its containers", () => {
  const annotation = (text: string) => ({ "kubernetes.io/limit-ranger": `LimitRanger plugin set: ${text}` });
  it("with an annotation", async () => {
    const spec = {
      containers: [
        container("a"),
        container("b", { limits: { cpu: "5" }, requests: { cpu: "3" } }),
        container("c", { limits: { cpu: "1", memory: "1" }, requests: { cpu: "1" } }),
      ],
      initContainers: [container("i", { requests: { cpu: "1" } })],
    };
    const found = await admitted(ranger(range(defaults)), { object: pod(spec) });
    const full = { cpu: "2", memory: "2Gi" };
    expect(found?.spec).toStrictEqual({
      containers: [
        container("a", { limits: full, requests: { cpu: "1" } }),
        container("b", { limits: { cpu: "5", memory: "2Gi" }, requests: { cpu: "3" } }),
        container("c", { limits: { cpu: "1", memory: "1" }, requests: { cpu: "1" } }),
      ],
      initContainers: [container("i", { limits: full, requests: { cpu: "1" } })],
    });
    expect(found?.metadata.annotations).toEqual(
      annotation(
        "cpu request for container a; cpu, memory limit for container a; memory limit for container b; cpu, memory limit for init container i",
      ),
    );
  });

  it.each<[string, ReturnType<typeof ranger>, object]>([
    ["from an empty limit range", ranger(), {}],
    ["derived from other values", ranger(range({ ...defaults, type: "Pod" })), {}],
    ["in another namespace", ranger(range(defaults)), { namespace: "other" }],
    ["of another group", ranger(range(defaults)), { resource: resourceOf("pods", "x.io") }],
    ["of another kind", ranger(range(defaults)), { resource: resourceOf("others") }],
    ["when it changes", ranger(range(defaults)), { operation: "UPDATE" }],
    ["for its parts", ranger(range(defaults)), { subresource: "exec" }],
    [
      "when it is going",
      ranger(range(defaults)),
      { oldObject: objectOf({}, { deletionTimestamp: "2026-01-01T00:00:00Z" }) },
    ],
  ])("not %s", async (_what, plugin, more) => {
    const found = await admitted(plugin, { object: pod({ containers: [container("a")] }), ...more });
    expect(found).toStrictEqual(pod({ containers: [container("a")] }));
  });

  it("when it is resized", async () => {
    const found = await admitted(ranger(range(defaults)), {
      operation: "UPDATE",
      subresource: "resize",
      object: pod({ containers: [container("a")] }),
    });
    expect(found?.metadata.annotations).toBeDefined();
  });
});

describe("out of bounds", () => {
  const claims = {
    resource: resourceOf("persistentvolumeclaims"),
    kind: { group: "", version: "v1", kind: "PersistentVolumeClaim" },
  };
  const bounds = [
    { type: "Container", max: { cpu: "1", memory: "1" } },
    { type: "PersistentVolumeClaim", min: { storage: "1Gi" } },
  ];
  const large = pod({ containers: [container("a", { limits: { cpu: "2", memory: "1" } })] });
  const worse = pod({ containers: [container("a", { limits: { cpu: "2" } })] });
  const claim = (storage: string) => objectOf({ spec: { resources: { requests: { storage } } } });
  const cpu = "maximum cpu usage per Container is 1, but limit is 2";
  it.each<[string, object, string | undefined]>([
    ["a pod is refused", { object: large }, `pods "web" is forbidden: ${cpu}`],
    [
      "a pod is refused for every reason",
      { object: worse },
      `pods "web" is forbidden: [${cpu}, maximum memory usage per Container is 1.  No limit is specified]`,
    ],
    [
      "a pod that is resized is refused",
      { object: large, operation: "UPDATE", subresource: "resize" },
      `pods "web" is forbidden: ${cpu}`,
    ],
    ["admits an update of other fields", { object: large, operation: "UPDATE" }, undefined],
    ["admits a pod without containers", { object: objectOf() }, undefined],
    [
      "a claim is refused",
      { ...claims, object: claim("1Mi") },
      'persistentvolumeclaims "web" is forbidden: minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi',
    ],
    [
      "a claim that changes is refused",
      { ...claims, operation: "UPDATE", object: claim("1Mi") },
      'persistentvolumeclaims "web" is forbidden: minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi',
    ],
    ["admits a claim within bounds", { ...claims, object: claim("1Gi") }, undefined],
    [
      "admits a claim's status",
      { ...claims, operation: "UPDATE", subresource: "status", object: claim("1Mi") },
      undefined,
    ],
  ])("%s", async (_what, more, message) => {
    expect(await refusal(ranger(range(...bounds)), more)).toBe(message);
  });

  it("applies to writes", () => {
    expect((["CREATE", "UPDATE", "DELETE", "CONNECT"] as const).filter((one) => ranger().handles(one))).toEqual([
      "CREATE",
      "UPDATE",
    ]);
    expect(attributesOf().namespace).toBe("default");
  });
});
