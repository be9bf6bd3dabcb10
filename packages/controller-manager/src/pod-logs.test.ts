import { isStatusError } from "@kubewright/apimachinery";
import { Client, Connection } from "@kubewright/client";
import { Pod } from "@kubewright/client/kinds";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import type { ContainerContext, RunningContainer } from "./node/image-registry.ts";
import { simulation } from "./node/simulated-image.ts";

interface Talker extends ContainerContext {
  exit(code: number): void;
}
let plane: ControlPlane;
let client: Client;
let connection: Connection;
const talkers = new Map<string, Talker>();
const talker = async (context: ContainerContext): Promise<RunningContainer> => {
  const { promise: exited, resolve } = Promise.withResolvers<number>();
  context.output.write(`run ${context.restartCount}\n`);
  talkers.set(`${context.pod.metadata.name}/${context.container}`, { ...context, exit: resolve });
  return {
    exited,
    stop: async () => {
      context.output.write("bye\n", "stderr");
      resolve(0);
    },
  };
};

beforeAll(async () => {
  plane = await startControlPlane({ images: { "example/talker": talker }, nodes: 2 });
  client = new Client({ connection: plane.connection() });
  connection = new Connection(plane.connection());
});
afterAll(async () => {
  await client.close();
  await connection.close();
  await plane.stop();
});

const main = { name: "main", image: "example/talker" };

async function create(name: string, spec: object = {}, annotations: Record<string, string> = {}): Promise<void> {
  await client.create(Pod, {
    metadata: { name, namespace: "default", annotations },
    spec: { containers: [main], ...spec },
  });
}

const statusOf = async (name: string) => (await client.get(Pod, `default/${name}`)).status;
const untilRunning = (name: string) =>
  expect.poll(async () => (await statusOf(name))?.phase, { timeout: 20_000 }).toBe("Running");

const path = (name: string, query = ""): string => `/api/v1/namespaces/default/pods/${name}/log?${query}`;

/** Returns the log, or the code and message of an error. */
async function log(name: string, query = ""): Promise<string> {
  try {
    const { chunks } = await connection.stream({ path: path(name, query) });
    let text = "";
    for await (const chunk of chunks) text += chunk.toString();
    return text;
  } catch (error) {
    if (isStatusError(error)) return `${error.status.code} ${error.status.message}`;
    throw error;
  }
}

it("returns a container's output, of its current run and the previous one", async () => {
  await create("crashes");
  await untilRunning("crashes");
  expect(await log("crashes")).toBe("run 0\n");
  expect(await log("crashes", "previous=true")).toBe(
    '400 previous terminated container "main" in pod "crashes" not found',
  );
  talkers.get("crashes/main")?.output.write("oh no\n", "stderr");
  talkers.get("crashes/main")?.exit(1);
  await expect.poll(() => log("crashes")).toBe("run 1\n");
  expect(await log("crashes", "previous=true&container=main")).toBe("run 0\noh no\n");
  expect(await log("crashes", "previous=true&tailLines=1&timestamps=true")).toMatch(
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z oh no\n$/,
  );
  talkers.get("crashes/main")?.exit(1);
  await expect
    .poll(() => statusOf("crashes"))
    .toMatchObject({
      containerStatuses: [{ state: { waiting: { reason: "CrashLoopBackOff" } } }],
    });
  expect(await log("crashes", "previous=true")).toBe("run 1\n");
});

it("follows until the container ends, whatever happens next", async () => {
  await create("followed");
  await untilRunning("followed");
  const followed = log("followed", "follow=true");
  talkers.get("followed/main")?.output.write("still here\n");
  const { chunks } = await connection.stream({ path: path("followed", "follow=true&tailLines=1") });
  const reader = chunks[Symbol.asyncIterator]();
  expect(String((await reader.next()).value)).toBe("still here\n");
  talkers.get("followed/main")?.exit(0);
  expect(await followed).toBe("run 0\nstill here\n");
  expect((await reader.next()).done).toBe(true);
});

it("follows until the pod is removed", async () => {
  await create("deleted", { terminationGracePeriodSeconds: 1 });
  await untilRunning("deleted");
  const followed = log("deleted", "follow=true");
  await client.delete(Pod, "default/deleted");
  expect(await followed).toBe("run 0\nbye\n");
  await expect.poll(() => log("deleted")).toBe('404 pods "deleted" not found');
});

it("reports why there is no log yet", async () => {
  const wait = { name: "wait", image: "busybox", command: ["sleep", "1000"] };
  await create("queued", { initContainers: [wait] });
  await expect
    .poll(() => log("queued", "container=main"))
    .toBe('400 container "main" in pod "queued" is waiting to start: PodInitializing');
  expect(await log("queued", "container=wait")).toBe("");
  expect(await log("queued")).toBe("400 a container name must be specified for pod queued, choose one of: [wait main]");

  await create("held", { containers: [main] }, { [simulation.hold]: "true" });
  await expect
    .poll(() => log("held"))
    .toBe('400 container "main" in pod "held" is waiting to start: ContainerCreating');
  await create("unpulled", { containers: [{ name: "main", image: "example/nonexistent" }] });
  await expect
    .poll(() => log("unpulled"))
    .toBe('400 container "main" in pod "unpulled" is waiting to start: trying and failing to pull image');
  expect(await log("unpulled", "container=x")).toBe("400 container x is not valid for pod unpulled");
});

it("returns an empty log for images without output, on every node", async () => {
  for (const nodeName of ["kubewright-node", "kubewright-node-2"]) {
    await create(`quiet-on-${nodeName}`, { nodeName, containers: [{ name: "main", image: "nginx" }] });
    await untilRunning(`quiet-on-${nodeName}`);
    expect(await log(`quiet-on-${nodeName}`)).toBe("");
  }
});

it("keeps the log of a finished pod", async () => {
  await create("done", { restartPolicy: "Never" });
  await untilRunning("done");
  talkers.get("done/main")?.exit(0);
  await expect.poll(async () => (await statusOf("done"))?.phase).toBe("Succeeded");
  expect(await log("done", "follow=true")).toBe("run 0\n");
});
