import { describe, expect, it } from "vitest";
import { isNoMatch, mappingOf, pluralOf, StaticRESTMapper } from "./rest-mapper.ts";

const mapper = new StaticRESTMapper([
  { ...mappingOf({ group: "apps", version: "v1", kind: "Deployment" }), shortNames: ["deploy"] },
  mappingOf({ group: "apps", version: "v1beta1", kind: "Deployment" }),
  mappingOf({ group: "", version: "v1", kind: "Node", scope: "Cluster" }),
]);

describe("a static mapper", () => {
  it("finds kinds with and without version", async () => {
    expect((await mapper.mappingFor({ group: "apps", kind: "Deployment" })).gvr.version).toBe("v1");
    expect((await mapper.mappingFor({ group: "apps", kind: "Deployment", version: "v1beta1" })).gvr).toEqual({
      group: "apps",
      version: "v1beta1",
      resource: "deployments",
    });
    expect((await mapper.mappingFor({ group: "", kind: "Node" })).scope).toBe("Cluster");
  });

  it.each(["deployments", "deployment", "Deployment", "deploy", "deployments.apps", "deployments.v1.apps"])(
    "knows what %s means",
    async (name) => {
      expect((await mapper.mappingForResource(name)).gvk).toEqual({ group: "apps", version: "v1", kind: "Deployment" });
    },
  );

  it("reports unknown kinds and names", async () => {
    await expect(mapper.mappingFor({ group: "x", kind: "Y", version: "v1" })).rejects.toThrow(
      'no matches for kind "Y" in version "x/v1": this API server does not serve it',
    );
    await expect(mapper.mappingFor({ group: "shop.example.com", kind: "Site" })).rejects.toThrow(
      'no matches for kind "Site" in group "shop.example.com": is its CustomResourceDefinition installed? (kubectl apply -f <definition>.yaml)',
    );
    await expect(mapper.mappingFor({ group: "gateway.networking.k8s.io", kind: "Gateway" })).rejects.toThrow(
      "does this API server have it, or is its CustomResourceDefinition installed?",
    );
    await expect(mapper.mappingFor({ group: "x", kind: "Y" })).rejects.toSatisfy(isNoMatch);
    await expect(mapper.mappingForResource("foos")).rejects.toThrow(`the server doesn't have a resource type "foos"`);
  });

  it("replaces a mapping that is added again", async () => {
    const own = new StaticRESTMapper();
    own.add(mappingOf({ group: "", version: "v1", kind: "Fish" }));
    own.add(mappingOf({ group: "", version: "v1", kind: "Fish", plural: "fish" }));
    expect((await own.mappingFor({ group: "", kind: "Fish" })).gvr.resource).toBe("fish");
  });
});

it.each([
  ["NetworkPolicy", "networkpolicies"],
  ["Gateway", "gateways"],
  ["Ingress", "ingresses"],
  ["Box", "boxes"],
  ["Endpoints", "endpoints"],
  ["Site", "sites"],
])("the plural of %s is %s", (kind, plural) => {
  expect(pluralOf(kind)).toBe(plural);
});
