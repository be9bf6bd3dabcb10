import process from "node:process";
import { fileURLToPath } from "node:url";
import { defineKind } from "@kubewright/apimachinery";
import { Client, Connection } from "@kubewright/client";
import { ConfigMap } from "@kubewright/client/kinds";
import { ApiServer } from "@kubewright/kube-apiserver";
import { Type } from "typebox";
import { expect, it } from "vitest";
import { isPlanError, planProgram } from "./index.ts";

const Page = defineKind({
  group: "shop.example.com",
  version: "v1",
  kind: "Page",
  scope: "Namespaced",
  spec: Type.Object({ title: Type.String({ minLength: 1 }) }),
});
const program = fileURLToPath(new URL("../foreign/testing/page-program.ts", import.meta.url));
const { signal } = new AbortController();

it("plans a program that runs in another process", { timeout: 120_000 }, async () => {
  await using live = await ApiServer.start({ listen: false, crds: [Page.crd] });
  const client = new Client({ connection: new Connection(live.connection()), fieldOwner: "test" });
  const { connection } = client;
  const common = { connection, cwd: import.meta.dirname, env: process.env, quietMs: 2_000, signal };
  await client.create(Page, { metadata: { namespace: "default", name: "north" }, spec: { title: "North" } });
  const labels = { app: "web" };
  const object = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { namespace: "default", name: "web" },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } },
    },
  };
  const manifests = [{ object, source: "web.yaml" }];
  const settled = await planProgram({ ...common, command: [process.execPath, program], manifests, settle: true });
  const { changes } = settled;
  expect(changes.map(({ kind, cause }) => `${kind} (${cause})`)).toEqual([
    "ConfigMap (Page default/north)",
    "Deployment (web.yaml)",
  ]);
  expect(changes[1]?.fields).toContainEqual({ path: "status", to: expect.objectContaining({ readyReplicas: 1 }) });
  expect(settled.limits).toContain(
    "other operators did not run; new pods ran on a simulated node, without their images",
  );
  const report = await planProgram({ ...common, command: [process.execPath, program] });
  expect(report.changes).toMatchObject([
    { action: "create", kind: "ConfigMap", namespace: "default", name: "north", cause: "Page default/north" },
  ]);
  expect(report.limits.at(-1)).toMatch(/child processes and its connections to other systems were not refused/);
  expect(await client.list(ConfigMap, { namespace: "default" })).toEqual([]);
  const failing = planProgram({ ...common, command: ["sh", "-c", "echo no config; exit 7"] });
  const error = await failing.catch((error: unknown) => error);
  expect(isPlanError(error) && [error.reason, error.message]).toEqual([
    "program",
    "the program exited with code 7. It printed:\nno config",
  ]);
  await client.close();
});
