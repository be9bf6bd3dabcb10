import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ignoreNotFound, keyOf } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import {
  ConfigMap,
  Deployment,
  Event,
  Namespace,
  Node,
  Pod,
  ReplicaSet,
  ServiceAccount,
} from "@kubewright/client/kinds";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import type { ImageRegistry, RunningContainer } from "./node/image-registry.ts";

let plane: ControlPlane;
let client: Client;
const started: string[] = [];
let crash: () => void = () => {};

beforeAll(async () => {
  plane = await startControlPlane({
    images: {
      "example/echo": async ({ pod, ip, restartCount, readSecret }): Promise<RunningContainer> => {
        const secret = await readSecret("echo");
        started.push(
          `${pod.metadata.labels?.app} at ${ip.split(".")[0]} for the ${restartCount + 1}. time: ${secret?.get("word")}`,
        );
        const exit = Promise.withResolvers<number>();
        crash = () => exit.resolve(1);
        return {
          exited: exit.promise,
          stop: async () => exit.resolve(0),
          annotations: { "example.com/endpoint": "http:80" },
        };
      },
    },
  });
  client = new Client({ connection: plane.connection() });
});
afterAll(async () => {
  await client?.close();
  await plane?.stop();
});

const eventually = (check: () => Promise<void>): Promise<void> => vi.waitFor(check, { timeout: 10_000, interval: 20 });
const deployment = (name: string, replicas: number, image = "nginx:1", namespace = "default") => ({
  metadata: { name, namespace },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: "main", image }], terminationGracePeriodSeconds: 0 },
    },
  },
});
const podsOf = (app: string) => client.list(Pod, { namespace: "default", labels: { app } });

describe("the development plane", () => {
  it("has a ready node, and a service account and the root certificate in every namespace", async () => {
    await eventually(async () => {
      const [node] = await client.list(Node);
      expect(node?.status?.conditions).toContainEqual(expect.objectContaining({ type: "Ready", status: "True" }));
      await client.get(ServiceAccount, "default/default");
      const root = await client.get(ConfigMap, "kube-system/kube-root-ca.crt");
      expect(root.data?.["ca.crt"]).toBe(plane.connection().caData);
    });
  });

  it("makes a Deployment's pods ready and reports it in the status", async () => {
    await client.create(Deployment, deployment("ready", 2));
    await eventually(async () => {
      const { status } = await client.get(Deployment, "default/ready");
      expect(status).toMatchObject({
        replicas: 2,
        updatedReplicas: 2,
        readyReplicas: 2,
        availableReplicas: 2,
        observedGeneration: 1,
      });
      expect(status?.conditions).toContainEqual(expect.objectContaining({ type: "Available", status: "True" }));
      expect(status?.conditions).toContainEqual(
        expect.objectContaining({ type: "Progressing", reason: "NewReplicaSetAvailable" }),
      );
    });
    for (const pod of await podsOf("ready")) {
      expect(pod.status?.phase).toBe("Running");
      expect(pod.status?.podIP).toMatch(/^10\.244\./);
    }
  });

  it("scales up and down", async () => {
    await client.create(Deployment, deployment("scaled", 1));
    await client.subResource("scale").patch(Deployment, "default/scaled", { spec: { replicas: 4 } });
    await eventually(async () =>
      expect((await client.get(Deployment, "default/scaled")).status?.readyReplicas).toBe(4),
    );
    await client.subResource("scale").patch(Deployment, "default/scaled", { spec: { replicas: 1 } });
    await eventually(async () => expect(await podsOf("scaled")).toHaveLength(1));
  });

  it("rolls out a changed template, and keeps the old replica set for rollbacks", async () => {
    await client.create(Deployment, deployment("rolled", 3));
    await eventually(async () =>
      expect((await client.get(Deployment, "default/rolled")).status?.readyReplicas).toBe(3),
    );
    await client.patch(
      Deployment,
      "default/rolled",
      { spec: { template: { spec: { containers: [{ name: "main", image: "nginx:2" }] } } } },
      { type: "strategic" },
    );
    await eventually(async () => {
      const pods = await podsOf("rolled");
      expect(pods.map(({ spec }) => spec.containers[0]?.image)).toEqual(["nginx:2", "nginx:2", "nginx:2"]);
      const { metadata, status } = await client.get(Deployment, "default/rolled");
      expect(status).toMatchObject({ replicas: 3, updatedReplicas: 3, readyReplicas: 3 });
      expect(metadata.annotations?.["deployment.kubernetes.io/revision"]).toBe("2");
    });
    const sets = (await client.list(ReplicaSet, { namespace: "default" })).filter(({ metadata }) =>
      metadata.name.startsWith("rolled-"),
    );
    expect(sets.map(({ spec }) => spec.replicas).sort()).toEqual([0, 3]);
  });

  it("replaces a pod that is deleted", async () => {
    await client.create(Deployment, deployment("replaced", 1));
    await eventually(async () => expect((await podsOf("replaced"))[0]?.status?.phase).toBe("Running"));
    const [before] = await podsOf("replaced");
    await client.delete(Pod, keyOf(before ?? { metadata: { name: "" } }));
    await eventually(async () => {
      const pods = await podsOf("replaced");
      expect(pods.map(({ metadata, status }) => [metadata.uid !== before?.metadata.uid, status?.phase])).toEqual([
        [true, "Running"],
      ]);
    });
  });

  it("deletes a Deployment's dependents after it", async () => {
    await client.create(Deployment, deployment("owned", 1));
    await eventually(async () => expect(await podsOf("owned")).toHaveLength(1));
    await client.delete(Deployment, "default/owned");
    await eventually(async () => {
      expect(await podsOf("owned")).toHaveLength(0);
      expect(
        (await client.list(ReplicaSet, { namespace: "default" })).filter(({ metadata }) =>
          metadata.name.startsWith("owned-"),
        ),
      ).toHaveLength(0);
    });
  });

  it("deletes dependents first in the foreground, and leaves orphans alone", async () => {
    const owner = await client.create(ConfigMap, { metadata: { name: "owner", namespace: "default" } });
    const ownerReferences = [
      { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid ?? "", blockOwnerDeletion: true },
    ];
    await client.create(ConfigMap, { metadata: { name: "dependent", namespace: "default", ownerReferences } });
    await client.delete(ConfigMap, "default/owner", { propagationPolicy: "Foreground" });
    await eventually(async () => {
      expect(await client.get(ConfigMap, "default/owner").catch(ignoreNotFound)).toBeUndefined();
      expect(await client.get(ConfigMap, "default/dependent").catch(ignoreNotFound)).toBeUndefined();
    });
    const second = await client.create(ConfigMap, { metadata: { name: "owner", namespace: "default" } });
    await client.create(ConfigMap, {
      metadata: {
        name: "orphan",
        namespace: "default",
        ownerReferences: [{ ...ownerReferences[0], uid: second.metadata.uid } as never],
      },
    });
    await client.delete(ConfigMap, "default/owner", { propagationPolicy: "Orphan" });
    await eventually(async () => {
      expect(await client.get(ConfigMap, "default/owner").catch(ignoreNotFound)).toBeUndefined();
      expect((await client.get(ConfigMap, "default/orphan")).metadata.ownerReferences ?? []).toEqual([]);
    });
  });

  it("deletes an object whose owner never existed", async () => {
    const ownerReferences = [
      { apiVersion: "v1", kind: "ConfigMap", name: "nobody", uid: "00000000-0000-0000-0000-000000000000" },
    ];
    await client.create(ConfigMap, { metadata: { name: "lost", namespace: "default", ownerReferences } });
    await eventually(async () =>
      expect(await client.get(ConfigMap, "default/lost").catch(ignoreNotFound)).toBeUndefined(),
    );
  });

  it("empties a deleted namespace, pods included, then removes it", async () => {
    await client.create(Namespace, { metadata: { name: "gone" } });
    await client.create(Deployment, deployment("inside", 1, "nginx:1", "gone"));
    await client.create(ConfigMap, { metadata: { name: "inside", namespace: "gone" } });
    await eventually(async () => expect(await client.list(Pod, { namespace: "gone" })).toHaveLength(1));
    await client.delete(Namespace, "gone");
    await eventually(async () => {
      expect(await client.get(Namespace, "gone").catch(ignoreNotFound)).toBeUndefined();
      expect(await client.list(ConfigMap, { namespace: "gone" })).toHaveLength(0);
    });
  });

  it("starts the runner registered for an image with its secrets, and restarts it after a crash", async () => {
    const { Secret } = await import("@kubewright/client/kinds");
    await client.create(Secret, {
      metadata: { name: "echo", namespace: "default" },
      data: { word: Buffer.from("hello").toString("base64") },
    });
    await client.create(Deployment, deployment("echo", 1, "example/echo:dev"));
    await eventually(async () => {
      const [pod] = await podsOf("echo");
      expect(pod?.status?.phase).toBe("Running");
      expect(pod?.metadata.annotations?.["example.com/endpoint"]).toBe("http:80");
    });
    expect(started).toEqual(["echo at 127 for the 1. time: hello"]);
    crash();
    await eventually(async () => {
      const [pod] = await podsOf("echo");
      expect(pod?.status?.containerStatuses?.[0]).toMatchObject({
        restartCount: 1,
        ready: true,
        lastState: { terminated: { exitCode: 1 } },
      });
    });
    expect(started).toEqual([expect.stringContaining("1. time"), expect.stringContaining("2. time")]);
  });

  it("starts simulated containers once their Secrets and ConfigMaps exist", async () => {
    const { spec } = deployment("waits", 1).spec.template;
    const env = [{ name: "A", valueFrom: { configMapKeyRef: { name: "late", key: "a" } } }];
    const volumes = [{ name: "v", configMap: { name: "late", items: [{ key: "b", path: "b" }] } }];
    const containers = spec.containers.map((each) => ({ ...each, env }));
    const pod = (name: string, given: object) =>
      client.create(Pod, { metadata: { name, namespace: "default" }, spec: { ...spec, ...given } });
    await pod("waits-for-variable", { containers });
    await pod("waits-for-volume", { volumes });
    const waiting = async (name: string) =>
      (await client.get(Pod, `default/${name}`)).status?.containerStatuses?.[0]?.state?.waiting;
    await eventually(async () => {
      expect(await waiting("waits-for-variable")).toEqual({
        reason: "CreateContainerConfigError",
        message: 'configmap "late" not found',
      });
      expect(await waiting("waits-for-volume")).toMatchObject({ reason: "ContainerCreating" });
    });
    await client.create(ConfigMap, { metadata: { name: "late", namespace: "default" }, data: { a: "1", b: "2" } });
    await eventually(async () => {
      for (const name of ["waits-for-variable", "waits-for-volume"])
        expect((await client.get(Pod, `default/${name}`)).status?.phase).toBe("Running");
    });
  });

  it("refuses anonymous requests", async () => {
    const { server, caData } = plane.connection();
    const stranger = new Client({ connection: { server, caData } });
    await expect(stranger.list(ConfigMap)).rejects.toThrow('cannot list resource "configmaps"');
    await stranger.close();
  });

  it("reports its actions in events, which kubectl shows", async () => {
    await eventually(async () => {
      const reasons = (await client.list(Event, { namespace: "default" })).map(({ reason }) => reason);
      expect(reasons).toEqual(expect.arrayContaining(["Scheduled", "SuccessfulCreate", "SuccessfulDelete"]));
    });
  });

  it("continues after the API server restarts", async () => {
    await client.create(Deployment, deployment("survivor", 1));
    await eventually(async () =>
      expect((await client.get(Deployment, "default/survivor")).status?.readyReplicas).toBe(1),
    );
    await plane.restartServer();
    await eventually(async () => {
      await client.subResource("scale").patch(Deployment, "default/survivor", { spec: { replicas: 2 } });
      expect((await client.get(Deployment, "default/survivor")).status?.readyReplicas).toBe(2);
    });
  });
});

it("shows on its nodes the images that they run, but not those of an earlier plane", async () => {
  const directory = mkdtempSync(join(tmpdir(), "kubewright-nodes-"));
  const runner = async (): Promise<RunningContainer> => ({ exited: Promise.resolve(0), stop: async () => {} });
  const shown = async (images: ImageRegistry): Promise<(string | undefined)[]> => {
    await using own = await startControlPlane({
      images,
      nodes: 2,
      apiServer: { storage: { type: "journal", directory } },
    });
    await using reader = new Client({ connection: own.connection() });
    const annotations = async () =>
      (await reader.list(Node)).map(({ metadata }) => metadata.annotations?.["sim.kubewright.dev/images"]);
    await expect.poll(annotations).toEqual(Array(2).fill(Object.keys(images).join(",")));
    return await annotations(); // before the client closes
  };
  try {
    expect(await shown({ "example/a": runner, "example/b:1": runner })).toEqual(Array(2).fill("example/a,example/b:1"));
    expect(await shown({})).toEqual(["", ""]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

it("writes its kubeconfig once it is ready, but not over that of a running plane", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kubewright-out-"));
  const kubeconfigOut = join(folder, "kubeconfig");
  const written = () => readFileSync(kubeconfigOut, "utf8");
  try {
    await expect(startControlPlane({ kubeconfigOut, controllers: ["nosuch"] })).rejects.toThrow("nosuch");
    expect(existsSync(kubeconfigOut)).toBe(false);
    {
      await using own = await startControlPlane({ kubeconfigOut });
      expect(written()).toBe(own.kubeconfig);
      await expect(startControlPlane({ kubeconfigOut })).rejects.toThrow(
        `kubeconfig ${kubeconfigOut}: belongs to a control plane that is running at ${own.url}; choose another path`,
      );
      expect(written()).toBe(own.kubeconfig);
    }
    await using next = await startControlPlane({ kubeconfigOut });
    expect(written()).toBe(next.kubeconfig);
    expect(readdirSync(folder)).toEqual(["kubeconfig"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
