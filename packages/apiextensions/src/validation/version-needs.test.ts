import { cel, defineKind, withRules } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { describe, expect, it } from "vitest";
import { versionNeeds } from "./version-needs.ts";

const names = { group: "shop.example.com", version: "v1", kind: "Site", scope: "Namespaced" } as const;
const spec = (...rules: string[]) =>
  Type.Object({
    addresses: Type.Array(
      withRules(
        Type.Object({ ip: Type.String({ maxLength: 40 }) }),
        rules.map((rule) => cel(rule, "is not valid")),
      ),
      { maxItems: 9 },
    ),
  });
const site = (...rules: string[]) => defineKind({ ...names, spec: spec(...rules) }).crd;

describe("versionNeeds", () => {
  it("reports rules with functions that the server does not have, and the first version that has them all", () => {
    const crd = site("isIP(self.ip)", "self.ip != ''", "isIP(self.ip) && [1].all(i, v, v > i)");
    const message = "isIP() with these arguments is missing; use other functions, or validate in a webhook";
    expect(versionNeeds(crd, 30)).toEqual([
      { path: "v1 spec.addresses[]", value: "isIP(self.ip)", minor: 31, isRejected: true, message },
      {
        path: "v1 spec.addresses[]",
        value: "isIP(self.ip) && [1].all(i, v, v > i)",
        minor: 33,
        isRejected: true,
        message,
      },
    ]);
    expect(versionNeeds(crd, 32).map(({ minor, message: text }) => [minor, text])).toEqual([
      [33, "all() with these arguments is missing; use other functions, or validate in a webhook"],
    ]);
    expect(versionNeeds(crd, 33)).toEqual([]);
  });

  it("reports fields and formats that the server ignores", () => {
    const crd = defineKind({
      ...names,
      spec: Type.Object({
        zone: Type.String({ format: "k8s-short-name" }),
        zones: Type.Optional(Type.Record(Type.String(), Type.String({ format: "k8s-long-name" }))),
      }),
      selectableFields: [".spec.zone"],
    }).crd;
    expect(versionNeeds(crd, 30).map(({ path, value, minor, isRejected }) => [path, value, minor, isRejected])).toEqual(
      [
        ["v1 selectableFields", ".spec.zone", 31, false],
        ["v1 spec.zone", "k8s-short-name", 35, false],
        ["v1 spec.zones.*", "k8s-long-name", 35, false],
      ],
    );
    expect(versionNeeds(crd, 31).map(({ path }) => path)).toEqual(["v1 spec.zone", "v1 spec.zones.*"]);
    expect(versionNeeds(crd, 35)).toEqual([]);
  });

  it("finds formats in alternatives, and rules that refer to an embedded object's metadata", () => {
    const crd = structuredClone(site()) as {
      spec: { versions: { schema: { openAPIV3Schema: { properties: Record<string, object> } } }[] };
    };
    for (const { schema } of crd.spec.versions)
      schema.openAPIV3Schema.properties.spec = {
        type: "object",
        properties: {
          zone: { type: "string", anyOf: [{ format: "k8s-short-name" }, { format: "k8s-long-name" }] },
          template: {
            type: "object",
            "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true,
            "x-kubernetes-validations": [{ rule: "isIP(self.metadata.name)" }],
          },
        },
      };
    expect(versionNeeds(crd, 30).map(({ path, value }) => [path, value])).toEqual([
      ["v1 spec.zone", "k8s-short-name"],
      ["v1 spec.zone", "k8s-long-name"],
      ["v1 spec.template", "isIP(self.metadata.name)"],
    ]);
  });

  it("leaves errors in all versions to judgeDefinition", () => {
    expect(versionNeeds(site("self.nope"), 30)).toEqual([]);
    expect(versionNeeds({ kind: "CustomResourceDefinition" }, 30)).toEqual([]);
    expect(versionNeeds(5, 30)).toEqual([]);
  });
});
