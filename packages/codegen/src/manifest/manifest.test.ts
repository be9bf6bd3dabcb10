import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { sample } from "../testing/sample-definition.ts";
import { clientsetText } from "./clientset-text.ts";
import { crdText, RefusedDefinitionError } from "./crd-text.ts";

describe("the YAML of a definition", () => {
  it("contains the definition, after a line with its origin", () => {
    const text = crdText(sample);
    expect(text.split("\n")[0]).toBe("# Written by kubewright generate; change src/, or patch in config/overlays");
    expect(parse(text)).toEqual(sample);
  });

  it("does not depend on the order of members", () => {
    const { spec, ...rest } = sample;
    const turned = Object.fromEntries(Object.entries({ spec, ...rest }).reverse());
    const again = { ...turned, metadata: Object.fromEntries(Object.entries(sample.metadata).reverse()) };
    expect(crdText(again)).toBe(crdText(sample));
    expect(crdText({ ...sample, status: { storedVersions: ["v1"] } })).toBe(crdText(sample));
  });

  it("has no aliases, and quotes values that older parsers misread", () => {
    const shared = { type: "object" } as const;
    const enums = { type: "string", enum: ["yes", "off", "012", "1e3", "~"] };
    const properties = { a: shared, b: shared, c: enums };
    const [version] = sample.spec.versions;
    const versions = [{ ...version, schema: { openAPIV3Schema: { type: "object", properties } } }];
    const text = crdText({ ...sample, spec: { ...sample.spec, versions } });
    expect(text).not.toMatch(/[&*]a1/);
    expect(parse(text, { version: "1.1" }).spec.versions[0].schema.openAPIV3Schema.properties.c).toEqual(enums);
  });

  it("is not written if the judge refuses the definition", () => {
    const judge = () => ["spec.versions[0].schema: ERROR: <input>:1:6: undefined field 'mix'"];
    expect(() => crdText(sample, { judge })).toThrow(RefusedDefinitionError);
    expect(() => crdText(sample, { judge })).toThrow("undefined field 'mix'");
    expect(crdText(sample, { judge: () => [] })).toBe(crdText(sample));
  });
});

describe("a clientset", () => {
  const network = {
    group: "samplecrd.k8s.io",
    version: "v1",
    plural: "networks",
    name: "Network",
    module: "./api/network.ts",
  };

  it("is a file of names", () => {
    expect(clientsetText([network])).toBe(`// Written by kubewright generate clientset; do not edit, run it again.
import { clientsetOf, informersOf } from "kubewright";
import { Network } from "./api/network.ts";

const groups = { samplecrd: { v1: { networks: Network } } } as const;

export const clientset = clientsetOf(groups);
export const informers = informersOf(groups);
`);
  });

  it("distinguishes groups with the same first part", () => {
    const other = { ...network, group: "samplecrd.example.com", name: "Other" };
    expect(clientsetText([network, other])).toContain("samplecrdExampleCom: { v1: { networks: Other } }");
    expect(clientsetText([{ ...network, group: "", plural: "pods", name: "Pod" }])).toContain(
      "{ core: { v1: { pods: Pod } } }",
    );
  });

  it("names two kinds with the same plural", () => {
    const second = clientsetText([network, { ...network, version: "v2", module: "./api/v2.ts" }]);
    expect(second).toContain('import { Network as Network2 } from "./api/v2.ts";\n');
    expect(second).toContain("{ v1: { networks: Network }, v2: { networks: Network2 } }");
    expect(() => clientsetText([network, { ...network, name: "Net" }])).toThrow("is exported as both Network and Net");
    expect(() => clientsetText([])).toThrow("no kinds");
  });
});
