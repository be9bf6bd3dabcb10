import type { Kind, KubeObject } from "@kubewright/apimachinery";
import { Client, type ConnectionSettings } from "@kubewright/client";
import { ClusterRole, ClusterRoleBinding, ConfigMap, Secret, ServiceAccount } from "@kubewright/client/kinds";
import {
  Controller,
  enqueueRequestForObject,
  kindSource,
  type Predicate,
  type Reconciler,
} from "@kubewright/controller";
import { Manager, type ManagerOptions } from "@kubewright/manager";
import { addConsole, type Console, type ConsoleOptions } from "../console.ts";
import { sessionHeader } from "../security/sessions.ts";

/** An API server for tests. An `Environment` satisfies this interface. */
export interface TestPlane {
  connection(): ConnectionSettings;
  serviceAccountToken(
    account: { readonly namespace: string; readonly name: string },
    options: { readonly expiresInSeconds: number },
  ): Promise<string>;
}

/** A manager with two controllers and a console, on an embedded control plane. */
export interface LiveConsole extends AsyncDisposable {
  readonly client: Client;
  readonly manager: Manager;
  readonly view: Console;
  /** Origin of the console, such as `http://127.0.0.1:8090`. */
  readonly origin: string;
  /** Lets the reconciles of objects named `slow` continue. */
  release(): void;
  /** Returns a token for a service account that may read the console's paths, and get and list core resources. */
  tokenOf(
    name: string,
    mayGet: readonly string[],
    paths?: readonly string[],
    mayList?: readonly string[],
  ): Promise<string>;
  /** Returns headers with a new session. */
  session(): Promise<{ readonly [sessionHeader]: string }>;
}

/**
 * Starts a manager whose main controller fails for ConfigMaps named `broken…`, waits for the ConfigMap `slow`, and
 * copies the ConfigMap `web` into a Secret.
 */
export async function liveConsole(
  env: TestPlane,
  logger: Manager["logger"],
  options: Partial<ConsoleOptions> = {},
  managerOptions: ManagerOptions = {},
): Promise<LiveConsole> {
  const client = new Client({ connection: env.connection() });
  const manager = new Manager({
    connection: env.connection(),
    name: "shop",
    metrics: { bindAddress: "0" },
    logger,
    ...managerOptions,
  });
  const gate = Promise.withResolvers<void>();
  addController(manager, "mirror", ConfigMap, async (request, context) => {
    const [namespace = "", name = ""] = request.split("/");
    if (name.startsWith("broken")) throw new Error("the <b>device</b> is off");
    if (name.startsWith("web-")) context.log.info(`seen ${request}`);
    if (name === "slow") await gate.promise;
    if (name !== "web") return;
    const metadata = { namespace, name: `${name}-copy` };
    await context.client.apply(Secret, { metadata, stringData: { key: "swordfish" } }, { fieldOwner: "mirror" });
    context.recorder.event(await context.client.get(ConfigMap, request), {
      type: "Normal",
      reason: "Copied",
      action: "Copy",
      note: "copied into a Secret",
    });
  });
  addController(manager, "vault", Secret, () => ({ requeueAfterMs: 3_600_000 }));
  const view = addConsole(manager, { bindAddress: "127.0.0.1:0", ...options });
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  await Promise.race([view.ready(), running]);
  const scheme = options.tls ? "https" : "http";
  const origin = `${scheme}://127.0.0.1:${view.port}`;
  return {
    client,
    manager,
    view,
    origin,
    release: () => gate.resolve(),
    tokenOf: (name, mayGet, paths = ["/debug/kubewright/*"], mayList = []) =>
      tokenOf(env, client, name, { mayGet, paths, mayList }),
    async session() {
      const token = view.newUrl().split("#t=")[1] ?? "";
      const answer = await fetch(`${origin}/debug/kubewright/v1/session`, { method: "POST", body: token });
      const { session } = (await answer.json()) as { readonly session: string };
      return { [sessionHeader]: session };
    },
    async [Symbol.asyncDispose]() {
      gate.resolve();
      stop.abort();
      await running;
      await client.close();
    },
  };
}

async function tokenOf(
  env: TestPlane,
  client: Client,
  name: string,
  {
    mayGet,
    paths,
    mayList,
  }: { readonly mayGet: readonly string[]; readonly paths: readonly string[]; readonly mayList: readonly string[] },
): Promise<string> {
  const metadata = { name, namespace: "default" };
  await client.create(ServiceAccount, { metadata });
  const rules = [
    ...(paths.length > 0 ? [{ nonResourceURLs: [...paths], verbs: ["get"] }] : []),
    ...(mayGet.length > 0 ? [{ apiGroups: [""], resources: [...mayGet], verbs: ["get"] }] : []),
    ...(mayList.length > 0 ? [{ apiGroups: [""], resources: [...mayList], verbs: ["list"] }] : []),
  ];
  await client.create(ClusterRole, { metadata: { name }, rules });
  await client.create(ClusterRoleBinding, {
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
    subjects: [{ kind: "ServiceAccount", name, namespace: "default" }],
  });
  return env.serviceAccountToken(metadata, { expiresInSeconds: 600 });
}

/** Adds a controller for a kind to a manager, as a builder does. */
export function addController<T extends KubeObject>(
  manager: Manager,
  name: string,
  kind: Kind<T>,
  reconcile: Reconciler,
  predicates: readonly Predicate<T>[] = [],
): void {
  manager.add(
    new Controller({
      name,
      reconcile,
      cacheSyncTimeoutMs: 3_600_000,
      client: manager.client,
      cache: manager.cache,
      liveReader: manager.apiReader,
      sources: [kindSource(manager.cache, kind, { handler: enqueueRequestForObject(), predicates })],
      described: { for: kind },
      recorder: manager.recorderFor(name),
      logger: manager.logger,
      clock: manager.clock,
      sharding: manager.shards,
      metrics: manager.controllerMetrics,
      queueMetrics: manager.queueMetrics,
    }),
  );
}
