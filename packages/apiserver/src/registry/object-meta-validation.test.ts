import { fieldErrorMessage } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import {
  finalizerWarnings,
  metaRulesOf,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "./object-meta-validation.ts";
import type { NameRule } from "./strategy.ts";
import { thingResource } from "./testing/thing-resource.ts";

const rules = { namespaced: true, nameRule: "subdomain", qualifiedFinalizers: true } as const;
const fields = (meta: object): string[] =>
  validateObjectMeta({ name: "a", namespace: "n", ...meta }, rules).map(({ field }) => field);

describe("validateObjectMeta", () => {
  it("accepts valid metadata", () => {
    const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" };
    expect(fields({ labels: { "a.b/c": "d" }, finalizers: ["orphan", "a.b/c"], ownerReferences: [owner] })).toEqual([]);
  });

  it("reports every invalid field", () => {
    expect(fields({ name: "" })).toEqual(["metadata.name"]);
    expect(fields({ name: "A" })).toEqual(["metadata.name"]);
    expect(fields({ labels: { "a b": "c", d: "e f" } })).toEqual(["metadata.labels", "metadata.labels"]);
    expect(fields({ annotations: { "a b": "" } })).toEqual(["metadata.annotations"]);
    expect(fields({ finalizers: ["plain"] })).toEqual(["metadata.finalizers[0]"]);
    expect(fields({ finalizers: ["orphan", "foregroundDeletion"] })).toEqual(["metadata.finalizers"]);
    expect(fields({ annotations: { a: "x".repeat(300_000) } })).toEqual(["metadata.annotations"]);
  });

  it("allows one controller among the owners", () => {
    const owner = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", name, uid: name, controller: true });
    const ownerReferences = [owner("x"), owner("y"), owner("z")];
    const errors = validateObjectMeta({ name: "a", namespace: "n", ownerReferences }, rules);
    expect(errors.map(({ detail }) => detail)).toEqual(
      ["y", "z"].map(
        (name) =>
          `Only one reference can have Controller set to true. Found "true" in references for ConfigMap/x and ConfigMap/${name}`,
      ),
    );
  });
});

const messages = (meta: object, more: Partial<Parameters<typeof validateObjectMeta>[1]> = {}): string[] =>
  validateObjectMeta({ name: "a", namespace: "n", ...meta }, { ...rules, ...more }).map(fieldErrorMessage);

describe("the metadata of an object", () => {
  it.each<readonly [rule: NameRule, valid: readonly string[], invalid: readonly string[]]>([
    ["subdomain", ["a", "a.b", "1a"], ["a_b", "a/b"]],
    ["label", ["a", "1a"], ["a.b"]],
    ["dns1035Label", ["a"], ["1a", "a.b"]],
    ["pathSegment", ["A:b", "a_b"], ["a/b", "..", "a%"]],
    ["address", ["10.0.0.1", "::1"], ["a", "10.0.0"]],
  ])("has a name by the rule %s", (nameRule, valid, invalid) => {
    for (const name of valid) expect(messages({ name }, { nameRule })).toEqual([]);
    for (const name of invalid)
      expect(messages({ name }, { nameRule })).toEqual([expect.stringMatching(/^metadata\.name: Invalid value: /)]);
  });

  it.each<readonly [meta: object, more: object, expected: readonly unknown[]]>([
    [{ name: "" }, {}, ["metadata.name: Required value: name or generateName is required"]],
    [{ generateName: "a-" }, {}, []],
    [{ generateName: "" }, {}, []],
    [{ generateName: "a." }, {}, [expect.stringContaining('metadata.generateName: Invalid value: "a."')]],
    [{ generateName: "a_-" }, {}, []],
    [{ generateName: "a_b-" }, {}, [expect.stringContaining('metadata.generateName: Invalid value: "a_b-"')]],
    [{ generateName: "-" }, {}, [expect.stringContaining('metadata.generateName: Invalid value: "-"')]],
    [{ generateName: ".." }, { nameRule: "pathSegment" }, []],
    [
      { generateName: "a/" },
      { nameRule: "pathSegment" },
      ["metadata.generateName: Invalid value: \"a/\": may not contain '/'"],
    ],
    [{ namespace: "" }, {}, ["metadata.namespace: Required value"]],
    [{ namespace: "a.b" }, {}, [expect.stringContaining('metadata.namespace: Invalid value: "a.b"')]],
    [{ namespace: "n" }, { namespaced: false }, ["metadata.namespace: Forbidden: not allowed on this type"]],
    [{ namespace: "" }, { namespaced: false }, []],
    [{ labels: { a: null } }, {}, []],
    [{ annotations: { "A/b": "x y" } }, {}, []],
    [{ annotations: { a: "x".repeat(256 * 1024 - 1) } }, {}, []],
    [
      { annotations: { a: "x".repeat(256 * 1024) } },
      {},
      ["metadata.annotations: Too long: may not be more than 262144 bytes"],
    ],
    [{ annotations: { a: null } }, {}, []],
    [{ finalizers: ["orphan", "kubernetes", "a.b/c"] }, {}, []],
    [{ finalizers: ["foregroundDeletion"] }, {}, []],
    [
      { finalizers: ["a.b/c", "plain"] },
      {},
      [
        'metadata.finalizers[1]: Invalid value: "plain": name is neither a standard finalizer name nor is it fully qualified',
      ],
    ],
    [{ finalizers: ["plain"] }, { qualifiedFinalizers: false }, []],
    [
      { finalizers: ["a b"] },
      { qualifiedFinalizers: false },
      [expect.stringMatching(/^metadata\.finalizers: Invalid value: "a b"/)],
    ],
    [
      { finalizers: ["orphan", "foregroundDeletion"] },
      {},
      [
        'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
      ],
    ],
  ])("is checked: %j", (meta, more, expected) => {
    expect(messages(meta, more)).toEqual(expected);
  });

  const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" };
  it.each<readonly [owner: object, expected: readonly string[]]>([
    [{}, []],
    [{ controller: true }, []],
    [{ apiVersion: "" }, ["[1].apiVersion: Required value: must not be empty"]],
    [{ apiVersion: "a/b/c" }, ['[1].apiVersion: Invalid value: "a/b/c": must be <group>/<version> or <version>']],
    [{ kind: "" }, ["[1].kind: Required value: must not be empty"]],
    [{ name: undefined }, ["[1].name: Required value: must not be empty"]],
    [{ uid: "" }, ["[1].uid: Required value: must not be empty"]],
    [{ kind: "Event", apiVersion: "example.com/v1" }, []],
  ])("has owners: %j", (more, expected) => {
    expect(messages({ ownerReferences: [owner, { ...owner, ...more }] })).toEqual(
      expected.map((text) => `metadata.ownerReferences${text}`),
    );
  });

  it.each([
    ["v1", "/v1, Kind=Event"],
    ["events.k8s.io/v1", "events.k8s.io/v1, Kind=Event"],
  ])("is not owned by an event of %s", (apiVersion, shown) => {
    expect(messages({ ownerReferences: [{ ...owner, kind: "Event", apiVersion }] })).toEqual([
      expect.stringContaining(`: ${shown} is disallowed from being an owner`),
    ]);
  });

  it("has two owners of which one controls it", () => {
    expect(
      messages({ ownerReferences: [{ ...owner, controller: true }, { ...owner, controller: false }, owner] }),
    ).toEqual([]);
  });
});

it.each([
  ["builtin", "", true],
  ["builtin", "apps", true],
  ["builtin", "apiextensions.k8s.io", false],
  ["builtin", "apiregistration.k8s.io", false],
  ["custom", "apps", false],
] as const)("requires qualified finalizers of %s kinds in group %j: %s", (origin, group, qualifiedFinalizers) => {
  expect(metaRulesOf({ ...thingResource(), origin, group })).toEqual({
    ...{ namespaced: true, nameRule: "subdomain", qualifiedFinalizers },
  });
  expect(metaRulesOf({ ...thingResource({ nameRule: "label" }), scope: "Cluster" })).toMatchObject({
    ...{ namespaced: false, nameRule: "label" },
  });
});

it.each<readonly [name: string, hint: string | undefined]>([
  ["a.b/c", undefined],
  ["orphan", undefined],
  ["kept", undefined],
  ["plain", ""],
  ["a.b", "including a path (/) "],
])("warns of the finalizer %s of a custom kind", (name, hint) => {
  const custom = { ...thingResource(), origin: "custom" } as const;
  const next = { name: "a", finalizers: ["kept", name] };
  const old = { name: "a", finalizers: ["kept"] };
  expect(finalizerWarnings(custom, next, old)).toEqual(
    hint === undefined
      ? []
      : [
          `metadata.finalizers: "${name}": prefer a domain-qualified finalizer name ${hint}to avoid accidental conflicts with other finalizer writers`,
        ],
  );
  expect(finalizerWarnings(custom, { name: "a" })).toEqual([]);
  expect(finalizerWarnings(custom, { name: "a", finalizers: [name] })).toHaveLength(
    hint === undefined && name !== "kept" ? 0 : 1,
  );
  expect(finalizerWarnings(thingResource(), next)).toEqual([]);
});

describe("validateObjectMetaUpdate", () => {
  it("keeps identity, and rejects new finalizers during deletion", () => {
    const old = { name: "a", uid: "1", deletionTimestamp: "2026-01-01T00:00:00Z" };
    const errors = validateObjectMetaUpdate({ ...old, uid: "2", finalizers: ["a.b/c"] }, old);
    expect(errors.map(fieldErrorMessage)).toEqual([
      'metadata.uid: Invalid value: "2": field is immutable',
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a.b/c"}',
    ]);
  });
});
