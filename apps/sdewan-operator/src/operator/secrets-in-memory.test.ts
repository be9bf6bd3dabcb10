import { Client, Connection, type ConnectionRequest } from "@kubewright/client";
import { Deployment, Secret } from "@kubewright/client/kinds";
import { systemClock } from "@kubewright/clock";
import { startControlPlane } from "@kubewright/controller-manager";
import { afterEach, expect, it, vi } from "vitest";
import { CnfSimulators } from "../../demo/cnf-simulators.ts";
import { installCrds } from "../../demo/install.ts";
import { FirewallRule } from "../api/firewall/firewall-rules.ts";
import { runOperator } from "./operator.ts";

/** Records requests about Secrets. */
class NotedConnection extends Connection {
  readonly noted: { readonly path: string; readonly accept: string }[] = [];

  override request(request: ConnectionRequest): ReturnType<Connection["request"]> {
    this.#note(request);
    return super.request(request);
  }

  override stream(request: ConnectionRequest): ReturnType<Connection["stream"]> {
    this.#note(request);
    return super.stream(request);
  }

  #note({ path, headers = {} }: ConnectionRequest): void {
    if (path.includes("/secrets")) this.noted.push({ path, accept: JSON.stringify(headers) });
  }
}

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

it("the operator lists the metadata of Secrets, reads only Secrets that CNFs name, and uses a new password immediately", async () => {
  const simulators = new CnfSimulators();
  const plane = await startControlPlane({ images: simulators.images });
  closers.push(() => plane.stop());
  const client = new Client({ connection: plane.connection() });
  closers.push(() => client.close());
  await installCrds(client, systemClock, new AbortController().signal);
  const namespace = "default";
  for (const name of ["account", "somebody-elses"])
    await client.create(Secret, { metadata: { name, namespace }, type: "Opaque", stringData: { password: "first" } });
  const labels = { sdewanPurpose: "edge7", "cnf-account-secret": "account" };
  await client.create(Deployment, {
    metadata: { name: "cnf", namespace, labels: { sdewanPurpose: "edge7" } },
    spec: {
      selector: { matchLabels: { sdewanPurpose: "edge7" } },
      template: {
        metadata: { labels, annotations: { "k8s.plugin.opnfv.org/nfn-network": '{"interface": []}' } },
        spec: { containers: [{ name: "cnf", image: "kubewright/cnf-simulator:latest" }] },
      },
    },
  });
  await client.create(FirewallRule, {
    metadata: { name: "a", namespace, labels: { sdewanPurpose: "edge7" } },
    spec: { target: "DROP" },
  });

  const connection = new NotedConnection(plane.connection());
  closers.push(() => connection.close());
  const stop = new AbortController();
  const cnf = { scheme: "http" } as const;
  const running = runOperator({ connection, metricsBindAddress: "0", checkIntervalMs: 600_000, cnf }, stop.signal);
  closers.push(() => {
    stop.abort();
    return running;
  });
  const soon = { timeout: 20_000, interval: 50 };
  const state = async () => (await client.get(FirewallRule, "default/a")).status;
  await vi.waitFor(async () => expect(await state()).toMatchObject({ state: "In Sync" }), soon);

  const [lists, gets] = [/\/secrets$/, /\/secrets\/./].map((form) =>
    connection.noted.filter(({ path }) => form.test(path.split("?", 1)[0] ?? "")),
  );
  expect(lists?.length).toBeGreaterThan(0);
  for (const { accept } of lists ?? []) expect(accept).toContain("as=PartialObjectMetadata");
  expect(gets?.map(({ path }) => path)).toEqual(["/api/v1/namespaces/default/secrets/account"]);

  await client.patch(Secret, "default/account", { stringData: { password: "second" } });
  const reads = () => connection.noted.filter(({ path }) => path.endsWith("/secrets/account")).length;
  await vi.waitFor(() => expect(reads()).toBe(2), soon);
  expect(connection.noted.filter(({ path }) => path.endsWith("/somebody-elses"))).toEqual([]);
});
