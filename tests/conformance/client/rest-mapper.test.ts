import { defineKind, isNoMatch } from "@kubewright/apimachinery";
import { Discovery, DiscoveryRESTMapper } from "@kubewright/client";
import { describe, expect, it } from "vitest";
import { NotedConnection, useServer } from "./server.ts";

const { env } = useServer();
const siteOf = (group: string, scope: "Cluster" | "Namespaced" = "Namespaced") =>
  defineKind({ group, version: "v1", kind: "Site", scope, spec: { type: "object" } });
const mapping = () => {
  const connection = new NotedConnection(env().connection());
  return {
    connection,
    mapper: new DiscoveryRESTMapper(new Discovery(connection)),
    [Symbol.asyncDispose]: () => connection.close(),
  };
};

describe("a REST mapper", () => {
  it("CL-040 sends no requests before its first use, then few, then none", async () => {
    await using noted = mapping();
    expect(noted.connection.paths).toEqual([]);
    const found = await noted.mapper.mappingFor({ group: "apps", kind: "Deployment", version: "v1" });
    expect(found).toMatchObject({ gvr: { resource: "deployments" }, scope: "Namespaced" });
    expect(noted.connection.paths).toEqual(["/api", "/apis"]);
    await noted.mapper.mappingFor({ group: "", kind: "Pod" });
    await noted.mapper.mappingFor({ group: "apps", kind: "Deployment", version: "v1" });
    expect(noted.connection.paths).toHaveLength(2);
  });

  it.each([
    { group: "no.example.com", kind: "Deployment", version: "v1" },
    { group: "apps", kind: "No", version: "v1" },
    { group: "apps", kind: "Deployment", version: "v9" },
  ])("CL-041 finds no match for %o", async (kind) => {
    await using noted = mapping();
    await expect(noted.mapper.mappingFor(kind)).rejects.toSatisfy(isNoMatch);
  });

  it("CL-042 finds a kind that was registered after its first use", async () => {
    await using noted = mapping();
    const kind = { group: "late.example.com", kind: "Site", version: "v1" };
    await expect(noted.mapper.mappingFor(kind)).rejects.toSatisfy(isNoMatch);
    await env().installCrds([siteOf("late.example.com")]);
    expect(await noted.mapper.mappingFor(kind)).toMatchObject({ gvr: { resource: "sites" } });
  });

  it("CL-043 returns the server's preferred version by default, each time", async () => {
    const { crd } = siteOf("versions.example.com");
    const [v1] = crd.spec.versions;
    const versions = [{ ...v1, name: "v1beta1", storage: false }, v1, { ...v1, name: "v2alpha1", storage: false }];
    await env().installCrds([{ ...crd, spec: { ...crd.spec, versions } }]);
    for (let round = 0; round < 3; round++) {
      await using noted = mapping();
      const { gvk } = await noted.mapper.mappingFor({ group: "versions.example.com", kind: "Site" });
      expect(gvk.version).toBe("v1");
    }
  });

  it("CL-044 knows whether a kind is namespaced, for built-in kinds and those registered later", async () => {
    await using noted = mapping();
    const scopeOf = async (group: string, kind: string) => (await noted.mapper.mappingFor({ group, kind })).scope;
    expect(await scopeOf("", "ConfigMap")).toBe("Namespaced");
    expect(await scopeOf("", "Namespace")).toBe("Cluster");
    await env().installCrds([siteOf("in.example.com"), siteOf("out.example.com", "Cluster")]);
    expect(await scopeOf("in.example.com", "Site")).toBe("Namespaced");
    expect(await scopeOf("out.example.com", "Site")).toBe("Cluster");
  });
});
