import { describe, expect, it } from "vitest";
import { admitted, objectOf, refusal, resourceOf } from "../testing/attributes.ts";
import { defaultClass } from "./default-class.ts";
import { defaultIngressClass } from "./default-ingress-class.ts";
import { defaultStorageClass, persistentVolumeClaimResize } from "./storage-class.ts";

const marked = (name: string, annotation: string, creationTimestamp?: string, value = "true") =>
  objectOf({}, { name, annotations: { [annotation]: value }, ...(creationTimestamp ? { creationTimestamp } : {}) });
const mark = "storageclass.kubernetes.io/is-default-class";
const beta = "storageclass.beta.kubernetes.io/is-default-class";

/** @see kubernetes pkg/volume/util storageclass_test.go TestGetDefaultClass */
describe("the default class", () => {
  const early = "2026-01-01T00:00:00Z";
  const late = "2026-01-02T00:00:00Z";
  it.each<[string, ReturnType<typeof objectOf>[], string | undefined]>([
    ["does not exist without classes", [], undefined],
    ["is not an unmarked class", [marked("a", "other"), objectOf()], undefined],
    ["is not a class with another mark", [marked("a", mark, early, "yes")], undefined],
    ["is the one that is marked", [marked("a", "other"), marked("b", mark)], "b"],
    ["is marked in another way", [marked("a", beta)], "a"],
    ["is the newest", [marked("a", mark, early), marked("b", mark, late), marked("c", mark, early)], "b"],
    [
      "is the first by name of equals",
      [marked("b", mark, early), marked("a", mark, early), marked("c", mark, early)],
      "a",
    ],
  ])("%s", (_what, classes, name) => {
    expect(defaultClass(classes, [mark, beta])?.metadata.name).toBe(name);
  });
});

describe("an ingress", () => {
  const plugin = defaultIngressClass(async () => [marked("nginx", "ingressclass.kubernetes.io/is-default-class")]);
  const ingress = resourceOf("ingresses", "networking.k8s.io");
  const legacy = { annotations: { "kubernetes.io/ingress.class": "" } };
  it.each([
    ["gets the default class", {}, { spec: { rules: [] } }, {}, { rules: [], ingressClassName: "nginx" }],
    ["gets it without a spec", {}, {}, {}, { ingressClassName: "nginx" }],
    ["keeps its own", {}, { spec: { ingressClassName: "own" } }, {}, { ingressClassName: "own" }],
    ["keeps an empty one", {}, { spec: { ingressClassName: "" } }, {}, { ingressClassName: "" }],
    ["keeps its annotation", {}, { spec: {} }, legacy, {}],
    ["keeps its status", { subresource: "status" }, { spec: {} }, {}, {}],
    ["of another group is left alone", { resource: resourceOf("ingresses") }, { spec: {} }, {}, {}],
    ["is not another resource", { resource: resourceOf("others", "networking.k8s.io") }, { spec: {} }, {}, {}],
  ])("%s", async (_what, more, object, metadata, spec) => {
    const found = await admitted(plugin, { resource: ingress, object: objectOf(object, metadata), ...more });
    expect(found?.spec).toStrictEqual(spec);
  });

  it("has no default without a default class", async () => {
    const found = await admitted(
      defaultIngressClass(async () => []),
      { resource: ingress, object: objectOf({ spec: {} }) },
    );
    expect(found?.spec).toStrictEqual({});
  });
});

describe("a claim", () => {
  const claims = resourceOf("persistentvolumeclaims");
  const plugin = defaultStorageClass(async () => [marked("gold", mark)]);
  const annotated = { annotations: { "volume.beta.kubernetes.io/storage-class": "" } };
  it.each([
    ["gets the default class", {}, { spec: { a: 1 } }, {}, { a: 1, storageClassName: "gold" }],
    ["gets it without a spec", {}, {}, {}, { storageClassName: "gold" }],
    ["keeps its own", {}, { spec: { storageClassName: "tin" } }, {}, { storageClassName: "tin" }],
    ["keeps an explicit empty class", {}, { spec: { storageClassName: "" } }, {}, { storageClassName: "" }],
    ["keeps its annotation", {}, { spec: {} }, annotated, {}],
    ["keeps its status", { subresource: "status" }, { spec: {} }, {}, {}],
    ["is not another resource", { resource: resourceOf("pods") }, { spec: {} }, {}, {}],
    [
      "of another group is left alone",
      { resource: resourceOf("persistentvolumeclaims", "x.io") },
      { spec: {} },
      {},
      {},
    ],
  ])("%s", async (_what, more, object, metadata, spec) => {
    const found = await admitted(plugin, { resource: claims, object: objectOf(object, metadata), ...more });
    expect(found?.spec).toStrictEqual(spec);
  });

  /** @see kubernetes plugin/pkg/admission/storage/persistentvolume/resize admission_test.go */
  describe("that grows", () => {
    const classes = async () => [
      objectOf({ allowVolumeExpansion: true }, { name: "gold" }),
      objectOf({ allowVolumeExpansion: false }, { name: "tin" }),
      objectOf({}, { name: "zinc" }),
    ];
    const claim = (storage: string, storageClassName?: string, phase = "Bound") =>
      objectOf({
        spec: { resources: { requests: { storage } }, ...(storageClassName ? { storageClassName } : {}) },
        status: { phase },
      });
    const fixed =
      'persistentvolumeclaims "web" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';
    it.each([
      ["may, if its class permits it", claim("2Gi", "gold"), claim("1Gi", "gold"), undefined],
      ["may not, if its class forbids it", claim("2Gi", "tin"), claim("1Gi", "tin"), fixed],
      ["may not, if its class does not specify it", claim("2Gi", "zinc"), claim("1Gi", "zinc"), fixed],
      ["may not, if its class was deleted", claim("2Gi", "lead"), claim("1Gi", "lead"), fixed],
      ["may not without a class", claim("2Gi"), claim("1Gi"), fixed],
      ["may not with a new class", claim("2Gi", "gold"), claim("1Gi", "tin"), fixed],
      [
        "may not before it is bound",
        claim("2Gi", "gold"),
        claim("1Gi", "gold", "Pending"),
        'persistentvolumeclaims "web" is forbidden: Only bound persistent volume claims can be expanded',
      ],
      ["may stay", claim("1Gi", "tin"), claim("1Gi", "tin"), undefined],
      ["may shrink, as far as this is concerned", claim("1Gi", "tin"), claim("2Gi", "tin"), undefined],
      ["may start without a request", objectOf(), claim("1Gi", "tin"), undefined],
    ])("%s", async (_what, object, oldObject, message) => {
      const asked = { operation: "UPDATE", resource: claims, object, oldObject } as const;
      expect(await refusal(persistentVolumeClaimResize(classes), asked)).toBe(message);
      expect(await refusal(persistentVolumeClaimResize(classes), { ...asked, subresource: "status" })).toBeUndefined();
    });
  });
});

it("sets classes on create, and resizes claims on update", () => {
  const operations = ["CREATE", "UPDATE", "DELETE", "CONNECT"] as const;
  const none = async () => [];
  expect(
    [defaultIngressClass(none), defaultStorageClass(none), persistentVolumeClaimResize(none)].map((one) =>
      operations.filter((each) => one.handles(each)),
    ),
  ).toEqual([["CREATE"], ["CREATE"], ["UPDATE"]]);
});
