import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Environment } from "@kubewright/envtest";
import {
  Client,
  createLogger,
  exponentialFailure,
  isNotFound,
  type Unstructured,
  unstructured,
} from "kubewright";
import { Ingress, Service } from "kubewright/kinds";
import { program, type RunningProgram } from "kubewright/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { annotation } from "./ingress.ts";
import { main } from "./main.ts";
import { role } from "./role.ts";

const named = (name: string) => ({ namespace: "default", name });
const lines: string[] = [];
let env: Environment;
let client: Client;
let running: RunningProgram;

beforeAll(async () => {
  env = await Environment.start();
  client = new Client({ connection: env.connection() });
  const logger = createLogger({
    level: "info",
    destination: { write: (line: string) => void lines.push(line) },
  });
  const rateLimiter = exponentialFailure({ baseMs: 1, maxMs: 5 });
  running = await program([{ env, role }], ([connection], signal) =>
    main(connection, signal, logger, { rateLimiter }),
  );
});
afterAll(async () => {
  await running.stop();
  await client.close();
  await env.stop();
});

const asks = { [annotation]: "yes" };
const createService = (
  name: string,
  annotations: Record<string, string> = {},
) =>
  client.create(Service, {
    metadata: { ...named(name), annotations },
    spec: { ports: [{ port: 8080 }] },
  });
const ingress = (name: string) => client.get(Ingress, named(name));
const backendOf = async (name: string) =>
  (await ingress(name)).spec?.rules?.[0]?.http?.paths[0]?.backend.service;
const isGone = (name: string) =>
  running.eventually(() => expect(ingress(name)).rejects.toSatisfy(isNotFound));
const eventsOf = (name: string) =>
  lines
    .map(
      (line) =>
        JSON.parse(line) as { msg: string; service: string; retries?: number },
    )
    .filter(({ service }) => service === `default/${name}`);

it("creates an Ingress for a Service with the annotation, and deletes it when the annotation is removed", async () => {
  await createService("quiet");
  const { metadata } = await createService("shop", asks);
  const { uid } = metadata;
  expect(await running.eventually(() => ingress("shop"))).toMatchObject({
    metadata: {
      ownerReferences: [
        { kind: "Service", name: "shop", uid, controller: true },
      ],
    },
    spec: {
      ingressClassName: "nginx",
      rules: [{ host: "shop.default.example.com" }],
    },
  });
  expect(await backendOf("shop")).toEqual({
    name: "shop",
    port: { number: 8080 },
  });

  await client.patch(Service, named("shop"), {
    metadata: { annotations: { [annotation]: null } },
  });
  await isGone("shop");
  await isGone("quiet");
});

it("restores a deleted or changed Ingress, and follows the Service's port", async () => {
  await createService("bank", asks);
  const { metadata } = await running.eventually(() => ingress("bank"));
  await client.delete(Ingress, named("bank"));
  await running.eventually(async () =>
    expect((await ingress("bank")).metadata.uid).not.toBe(metadata.uid),
  );
  await client.patch(Ingress, named("bank"), {
    spec: { ingressClassName: "other" },
  });
  await running.eventually(async () =>
    expect((await ingress("bank")).spec?.ingressClassName).toBe("nginx"),
  );
  await client.patch(Service, named("bank"), {
    spec: { ports: [{ port: 9090 }] },
  });
  await running.eventually(async () =>
    expect(await backendOf("bank")).toMatchObject({ port: { number: 9090 } }),
  );
});

it("retries ten times if an Ingress belongs to somebody else, then gives up until the Service changes", async () => {
  const spec = {
    defaultBackend: { service: { name: "club", port: { number: 80 } } },
  };
  const { metadata } = await client.create(Ingress, {
    metadata: named("club"),
    spec,
  });
  await createService("club", asks);
  await running.eventually(() => expect(eventsOf("club")).toHaveLength(1));
  expect(eventsOf("club")).toMatchObject([
    { msg: "giving up until the Service changes", retries: 10 },
  ]);
  expect((await ingress("club")).metadata.resourceVersion).toBe(
    metadata.resourceVersion,
  );

  await client.delete(Ingress, named("club"));
  await client.patch(Service, named("club"), {
    metadata: { labels: { touched: "yes" } },
  });
  await running.eventually(async () =>
    expect(await backendOf("club")).toMatchObject({ port: { number: 8080 } }),
  );
});

it("has manifests that an API server accepts, with the same role", async () => {
  const text = readFileSync(
    join(import.meta.dirname, "deploy", "ingress-manager.yaml"),
    "utf8",
  );
  const objects = parseAllDocuments(text).map(
    (document): Unstructured => document.toJS(),
  );
  for (const object of objects)
    await client.apply(unstructured(object), object, { fieldOwner: "deploy" });
  const { rules } = role;
  expect(objects).toContainEqual(
    expect.objectContaining({ kind: "ClusterRole", rules }),
  );
  expect(objects.map(({ kind }) => kind)).toEqual([
    "Namespace",
    "ServiceAccount",
    "ClusterRole",
    "ClusterRoleBinding",
    "Deployment",
  ]);
});
