import { byKey, type KubeObject } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import { silentLogger } from "@kubewright/log";
import { CNFNAT } from "../api/cnf-nat.ts";
import { CNFRoute } from "../api/cnf-route.ts";
import { everyNamespace } from "../cnf/cnf-scope.ts";
import type { CompositeKind, CompositeObject } from "../composites/composite-kind.ts";
import { CompositeReconciler } from "../composites/composite-reconciler.ts";
import { Names } from "../resolve/names.ts";
import type { RuleObject } from "../uci/cnf-kind.ts";
import { FakeCluster } from "./fake-cluster.ts";
import { recordedEvents } from "./recorded-events.ts";

const labels = { sdewanPurpose: "edge7", "sdewan-bucket-type": "a-bucket" };

/** Returns an error as thrown by a resolver. */
export const dnsError = (code: string): Error => Object.assign(new Error(`getaddrinfo ${code}`), { code });

/** Creates a composite in a fake cluster, with a resolver that returns the addresses in `dns`. */
export function startComposite(kind: CompositeKind, name = "web") {
  const cluster = new FakeCluster();
  const dns = new Map<string, readonly string[] | Error>();
  const resolve = async (name: string): Promise<string[]> => {
    const response = dns.get(name) ?? dnsError("ENOTFOUND");
    if (response instanceof Error) throw response;
    return [...response];
  };
  const { reporter, reasons } = recordedEvents();
  const names = new Names({ resolve, clock: new FakeClock() });
  const reconciler = new CompositeReconciler({
    kind,
    names,
    endpoint: { scheme: "https" },
    scope: everyNamespace,
    checkIntervalMs: 30_000,
    reporter,
  });
  const key = `default/${name}`;
  const reconcile = () =>
    reconciler.reconcile(key, { client: cluster.client, log: silentLogger, signal: new AbortController().signal });
  const stored = (): CompositeObject | undefined => cluster.peek<CompositeObject>(kind.kind, key);
  /** Sets the spec like a user. */
  const put = (spec: object, metadata: Partial<KubeObject["metadata"]> = {}): void => {
    const before = stored();
    cluster.put<CompositeObject>(kind.kind, {
      ...before,
      metadata: { ...before?.metadata, name, namespace: "default", labels, ...metadata },
      spec,
    });
  };
  const children = async (): Promise<readonly RuleObject[]> => {
    const [nats, routes] = [await cluster.client.list(CNFNAT), await cluster.client.list(CNFRoute)];
    return structuredClone([...nats.toSorted(byKey), ...routes.toSorted(byKey)] as RuleObject[]);
  };
  /** Returns the kind, name and spec of each child. */
  const shown = async () => (await children()).map((child) => [child.kind, child.metadata.name, child.spec]);
  /** Sets the status of the children like the rule reconcilers. */
  const settle = async (status: NonNullable<RuleObject["status"]> = { state: "In Sync" }): Promise<void> => {
    for (const child of await children())
      cluster.restore({ ...child, status: { appliedGeneration: child.metadata.generation ?? 0, ...status } });
  };
  /** Reconciles with every child in sync. */
  const settled = async () => {
    await reconcile();
    await settle();
    await reconcile();
    return stored()?.status;
  };
  return { cluster, dns, reconcile, put, stored, children, shown, settle, settled, reasons };
}
