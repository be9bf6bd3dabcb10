import { Environment } from "@kubewright/envtest";
import {
  Client,
  controllerReference,
  type KubeObject,
  type Stored,
} from "kubewright";
import { Deployment, Pod, ReplicaSet } from "kubewright/kinds";
import { FakeClock, program } from "kubewright/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { until } from "./look.ts";
import { main } from "./main.ts";
import { role } from "./role.ts";

let env: Environment;
let client: Client;

beforeAll(async () => {
  env = await Environment.start();
  client = new Client({ connection: env.connection() });
});
afterAll(async () => {
  await client.close();
  await env.stop();
});

const labels = { app: "shop" };
const podSpec = { containers: [{ name: "web", image: "nginx" }] };
const createPod = (name: string, nodeName: string, owner: object) =>
  client.create(Pod, {
    metadata: { name, namespace: "default", labels, ...owner },
    spec: { ...podSpec, nodeName },
  });

it("reads the pods of a node and a label in four ways, and finds their owner", async () => {
  const metadata = { name: "shop", namespace: "default" };
  const spec = {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: podSpec },
  };
  const deployment = await client.create(Deployment, { metadata, spec });
  const ownedBy = (owner: Stored<KubeObject>) => ({
    ownerReferences: [controllerReference(owner)],
  });
  const replicaSet = await client.create(ReplicaSet, {
    metadata: { ...metadata, ...ownedBy(deployment) },
    spec,
  });
  await createPod("shop-0", "north", ownedBy(replicaSet));
  await createPod("shop-1", "south", ownedBy(replicaSet));
  await createPod("stray", "north", {});

  const lines: string[] = [];
  await using running = await program([{ env, role }], (_, signal) =>
    main(
      env.kubeconfig("four-clients"),
      { node: "north", labels: "app=shop" },
      signal,
      (line) => {
        lines.push(line);
      },
    ),
  );
  await running.eventually(() => expect(lines).toHaveLength(3));
  expect(lines[0]).toMatch(/^core\/v1 Pod: .*get.*list.*watch/);
  expect(lines.slice(1)).toEqual([
    "default/shop-0 of shop, the same three times",
    "default/stray of nobody, the same three times",
  ]);
});

it("runs a function at once and after each pause, until it is stopped", async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  let times = 0;
  const work = async () => void times++;
  const running = until(stop.signal, 1_000, work, clock);
  await clock.advance(999);
  expect(times).toBe(1);
  await clock.advance(1);
  expect(times).toBe(2);
  stop.abort();
  await running;
  expect(times).toBe(2);
});
