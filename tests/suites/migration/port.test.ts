import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isNotFound, isRecord } from "@kubewright/apimachinery";
import { main } from "@kubewright/cli";
import { Client } from "@kubewright/client";
import { parseManifests } from "@kubewright/client/apply";
import { ConfigMap } from "@kubewright/client/kinds";
import { breakingChanges } from "@kubewright/codegen";
import { Environment } from "@kubewright/envtest";
import { Manager } from "kubewright";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import * as fromControllerRuntime from "./from-controller-runtime.ts";
import * as fromKopf from "./from-kopf.ts";
import { Site } from "./sites.ts";

const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const textOf = (name: string): string => readFileSync(file(name), "utf8");
const formerPrograms = [
  {
    former: "controller-runtime",
    operator: fromControllerRuntime,
    owner: "migration",
    finalizer: "shop.example.com/record",
  },
  {
    former: "kopf",
    operator: fromKopf,
    owner: "OpenAPI-Generator",
    finalizer: "kopf.zalando.org/KopfFinalizerMarker",
  },
];
const eventually = <T>(check: () => Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 30_000, interval: 20 });

describe("objects of a former program", () => {
  let env: Environment;
  let client: Client;
  beforeAll(async () => {
    env = await Environment.start({ crds: [file("crd.yaml")] });
    client = new Client({ connection: env.connection() });
    await client.create(
      { group: "", version: "v1", kind: "Namespace", plural: "namespaces", scope: "Cluster" },
      {
        metadata: { name: "records" },
      },
    );
  });
  afterAll(async () => {
    await client?.close();
    await env?.stop();
  });

  it.each(formerPrograms)(
    "are taken over from $former, and cleaned up",
    async ({ former, operator, owner, finalizer }) => {
      const name = former;
      const fieldOwner = { fieldOwner: owner };
      const metadata = { name, namespace: "default", finalizers: [finalizer] };
      await client.create(Site, { metadata, spec: { title: "North" } });
      const record = { namespace: "records", name };
      const page = { namespace: "default", name: `${name}-page` };
      await client.create(ConfigMap, { metadata: record, data: { title: "Old" } }, fieldOwner);
      const data = { "index.html": "<h1>Old</h1>", generator: former };
      await client.create(ConfigMap, { metadata: page, data }, fieldOwner);

      const stop = new AbortController();
      const manager = new Manager({
        ...operator.options,
        connection: env.connection(),
        metrics: { bindAddress: "0" },
        leaderElection: undefined,
      });
      operator.setup(manager);
      const printing = vi.spyOn(process.stdout, "write").mockReturnValue(true);
      const running = manager.run(stop.signal);
      try {
        await eventually(async () => {
          const objects = [await client.get(ConfigMap, record), await client.get(ConfigMap, page)];
          expect(objects.map((one) => one.data)).toEqual([{ title: "North" }, { "index.html": "<h1>North</h1>" }]);
          for (const {
            metadata: { managedFields },
          } of objects)
            expect(managedFields).toMatchObject([{ manager: "sites", operation: "Apply" }]);
        });
        await client.delete(Site, `default/${name}`);
        await eventually(() => expect(client.get(Site, `default/${name}`)).rejects.toSatisfy(isNotFound));
        await expect(client.get(ConfigMap, record)).rejects.toSatisfy(isNotFound);
      } finally {
        stop.abort();
        await running;
        printing.mockRestore();
      }
    },
  );
});

it("declares the CRD of the former programs", () => {
  const [crd] = parseManifests(textOf("crd.yaml"), "crd.yaml").manifests;
  const ours = { ...Site.crd };
  if (!crd || !isRecord(ours)) throw new Error("no CRD");
  expect(breakingChanges(crd.object, ours)).toEqual([]);
  expect(breakingChanges(ours, crd.object)).toEqual([]);
});

describe("roles of the former programs", () => {
  let root: string;
  const roles = parseManifests(textOf("roles.yaml"), "roles.yaml").manifests.map(({ object }) => object);
  const kubewright = async (...words: readonly string[]): Promise<string> => {
    let output = "";
    const keep = (text: string): void => {
      output += text;
    };
    const env = { ...process.env, NODE_OPTIONS: "--conditions=@kubewright/source" };
    await main(words, { out: keep, err: keep, env, cwd: root });
    return output;
  };
  /** Returns what `kubewright check` prints with a role in place of the generated one. */
  const check = (name: string): Promise<string> => {
    const role = roles.find(({ metadata }) => metadata.name === name);
    const renamed = { ...role, metadata: { name: "sites-manager-role" } };
    writeFileSync(join(root, "config/rbac/role.yaml"), JSON.stringify(renamed));
    return kubewright("check", "--against", file("crd.yaml"));
  };

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), "kubewright-port-"));
    symlinkSync(fileURLToPath(new URL("../../../node_modules", import.meta.url)), join(root, "node_modules"));
    mkdirSync(join(root, "src"));
    writeFileSync(join(root, "package.json"), JSON.stringify({ name: "sites", type: "module" }));
    const project = { name: "sites", domain: "example.com", version: "0.1.0", namespaced: false, ci: "none" };
    writeFileSync(join(root, "kubewright.json"), JSON.stringify(project));
    writeFileSync(join(root, "src/sites.ts"), textOf("sites.ts"));
    writeFileSync(join(root, "src/operator.ts"), textOf("from-controller-runtime.ts"));
    await kubewright("generate");
  }, 120_000);
  afterAll(() => rmSync(root, { recursive: true }));

  it("permits all requests, if it is the role of the controller-runtime program", { timeout: 60_000 }, async () => {
    const printed = await check("controller-runtime");
    expect(printed).toContain("config/rbac: update configmaps: is not used by the program");
    expect(printed).not.toContain("is missing");
  });

  it("lacks permissions, if it is the role of the kopf program", { timeout: 60_000 }, async () => {
    const printed = await check("kopf");
    expect(printed).toContain("config/rbac: get, list, watch configmaps: is missing");
    expect(printed).toContain("config/rbac: update sites/finalizers.shop.example.com: is missing");
  });

  it("is complete and minimal, if it is the port's role", { timeout: 60_000 }, async () => {
    const printed = await check("port");
    expect(printed).not.toContain("is missing");
    expect(printed.match(/^config\/rbac: .* is not used by the program/gm)).toEqual([
      expect.stringContaining("create, get, update leases.coordination.k8s.io"), // generated as a Role for one Lease
    ]);
  });
});
