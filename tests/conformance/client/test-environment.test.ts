import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineKind, isNoMatch } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import { CustomResourceDefinition } from "@kubewright/client/kinds";
import { Environment } from "@kubewright/envtest";
import { afterAll, describe, expect, it } from "vitest";
import { useServer } from "./server.ts";

const folder = mkdtempSync(join(tmpdir(), "envtest-"));
afterAll(() => rmSync(folder, { recursive: true }));
const siteOf = (group: string, extra: object = {}) =>
  defineKind({ group, version: "v1", kind: "Site", scope: "Namespaced", spec: { type: "object", ...extra } });
const written = (name: string, ...definitions: object[]): string => {
  const file = join(folder, name);
  writeFileSync(file, definitions.map((each) => JSON.stringify(each)).join("\n---\n"));
  return file;
};

describe("definitions", () => {
  const { env, client } = useServer();

  it("CL-101 CL-103 are installed from folders, files and objects, once each, and then served", async () => {
    const [one, two, three] = [siteOf("one.example.com"), siteOf("two.example.com"), siteOf("three.example.com")];
    written("one.yaml", one.crd, two.crd);
    await env().installCrds([folder, written("one.json", one.crd), three, three.crd]);
    for (const kind of [one, two, three]) expect(await client().list(kind)).toEqual([]);
  });

  it("CL-103 are updated if they exist already", async () => {
    await env().installCrds([siteOf("updated.example.com")]);
    await env().installCrds([siteOf("updated.example.com", { properties: { image: { type: "string" } } })]);
    const { spec } = await client().get(CustomResourceDefinition, "sites.updated.example.com");
    expect(JSON.stringify(spec)).toContain("image");
  });

  it("CL-102 may be missing, unless that is configured to be an error", async () => {
    const missing = join(folder, "missing");
    await expect(env().installCrds([missing])).resolves.toBeUndefined();
    const strict = Environment.start({ crds: [missing], errorIfCrdPathMissing: true });
    await expect(strict).rejects.toThrow(missing);
  });

  it("CL-104 are removed again", async () => {
    const kind = siteOf("removed.example.com");
    await env().installCrds([kind]);
    await env().uninstallCrds([kind]);
    await expect(client().list({ ...kind, plural: undefined } as never)).rejects.toSatisfy(isNoMatch);
  });
});

describe("an environment", () => {
  it("CL-104 can be stopped twice, and is gone", async () => {
    const env = await Environment.start();
    await using client = new Client({ connection: env.connection() });
    await client.list(CustomResourceDefinition);
    await env.stop();
    await env.stop();
    await expect(client.list(CustomResourceDefinition)).rejects.toThrow();
  });

  it("takes only the programs in a folder", async () => {
    await expect(Environment.start({ assets: join(folder, "none") })).rejects.toThrow(
      "does not exist; set KUBEBUILDER_ASSETS",
    );
    await using env = await Environment.start({ assets: "" });
    expect(env.bed).toBe("embedded");
  });

  it("CL-106 reports the output of a program that does not start, or is not ready in time", async () => {
    const assets = mkdtempSync(join(folder, "assets-"));
    const program = (name: string, text: string): void => {
      writeFileSync(join(assets, name), `#!/bin/sh\n${text}\n`);
      chmodSync(join(assets, name), 0o755);
    };
    program("etcd", "echo etcd is here; sleep 60");
    program("kube-apiserver", "echo no luck today; exit 3");
    await expect(Environment.start({ assets })).rejects.toThrow(/exited while starting; output:\n.*no luck today/s);
    program("kube-apiserver", "echo not yet; sleep 60");
    await expect(Environment.start({ assets, startTimeoutMs: 500 })).rejects.toThrow(
      /is not ready after 500 ms.*not yet/s,
    );
  });
});
