import { ignoreNotFound, type Unstructured, unstructured } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import { systemClock } from "@kubewright/clock";
import { startControlPlane } from "@kubewright/controller-manager";
import { operator } from "kubewright/testing";
import { expect, it, onTestFinished } from "vitest";
import { CNFStatus } from "../src/api/cnf-status.ts";
import type { SessionPool } from "../src/cnf/session/session-pool.ts";
import { apiKinds } from "../src/kinds/api-kinds.ts";
import { managerOptions } from "../src/operator/manager-options.ts";
import { setupOperator } from "../src/operator/operator.ts";
import type { OperatorOptions } from "../src/operator/operator-options.ts";
import { missingCertificates } from "./cnf-certificates.ts";
import { CnfSimulators } from "./cnf-simulators.ts";
import { install, installCrds } from "./install.ts";
import { inApp, readManifests } from "./manifests.ts";

const patience = { timeoutMs: 60_000 };

interface Status {
  readonly state?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}
const isWell = (status?: Status): boolean =>
  status?.state === "In Sync" ||
  (status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false);

const kindsOf = (samples: readonly Unstructured[]) => {
  const byKind = Map.groupBy(samples, ({ kind }) => kind);
  return apiKinds.flatMap(({ kind }) => {
    const [first] = byKind.get(kind) ?? [];
    return first ? [unstructured(first)] : [];
  });
};

it("applies and deletes all samples with only the permissions of the generated roles", async () => {
  const simulators = new CnfSimulators();
  const plane = await startControlPlane({ images: simulators.images });
  onTestFinished(() => plane.stop());
  const client = new Client({ connection: plane.connection() });
  onTestFinished(() => client.close());
  const cnfs = await readManifests(inApp("cnfs"));
  const samples = await readManifests(inApp("samples"));
  await installCrds(client, systemClock, new AbortController().signal, cnfs);
  expect(await install(client, [...missingCertificates(cnfs), ...cnfs])).toEqual([]);

  const options: OperatorOptions = {
    metricsBindAddress: "0",
    leaderElect: true,
    leaderElectionNamespace: "default",
    statusNamespace: "default",
    checkIntervalMs: 500,
    resolve: async () => ["10.96.0.9"],
  };
  const env = {
    connection: () => plane.connection(),
    addUser: async (user: { readonly name: string; readonly groups?: readonly string[] }) => {
      plane.server.addUser({ name: user.name, groups: user.groups ?? [] });
      return plane.server.connection(user.name);
    },
  };
  const pools: SessionPool[] = [];
  const { connection: _connection, client: _client, ...ofManager } = managerOptions(options);
  const setup: Parameters<typeof operator>[1] = (manager) => {
    const { pool, work } = setupOperator(manager, options);
    pools.push(pool);
    work();
  };
  const running = await operator(env, setup, { ...ofManager, observedFile: inApp("config/rbac/observed.json") });
  onTestFinished(async () => {
    await Promise.all(pools.map((pool) => pool.close()));
    await running.stop();
  });

  expect(await install(client, samples)).toEqual([]);
  const used = kindsOf(samples);
  expect(used.length).toBeGreaterThan(15);
  for (const kind of used)
    await running.eventually(async () => {
      const states = (await client.list(kind)).map(({ status }) => status as Status | undefined);
      expect(states.some(isWell), `${kind.kind}: ${JSON.stringify(states)}`).toBe(true);
    }, patience);

  const made = used.filter(({ kind }) => kind !== CNFStatus.kind); // the operator maintains that object: it creates another one
  for (const kind of made)
    for (const { metadata } of await client.list(kind)) await client.delete(kind, metadata).catch(ignoreNotFound); // composites delete their children
  for (const kind of made)
    await running.eventually(async () => expect(await client.list(kind), kind.kind).toEqual([]), patience);
}, 300_000);
