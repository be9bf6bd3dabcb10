import { PassThrough } from "node:stream";
import { Client, Connection } from "@kubewright/client";
import { Pod } from "@kubewright/client/kinds";
import { startControlPlane } from "@kubewright/controller-manager";
import { afterAll, beforeAll, expect, it } from "vitest";
import { e2eImages } from "./e2e-images.ts";

const busybox = "registry.k8s.io/e2e-test-images/busybox:1.37.0-1";
let plane: Awaited<ReturnType<typeof startControlPlane>>;
let client: Client;
let connection: Connection;
beforeAll(async () => {
  plane = await startControlPlane({ images: e2eImages() });
  client = new Client({ connection: plane.connection() });
  connection = new Connection(plane.connection());
});
afterAll(async () => {
  await client.close();
  await connection.close();
  await plane.stop();
});

const create = (name: string, container: object, spec: object = {}) =>
  client.create(Pod, {
    metadata: { name, namespace: "default" },
    spec: { containers: [{ name: "main", image: busybox, ...container }], terminationGracePeriodSeconds: 1, ...spec },
  });
const statusOf = async (name: string) => (await client.get(Pod, `default/${name}`)).status;
const untilPhase = (name: string, phase: string) => expect.poll(async () => (await statusOf(name))?.phase).toBe(phase);

async function log(name: string, query = ""): Promise<string> {
  const { chunks } = await connection.stream({ path: `/api/v1/namespaces/default/pods/${name}/log?${query}` });
  let text = "";
  for await (const chunk of chunks) text += chunk.toString();
  return text;
}

it("shows the output of simulated commands as they write it", async () => {
  const env = [{ name: "WHERE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } }];
  const command = ["sh", "-c", "echo one in $WHERE; sleep 1; echo two; exit 4"];
  await create("says", { command, env }, { restartPolicy: "Never" });
  await untilPhase("says", "Running");
  expect(await log("says")).toBe("one in default\n");
  expect(await log("says", "follow=true")).toBe("one in default\ntwo\n");
  await untilPhase("says", "Failed");
  expect((await statusOf("says"))?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(4);
});

it("answers probes of commands and servers, and restarts containers that fail them", async () => {
  const soon = { periodSeconds: 1, failureThreshold: 1 };
  const healthy = { exec: { command: ["cat", "/tmp/health"] }, ...soon };
  const command = ["/bin/sh", "-c", "echo ok >/tmp/health; sleep 2; rm -rf /tmp/health; sleep 600"];
  await create("forgets", { command, livenessProbe: healthy });
  const closed = { tcpSocket: { port: 81 }, ...soon };
  const image = "registry.k8s.io/e2e-test-images/agnhost:2.63.0";
  await create("deaf", { image, args: ["test-webserver"], readinessProbe: closed });
  await expect.poll(async () => (await statusOf("forgets"))?.containerStatuses?.[0]).toMatchObject({ restartCount: 1 });
  expect((await statusOf("deaf"))?.containerStatuses?.[0]).toMatchObject({ ready: false, restartCount: 0 });
});

it("keeps files of init containers in volumes, and gives traps time to end", async () => {
  const volumeMounts = [{ name: "shared", mountPath: "/shared" }];
  const first = { name: "first", image: busybox, command: ["sh", "-c", "echo early >/shared/note"], volumeMounts };
  const command = ["sh", "-c", "trap 'echo bye' TERM; cat /shared/note; while true; do sleep 1; done"];
  const volumes = [{ name: "shared", emptyDir: {} }];
  await create("shares", { command, volumeMounts }, { initContainers: [first], volumes });
  await untilPhase("shares", "Running");
  const followed = log("shares", "container=main&follow=true");
  await client.delete(Pod, "default/shares");
  expect(await followed).toBe("early\nbye\n");
});

it("simulates commands in running containers", async () => {
  await create("busy", { command: ["sh", "-c", "echo mine >/tmp/file; sleep 600"] });
  await untilPhase("busy", "Running");
  const podUid = (await client.get(Pod, "default/busy")).metadata.uid ?? "";
  const stdout = new PassThrough();
  const run = (...command: string[]): Promise<number> => {
    const session = plane.node.exec({ namespace: "default", pod: "busy", podUid, container: "main", command });
    return session({ stdout, tty: false }, new AbortController().signal);
  };
  expect(await run("sh", "-c", "cat /tmp/file; echo more; exit 3")).toBe(3);
  expect(String(stdout.read())).toBe("mine\nmore\n");
  await expect(run("nmap", "-A")).rejects.toThrow('["nmap","-A"] is not simulated');
  const endless = run("sleep", "600");
  await client.delete(Pod, "default/busy");
  expect(await endless).toBe(137);
});

it("refuses a container that may not run as root", async () => {
  await create("root", { command: ["id"], securityContext: { runAsNonRoot: true, runAsUser: 0 } });
  const reason = "CreateContainerConfigError";
  await expect
    .poll(async () => (await statusOf("root"))?.containerStatuses?.[0]?.state)
    .toMatchObject({ waiting: { reason, message: "container's runAsUser breaks non-root policy" } });
});
