import { subscribe } from "node:diagnostics_channel";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestConnection } from "@kubewright/envtest";
import { createLogger } from "@kubewright/log";
import { Manager } from "kubewright";
import { runOperator } from "sdewan-operator";
import { serviceAddress } from "./templates.ts";

/** The configuration of a replica, as JSON in its first argument. */
export interface ReplicaOrder {
  readonly program: "operator" | "cronjob";
  readonly connection: TestConnection;
  /** Namespace of its Lease and of the Secret with its certificate. */
  readonly namespace: string;
  /** URL at which API servers call the webhooks of all replicas. */
  readonly url: string;
  /** Lifetimes and waiting times of its certificates, in milliseconds. */
  readonly times: Readonly<Record<string, number>>;
}

/** Figures of a replica, after a garbage collection. */
export interface ReplicaFigures {
  readonly rss: number;
  readonly heap: number;
  readonly watches: number;
  /** Its metrics in Prometheus' text format. */
  readonly metrics: string;
}

/** Objects that make API servers call the webhooks. */
export type Configurations = ReturnType<Manager["webhooks"]["configurations"]>;

/** What a replica reports to the process that started it. */
export type ReplicaReport =
  | { readonly configurations: Configurations }
  | { readonly port: number | undefined; readonly ready: boolean; readonly leads: boolean }
  | { readonly phase: string }
  | { readonly figures: ReplicaFigures };

const order: ReplicaOrder = JSON.parse(process.argv[2] ?? "{}");
const send = (report: ReplicaReport): void => void process.send?.(report);
process.on("disconnect", () => process.exit());

/** Open watches of this process, as the HTTP client reports the beginning and the end of requests. */
const watches = new Set<unknown>();
subscribe("undici:request:create", (message) => {
  const { request } = message as { readonly request: { readonly path: string } };
  if (/[?&]watch=(true|1)/.test(request.path)) watches.add(request);
});
for (const end of ["undici:request:trailers", "undici:request:error"])
  subscribe(end, (message) => void watches.delete((message as { readonly request: unknown }).request));

/** Reports the state of a manager whenever it changes, and its figures on request. */
function follow(manager: Manager): void {
  const { certificateMetrics } = manager;
  const counted = certificateMetrics.phase;
  certificateMetrics.phase = (phase) => {
    counted(phase);
    send({ phase });
  };
  process.on("message", async () => {
    globalThis.gc?.();
    const { rss, heapUsed: heap } = process.memoryUsage();
    send({ figures: { rss, heap, watches: watches.size, metrics: await manager.metrics.metrics() } });
  });
  void (async () => {
    let last = "";
    for (;;) {
      const { server, port } = manager.webhooks;
      const ready = await Promise.resolve(server?.check()).then(
        () => port !== undefined,
        () => false,
      );
      const state = { port, ready, leads: manager.leadership.leads };
      if (JSON.stringify(state) !== last) send(state);
      last = JSON.stringify(state);
      await sleep(50);
    }
  })();
}

const { connection, namespace, url, times } = order;
const logger = createLogger({ level: "info" });
const certificates = (name: string) => ({
  ...{ secret: `${namespace}/${name}-cert`, createSecret: true, dnsNames: ["127.0.0.1"], times },
});
const webhooks = { host: "127.0.0.1", port: 0 };
const { signal } = new AbortController();

if (order.program === "operator")
  await runOperator(
    {
      ...{ connection, logger, leaderElect: true, leaderElectionNamespace: namespace, statusNamespace: namespace },
      metricsBindAddress: "0",
      resolve: async () => [serviceAddress],
      webhooks: {
        ...webhooks,
        certificates: certificates("sdewan"),
        listening: async (served) =>
          send({ configurations: served.configurations({ name: "sdewan", namespace, url }) }),
      },
      prepare: follow,
    },
    signal,
  );
else {
  const manager = new Manager({
    ...{ connection, logger, fieldOwner: "cronjob-controller", metrics: { bindAddress: "0" } },
    leaderElection: { id: "cronjob-controller", namespace, releaseOnCancel: true },
    webhooks: { ...webhooks, certificates: { ...certificates("cronjob"), name: "cronjob" } },
  });
  const example = new URL("../../../examples/08-cronjob/main.ts", import.meta.url).href;
  const { setup }: { readonly setup: (manager: Manager) => void } = await import(example);
  setup(manager);
  follow(manager);
  const running = manager.run(signal);
  while (manager.webhooks.port === undefined) await sleep(20);
  send({ configurations: manager.webhooks.configurations({ name: "cronjob", namespace, url }) });
  await running;
}
