import { Environment } from "@kubewright/envtest";
import {
  Client,
  ignoreNotFound,
  isInvalid,
  isNotFound,
  type Kind,
} from "kubewright";
import {
  Deployment,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  Service,
} from "kubewright/kinds";
import { program, type RunningProgram } from "kubewright/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { main } from "./main.ts";
import { Pipeline, type Step } from "./pipeline.ts";
import { role } from "./role.ts";

const named = (name: string) => ({ namespace: "default", name });
let env: Environment;
let client: Client;
let running: RunningProgram;

beforeAll(async () => {
  env = await Environment.start({ crds: [Pipeline] });
  client = new Client({ connection: env.connection() });
  running = await program([{ env, role }], ([connection], signal) =>
    main({ connection, metrics: { bindAddress: "0" } }, signal),
  );
});
afterAll(async () => {
  await running.stop();
  await client.close();
  await env.stop();
});

const stepOf = (name: string, port = 8080): Step => ({
  name,
  image: `models/${name}`,
  replicas: 1,
  port,
});
const create = (name: string, steps: readonly Step[]) =>
  client.create(Pipeline, {
    metadata: { name },
    spec: {
      namespace: "default",
      volume: { hostPath: "/srv/models", storage: "2Gi" },
      steps: [...steps],
    },
  });
const statusOf = async (name: string) =>
  (await client.get(Pipeline, name)).status;
const has = (name: string, status: object) =>
  running.eventually(async () =>
    expect(await statusOf(name)).toMatchObject(status),
  );
const isGone = (kind: Kind, name: string) =>
  running.eventually(() =>
    expect(client.get(kind, named(name))).rejects.toSatisfy(isNotFound),
  );
/** Sets the status like a kubelet and the volume binder. */
const setReady = (name: string) =>
  client.status.patch(Deployment, named(name), {
    replicas: 1,
    readyReplicas: 1,
    availableReplicas: 1,
  });

it("creates a volume, its claim, and a Deployment and a Service for each step, which know the next step", async () => {
  await create("vision", [stepOf("detect"), stepOf("classify", 9090)]);
  await has("vision", { phase: "Pending", ready: "0/2" });
  const { metadata } = await client.get(Pipeline, "vision");
  const owner = {
    kind: "Pipeline",
    name: "vision",
    uid: metadata.uid,
    controller: true,
  };
  expect(await client.get(PersistentVolume, "pipeline-vision")).toMatchObject({
    spec: {
      capacity: { storage: "2Gi" },
      hostPath: { path: "/srv/models" },
      claimRef: named("vision"),
    },
  });
  expect(
    await client.get(PersistentVolumeClaim, named("vision")),
  ).toMatchObject({
    metadata: { ownerReferences: [owner] },
    spec: { volumeName: "pipeline-vision" },
  });
  expect(await client.get(Service, named("vision-classify"))).toMatchObject({
    metadata: { ownerReferences: [owner] },
    spec: {
      ports: [{ port: 9090 }],
      selector: { "distri-infer.ndsl.cn/step": "classify" },
    },
  });
  const envOf = async (name: string) =>
    (await client.get(Deployment, named(name))).spec.template.spec
      ?.containers[0]?.env;
  expect(await envOf("vision-detect")).toEqual([
    { name: "NEXT_STEP", value: "http://vision-classify:9090" },
  ]);
  expect(await envOf("vision-classify")).toBeUndefined();
});

it("reports its phase: no volume yet, some steps ready, all steps ready", async () => {
  await create("speech", [stepOf("hear"), stepOf("answer")]);
  await has("speech", { phase: "Pending", ready: "0/2" });
  await client.status.patch(PersistentVolumeClaim, named("speech"), {
    phase: "Bound",
  });
  await has("speech", { phase: "Starting", ready: "0/2" });
  await setReady("speech-hear");
  await has("speech", { phase: "Starting", ready: "1/2" });
  await setReady("speech-answer");
  await has("speech", { phase: "Running", ready: "2/2" });
});

it("restores deleted objects, and deletes those of a removed step", async () => {
  await create("text", [stepOf("read"), stepOf("sum")]);
  await has("text", { ready: "0/2" });
  await client.delete(Service, named("text-read"));
  await running.eventually(() => client.get(Service, named("text-read")));
  await client.patch(Pipeline, "text", { spec: { steps: [stepOf("read")] } });
  await isGone(Deployment, "text-sum");
  await isGone(Service, "text-sum");
  await has("text", { ready: "0/1" });
  expect(
    (await client.get(Deployment, named("text-read"))).metadata
      .deletionTimestamp,
  ).toBeUndefined();
});

it("restores its volume", async () => {
  await create("maps", [stepOf("draw")]);
  await has("maps", { phase: "Pending" });
  const volume = await client.get(PersistentVolume, "pipeline-maps");
  await client.delete(PersistentVolume, "pipeline-maps");
  await client // as the controller for volumes in use
    .patch(PersistentVolume, "pipeline-maps", {
      metadata: { finalizers: null },
    })
    .catch(ignoreNotFound);
  await running.eventually(async () =>
    expect(
      (await client.get(PersistentVolume, "pipeline-maps")).metadata.uid,
    ).not.toBe(volume.metadata.uid),
  );
});

it("moves all of its objects to another namespace", async () => {
  await client.create(Namespace, { metadata: { name: "moved" } });
  await create("sound", [stepOf("hear")]);
  await has("sound", { phase: "Pending" });
  await client.patch(Pipeline, "sound", { spec: { namespace: "moved" } });
  const moved = (name: string) => ({ namespace: "moved", name });
  const kinds: readonly Kind[] = [Deployment, Service];
  for (const kind of kinds) {
    await running.eventually(() => client.get(kind, moved("sound-hear")));
    await isGone(kind, "sound-hear");
  }
  await running.eventually(() =>
    client.get(PersistentVolumeClaim, moved("sound")),
  );
  const claim = await client // it may still be protected
    .get(PersistentVolumeClaim, named("sound"))
    .catch(ignoreNotFound);
  expect(claim === undefined || "deletionTimestamp" in claim.metadata).toBe(
    true,
  );
});

it("deletes its volume before it is deleted itself, because nobody else would", async () => {
  await create("audio", [stepOf("hear")]);
  await has("audio", { phase: "Pending" });
  expect((await client.get(Pipeline, "audio")).metadata.finalizers).toEqual([
    "distri-infer.ndsl.cn/volume",
  ]);
  await client.delete(Pipeline, "audio");
  await running.eventually(() =>
    expect(client.get(Pipeline, "audio")).rejects.toSatisfy(isNotFound),
  );
  const volume = await client
    .get(PersistentVolume, "pipeline-audio")
    .catch(ignoreNotFound);
  expect(
    volume === undefined || volume.metadata.deletionTimestamp !== undefined,
  ).toBe(true); // or it is still protected
});

it("has at least one step, and shows its phase in a column", async () => {
  await expect(create("none", [])).rejects.toSatisfy(isInvalid);
  expect(
    Pipeline.crd.spec.versions[0]?.additionalPrinterColumns?.map(
      ({ name }) => name,
    ),
  ).toEqual(["Phase", "Ready"]);
});
