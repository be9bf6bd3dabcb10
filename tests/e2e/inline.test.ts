import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@kubewright/client";
import { ConfigMap, Deployment, Lease, Pod, Role, RoleBinding, Secret, ServiceAccount } from "@kubewright/client/kinds";
import { type ControlPlane, processImage, startControlPlane, stockNodeImage } from "@kubewright/controller-manager";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "./harness/eventually.ts";
import { userEnvironment } from "./harness/program.ts";
import { bundled } from "./inline/bundle.ts";

const needs = { meta: { needs: "kubectl on the PATH" } };
const hasKubectl = spawnSync("kubectl", ["version", "--client"]).status === 0;
const namespace = "default";
const labels = { app: "greeter" };

/** The command for a Node image without the program: unpack, then import. */
const loader = `
  const { readFileSync, writeFileSync } = await import("node:fs");
  const { gunzipSync } = await import("node:zlib");
  writeFileSync("/operator/operator.mjs", gunzipSync(readFileSync(process.env.KUBEWRIGHT_BUNDLE)));
  await import("file:///operator/operator.mjs");
`;
const fieldOf = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } });

const container = {
  name: "manager",
  image: stockNodeImage,
  command: ["node", "--input-type=module", "--eval", loader, "operator.mjs"],
  args: [
    "--leader-elect",
    "--leader-election-namespace=$(POD_NAMESPACE)",
    "--health-probe-bind-address=$(POD_IP):8081",
    "--metrics-bind-address=$(POD_IP):8080",
  ],
  env: [
    { name: "KUBEWRIGHT_BUNDLE", value: "/bundle/operator.mjs.gz" },
    fieldOf("POD_NAME", "metadata.name"),
    fieldOf("POD_NAMESPACE", "metadata.namespace"),
    fieldOf("POD_IP", "status.podIP"),
  ],
  volumeMounts: [
    { name: "bundle", mountPath: "/bundle", readOnly: true },
    { name: "operator", mountPath: "/operator" },
  ],
  readinessProbe: { httpGet: { path: "/readyz", port: 8081 }, periodSeconds: 1 },
  livenessProbe: { httpGet: { path: "/healthz", port: 8081 } },
};

const deployment = {
  metadata: { name: "greeter", namespace },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        serviceAccountName: "greeter",
        terminationGracePeriodSeconds: 10,
        containers: [container],
        volumes: [
          { name: "bundle", secret: { secretName: "greeter-bundle" } },
          { name: "operator", emptyDir: {} },
        ],
      },
    },
  },
};

describe.skipIf(!hasKubectl)("a program in a Secret of a stock Node image, on a development plane", needs, () => {
  const folder = mkdtempSync(join(tmpdir(), "kubewright-inline-"));
  const kubeconfig = join(folder, "kubeconfig");
  let plane: ControlPlane;
  let client: Client;

  const start = (...args: string[]) => {
    const child = spawn("kubectl", ["--kubeconfig", kubeconfig, ...args], {
      env: { ...userEnvironment, HOME: folder },
    });
    const output = { out: "", err: "" };
    child.stdout.on("data", (chunk: Buffer) => {
      output.out += chunk.toString();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      output.err += chunk.toString();
    });
    return { child, output, exit: new Promise<number | null>((resolve) => child.on("close", resolve)) };
  };
  const kubectl = async (...args: string[]): Promise<string> => {
    const { output, exit } = start(...args);
    expect([await exit, output.err], args.join(" ")).toEqual([0, output.err]);
    return output.out;
  };

  beforeAll(async () => {
    plane = await startControlPlane({ kubeconfigOut: kubeconfig, images: { [stockNodeImage]: processImage() } });
    client = new Client({ connection: plane.connection() });
    const bundle = await bundled("greeter.ts");
    const metadata = { name: "greeter", namespace };
    await client.create(Secret, {
      metadata: { name: "greeter-bundle", namespace },
      data: { "operator.mjs.gz": bundle.toString("base64") },
    });
    await client.create(ServiceAccount, { metadata });
    await client.create(Role, {
      metadata,
      rules: [
        { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch", "patch"] },
        { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
        { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
        { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "create", "update"] },
      ],
    });
    await client.create(RoleBinding, {
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "greeter" },
      subjects: [{ kind: "ServiceAccount", name: "greeter", namespace }],
    });
    await client.create(Deployment, deployment);
  });
  afterAll(async () => {
    await client?.close();
    await plane?.stop();
    rmSync(folder, { recursive: true });
  });

  const greet = (name: string) =>
    client.create(ConfigMap, { metadata: { name, namespace, labels: { greet: "true" } }, data: { name } });
  const greetingOf = async (name: string) => (await client.get(ConfigMap, `${namespace}/${name}`)).data?.greeting;
  const leader = async (): Promise<string> => {
    const pods = await client.list(Pod, { namespace, labels: "app=greeter" });
    const greeting = await eventually(async () => {
      const name = `who-${Math.random().toString(36).slice(2)}`;
      await greet(name);
      return await eventually(async () => {
        const text = await greetingOf(name);
        if (!text) throw new Error(`nobody greeted ${name}`);
        return text;
      }, 20_000);
    });
    const found = pods.find(({ metadata }) => greeting.endsWith(metadata.name));
    if (!found) throw new Error(`${greeting}: by none of the pods`);
    return found.metadata.name;
  };

  it("becomes ready with two replicas, of which the leader reconciles", async () => {
    await eventually(async () => {
      const { status } = await client.get(Deployment, `${namespace}/greeter`);
      expect(status).toMatchObject({ readyReplicas: 2, availableReplicas: 2 });
    }, 60_000);
    await greet("ada");
    await eventually(async () => expect(await greetingOf("ada")).toMatch(/^Hello ada, from greeter-/));
    const { spec } = await client.get(Lease, `${namespace}/greeter`);
    expect(spec?.holderIdentity).toBeTruthy();
  });

  it("writes its log to kubectl logs", async () => {
    const name = await leader();
    expect(await kubectl("logs", name)).toContain('"greeting":"Hello ada, from');
    const prefixed = await kubectl("logs", "-l", "app=greeter", "--prefix", "--all-containers", "--tail=100");
    const pods = await client.list(Pod, { namespace, labels: "app=greeter" });
    for (const { metadata } of pods) expect(prefixed).toContain(`[pod/${metadata.name}/manager] {`);
    const [last = ""] = (await kubectl("logs", name, "--tail=1", "--timestamps")).split("\n");
    expect(last).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z \{/);
    expect(await kubectl("logs", "deployment/greeter", "--since=1h", "-c", "manager")).toContain("{");
    expect(await kubectl("logs", name, "--limit-bytes=10")).toHaveLength(10);
  });

  it("continues with the other replica when the leader is deleted together with its log", async () => {
    const name = await leader();
    const followed = start("logs", "-f", name);
    await eventually(() => expect(followed.output.out).toContain("greeted"));
    await kubectl("delete", "pod", name, "--wait=false");
    expect(await followed.exit).toBe(0);
    await greet("grace");
    await eventually(async () => expect(await greetingOf("grace")).toMatch(/^Hello grace, from greeter-/), 60_000);
    expect(await greetingOf("grace")).not.toContain(name);
  });

  it("restarts after a crash, with the reason in the previous log", async () => {
    // The previous test deleted a pod, which may still be terminating.
    const list = async () =>
      (await client.list(Pod, { namespace, labels: "app=greeter" })).filter((pod) => !pod.metadata.deletionTimestamp);
    // A pod without a running container has no log.
    await eventually(async () => {
      for (const { status } of await list()) expect(status?.containerStatuses?.[0]).toMatchObject({ ready: true });
    });
    const { name } = (await list())[0]?.metadata ?? { name: "" };
    const before = await kubectl("logs", name);
    await plane.node.crash(`${namespace}/${name}`);
    await eventually(async () => {
      const status = (await client.get(Pod, `${namespace}/${name}`)).status?.containerStatuses?.[0];
      expect(status).toMatchObject({ restartCount: 1, ready: true });
    });
    expect(await kubectl("logs", name, "--previous")).toContain(before.split("\n")[0]);
  });

  it("ends with its Deployment", async () => {
    await kubectl("delete", "deployment", "greeter");
    await eventually(
      async () => expect(await client.list(Pod, { namespace, labels: "app=greeter" })).toEqual([]),
      60_000,
    );
  });
});
