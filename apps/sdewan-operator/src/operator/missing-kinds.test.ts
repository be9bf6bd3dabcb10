import { createServer } from "node:net";
import { unstructured } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import { CustomResourceDefinition } from "@kubewright/client/kinds";
import { systemClock } from "@kubewright/clock";
import { type ControlPlane, startControlPlane } from "@kubewright/controller-manager";
import { createLogger } from "@kubewright/log";
import type { Manager } from "@kubewright/manager";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { installCrds } from "../../demo/install.ts";
import { CNFNAT } from "../api/cnf-nat.ts";
import { CNFStatus } from "../api/cnf-status.ts";
import { CniInterface } from "../api/cni-interface.ts";
import { CNFService } from "../api/composite/cnf-service.ts";
import { FirewallForwarding } from "../api/firewall/firewall-forwarding.ts";
import { FirewallRule } from "../api/firewall/firewall-rules.ts";
import { apiKinds } from "../kinds/api-kinds.ts";
import { runOperator } from "./operator.ts";
import type { OperatorOptions } from "./operator-options.ts";

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });

const soon = { timeout: 60_000, interval: 50 };
const labels = { sdewanPurpose: "edge7" };
type ApiKind = (typeof apiKinds)[number];

let plane: ControlPlane;
let client: Client;

beforeAll(async () => {
  plane = await startControlPlane({});
  client = new Client({ connection: plane.connection() });
  await installCrds(client, systemClock, new AbortController().signal);
});
afterAll(async () => {
  await client.close();
  await plane.stop();
});

const definitionOf = ({ crd }: ApiKind) => crd.metadata.name;

async function uninstall(kind: ApiKind): Promise<void> {
  await client.delete(CustomResourceDefinition, definitionOf(kind));
  await vi.waitFor(async () => {
    const all = await client.list(CustomResourceDefinition);
    expect(all.map(({ metadata }) => metadata.name)).not.toContain(definitionOf(kind));
  }, soon);
}

const reinstall = (): Promise<void> => installCrds(client, systemClock, new AbortController().signal);

async function startOperator(options: Pick<OperatorOptions, "leaderElect" | "prepare"> = {}) {
  const [health, metrics] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  const lines: string[] = [];
  const stop = new AbortController();
  let outcome = "running";
  const running = runOperator(
    {
      connection: plane.connection(),
      metricsBindAddress: metrics,
      healthProbeBindAddress: health,
      checkIntervalMs: 100,
      statusNamespace: "default",
      leaderElectionNamespace: "default",
      resolve: async () => ["10.96.0.9"],
      logger: createLogger({ level: "info", destination: { write: (line) => void lines.push(line) } }),
      ...options,
    },
    stop.signal,
  ).then(
    () => (outcome = "stopped"),
    (error: unknown) => (outcome = String(error)),
  );
  const get = async (address: string, path: string): Promise<[number, string]> => {
    const response = await fetch(`http://${address}${path}`);
    return [response.status, await response.text()];
  };
  return {
    ready: () => get(health, "/readyz"),
    checks: async () => (await get(health, "/readyz?verbose"))[1],
    metrics: async () => (await get(metrics, "/metrics"))[1],
    lines,
    linesWith: (text: string) => lines.filter((line) => line.includes(text)),
    end: async () => {
      stop.abort();
      await running;
      return outcome;
    },
  };
}

let made = 0;

const specs: Readonly<Record<string, object>> = {
  FirewallRule: { target: "DROP" },
  FirewallForwarding: { src: "lan", dest: "wan" },
  CniInterface: {},
};

/** Creates a resource, and waits until its controller has reconciled it. */
async function isWorkedOn({ group, version, kind, crd }: ApiKind): Promise<void> {
  const metadata = { name: `probe-${made++}`, namespace: "default", labels };
  const object = { apiVersion: `${group}/${version}`, kind, metadata, spec: specs[kind] ?? {} };
  const served = unstructured({ ...object, scope: "Namespaced" as const, plural: crd.spec.names.plural });
  await client.create(served, object);
  await vi.waitFor(async () => expect(await client.get(served, metadata)).toHaveProperty("status"), soon);
}

const nameOf = ({ kind }: { readonly kind: string }): string => kind;

describe.each(apiKinds.map((kind) => [nameOf(kind), kind] as const))("an operator without %s", (_, kind) => {
  const probe = kind.kind === FirewallRule.kind ? FirewallForwarding : FirewallRule;

  it("is ready, works on all other kinds, and reports the missing one in one log line, in a metric and in the checks", async () => {
    await uninstall(kind);
    const operator = await startOperator();
    try {
      await vi.waitFor(async () => expect(await operator.ready()).toEqual([200, "ok"]), soon);
      await isWorkedOn(probe);
      const series = (value: number) => `sdewan_definition_missing{definition="${definitionOf(kind)}"} ${value}\n`;
      await vi.waitFor(async () => expect(await operator.metrics()).toContain(series(1)), soon);
      expect((await operator.metrics()).match(/^sdewan_definition_missing\{.*\} 1$/gm)).toHaveLength(1);
      expect(await operator.checks()).toContain(
        `[+]${definitionOf(kind)} ok: not served; components that need this kind are waiting: kubectl`,
      );
      expect(operator.linesWith("CRDs are missing")).toHaveLength(1);
      const unserved = (line: string): boolean => /no matches for kind|could not find the requested/.test(line);
      expect(operator.lines.filter(unserved)).toEqual([]);
      await reinstall();
      await vi.waitFor(async () => expect(await operator.metrics()).toContain(series(0)), soon);
      await vi.waitFor(async () => expect(await operator.checks()).toContain(`[+]${definitionOf(kind)} ok\n`), soon);
      expect(operator.linesWith("CRDs are missing")).toHaveLength(1);
    } finally {
      const ended = await operator.end();
      await reinstall();
      expect(ended).toBe("stopped");
    }
  });
});

describe("an operator whose kinds appear and disappear", () => {
  it("starts a kind when it appears, continues without it when it is deleted, and starts it again when it is back", async () => {
    await uninstall(CniInterface);
    const operator = await startOperator();
    try {
      await isWorkedOn(FirewallRule);
      await reinstall();
      await isWorkedOn(CniInterface);
      for (const _ of [1, 2]) {
        await uninstall(CniInterface);
        await vi.waitFor(async () => expect(await operator.checks()).toContain("ok: not served"), soon);
        expect(await operator.ready()).toEqual([200, "ok"]);
        await isWorkedOn(FirewallRule);
        await reinstall();
        await isWorkedOn(CniInterface);
      }
      expect(operator.linesWith("CRDs are missing")).toHaveLength(3);
    } finally {
      expect(await operator.end()).toBe("stopped");
    }
  }, 120_000);

  it("keeps the children of a composite of an existing kind, and creates the others when their kind appears", async () => {
    await uninstall(CNFNAT);
    let manager: Manager | undefined;
    const prepare = (made: Manager): void => {
      manager = made;
    };
    const watched = (): readonly string[] => {
      const controllers = manager?.describe().controllers ?? [];
      return controllers.filter(({ name }) => name === "cnfservice").flatMap(({ watches }) => watches.map(nameOf));
    };
    const operator = await startOperator({ prepare });
    const key = { namespace: "default", name: "web" };
    try {
      await client.create(CNFService, { metadata: { ...key, labels }, spec: { fullname: "web.example", port: "80" } });
      await vi.waitFor(async () => {
        expect((await client.get(CNFService, key)).status?.message ?? "").toContain("kind CNFNAT: install its CRD");
      }, soon);
      expect(watched()).toEqual([]);
      await reinstall();
      await vi.waitFor(() => expect(watched()).toEqual(["CNFNAT"]), soon);
      const nat = { ...key, name: "webnat" };
      const hasChild = async (): Promise<void> =>
        expect((await client.get(CNFNAT, nat)).spec?.dest_ip).toBe("10.96.0.9");
      await vi.waitFor(hasChild, soon);
      await client.delete(CNFNAT, nat);
      await vi.waitFor(hasChild, soon);
      await client.delete(CNFService, key);
      await vi.waitFor(async () => expect(await client.list(CNFNAT)).toEqual([]), soon);
    } finally {
      expect(await operator.end()).toBe("stopped");
    }
  }, 120_000);

  it("maintains the status of the CNFs once its kind exists", async () => {
    await uninstall(CNFStatus);
    const operator = await startOperator();
    try {
      await isWorkedOn(FirewallRule);
      expect(operator.linesWith("cannot be written")).toEqual([]);
      await reinstall();
      await vi.waitFor(async () => {
        expect((await client.get(CNFStatus, "default/cnf-status")).status?.appliedTime).toBeDefined();
      }, soon);
    } finally {
      expect(await operator.end()).toBe("stopped");
    }
  }, 120_000);

  it("stops in time while it waits for a kind, as leader or not", async () => {
    await uninstall(CniInterface);
    const [first, second] = [await startOperator({ leaderElect: true }), await startOperator({ leaderElect: true })];
    try {
      for (const operator of [first, second]) {
        await vi.waitFor(async () => expect(await operator.ready()).toEqual([200, "ok"]), soon);
        await vi.waitFor(() => expect(operator.linesWith("CRDs are missing")).toHaveLength(1), soon);
      }
    } finally {
      expect([await first.end(), await second.end()]).toEqual(["stopped", "stopped"]);
      await reinstall();
    }
  }, 120_000);
});
