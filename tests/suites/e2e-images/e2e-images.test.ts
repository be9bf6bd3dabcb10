import { PassThrough } from "node:stream";
import { Client, Connection } from "@kubewright/client";
import { ConfigMap, Pod } from "@kubewright/client/kinds";
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

const agnhost = "registry.k8s.io/e2e-test-images/agnhost:2.63.0";
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
  await create("deaf", { image: agnhost, args: ["test-webserver"], readinessProbe: closed });
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

/** Returns the output of a pod that has ended. */
async function outputOf(name: string, container: object, spec: object = {}): Promise<string> {
  await create(name, container, { restartPolicy: "Never", ...spec });
  await expect.poll(async () => (await statusOf(name))?.phase).toMatch(/Succeeded|Failed/);
  return log(name);
}

it("shows a container its variables and user", async () => {
  const env = [
    { name: "A", value: "a" },
    { name: "B", value: "$(A)b" },
  ];
  expect(await outputOf("env", { command: ["sh", "-c", "env; echo $(B); id -u"], env })).toBe("A=a\nB=ab\nab\n0\n");
  const securityContext = { runAsUser: 7, readOnlyRootFilesystem: true };
  const command = ["sh", "-c", "id -u; touch file && echo written; echo x > /y"];
  expect(await outputOf("user", { command, securityContext })).toBe(
    "7\ntouch: file: Read-only file system\n/bin/sh: can't create /y: Read-only file system\n",
  );
});

it("mounts volumes with their modes, for their users, and updates them", async () => {
  const metadata = { name: "settings", namespace: "default" };
  await client.create(ConfigMap, { metadata, data: { key: "one" } });
  const volumes = [
    { name: "v", configMap: { name: "settings", items: [{ key: "key", path: "deep/key", mode: 0o400 }] } },
  ];
  const mounted = (mountPath: string, subPath?: string) => ({
    image: agnhost,
    volumeMounts: [{ name: "v", mountPath, ...(subPath === undefined ? {} : { subPath }) }],
  });
  const args = ["mounttest", "--file_mode=/v/deep/key", "--file_content=/v/deep/key", "--new_file_0644=/v/new"];
  expect(await outputOf("mode", { ...mounted("/v"), args }, { volumes })).toBe(
    'error writing new file "/v/new": open /v/new: read-only file system\nmode of file "/v/deep/key": -r--------\ncontent of file "/v/deep/key": one\n',
  );
  const other = {
    ...mounted("/v"),
    args: ["mounttest", "--file_content=/v/deep/key"],
    securityContext: { runAsUser: 5 },
  };
  expect(await outputOf("other", other, { volumes })).toContain("open /v/deep/key: permission denied");
  expect((await statusOf("other"))?.phase).toBe("Failed");
  const loop = ["mounttest", "--break_on_expected_content=false", "--retry_time=60"];
  await create("loop", { ...mounted("/v"), args: [...loop, "--file_content_in_loop=/v/deep/key"] }, { volumes });
  await untilPhase("loop", "Running");
  await expect.poll(() => log("loop")).toContain(": one");
  await client.patch(ConfigMap, "default/settings", { data: { key: "two" } });
  await expect.poll(() => log("loop"), { timeout: 30_000 }).toContain(": two");
  const file = { ...mounted("/etc/resolv.conf", "deep/key"), args: ["mounttest", "--file_content=/etc/resolv.conf"] };
  expect(await outputOf("file", file, { volumes })).toBe('content of file "/etc/resolv.conf": two\n');
}, 60_000);

it("creates files in an emptyDir with the asked mode, owner and file system", async () => {
  const volumes = [{ name: "v", emptyDir: { medium: "Memory" } }];
  const flags = ["--fs_type=/v", "--new_file_0660=/v/f", "--file_perm=/v/f", "--file_owner=/v/f"];
  const container = { image: agnhost, args: ["mounttest", ...flags], volumeMounts: [{ name: "v", mountPath: "/v" }] };
  const securityContext = { runAsUser: 1001, fsGroup: 123 };
  expect(await outputOf("files", container, { volumes, securityContext })).toBe(
    [
      'mount type of "/v": tmpfs',
      'content of file "/v/f": mount-tester new file\n',
      'perms of file "/v/f": -rw-rw----',
      'owner UID of "/v/f": 1001',
      'owner GID of "/v/f": 123',
      "",
    ].join("\n"),
  );
});

it("waits for the objects of its volumes and variables", async () => {
  const volumes = [{ name: "v", configMap: { name: "late" } }];
  const command = ["cat", "/v/key"];
  await create(
    "waits",
    { command, volumeMounts: [{ name: "v", mountPath: "/v" }] },
    { volumes, restartPolicy: "Never" },
  );
  const message = 'MountVolume.SetUp failed for volume "v" : configmap "late" not found';
  const state = async (name: string) => (await statusOf(name))?.containerStatuses?.[0]?.state;
  await expect.poll(() => state("waits")).toEqual({ waiting: { reason: "ContainerCreating", message } });
  const valueFrom = { configMapKeyRef: { name: "never", key: "k" } };
  await create("lacks", { command, env: [{ name: "A", valueFrom }] });
  const reason = "CreateContainerConfigError";
  await expect.poll(() => state("lacks")).toEqual({ waiting: { reason, message: 'configmap "never" not found' } });
  await client.create(ConfigMap, { metadata: { name: "late", namespace: "default" }, data: { key: "there" } });
  await untilPhase("waits", "Succeeded");
  expect(await log("waits")).toBe("there");
});

it("reports a termination message from the file, or from the log of a failed container", async () => {
  const messageOf = async (name: string, script: string, container: object = {}) => {
    await outputOf(name, { command: ["sh", "-c", script], ...container });
    return (await statusOf(name))?.containerStatuses?.[0]?.state?.terminated?.message;
  };
  const terminationMessagePath = "/dev/custom";
  const long = { terminationMessagePath, env: [{ name: "LONG", value: "é".repeat(5_000) }] };
  expect(await messageOf("file-end", "echo -n DONE > /dev/custom", { terminationMessagePath })).toBe("DONE");
  expect(await messageOf("long-end", "echo $LONG > /dev/custom", long)).toBe("é".repeat(2_048));
  const terminationMessagePolicy = "FallbackToLogsOnError";
  expect(await messageOf("log-end", "echo one; echo -n DONE; exit 1", { terminationMessagePolicy })).toBe("one\nDONE");
  expect(await messageOf("log-good", "echo -n DONE", { terminationMessagePolicy })).toBeUndefined();
  expect(await messageOf("file-policy", "echo -n DONE; exit 1")).toBeUndefined();
});
