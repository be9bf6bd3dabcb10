import { isConflict } from "@kubewright/apimachinery";
import { Environment } from "@kubewright/envtest";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ConfigMap, Deployment } from "../kinds/index.ts";
import { Client } from "./client.ts";
import { applyAndTakeOver } from "./take-over.ts";
import { aroundWrites } from "./wrapped-clients.ts";

let env: Environment;
let client: Client;
beforeAll(async () => {
  env = await Environment.start({});
  client = new Client({ connection: env.connection() });
});
afterAll(async () => {
  await client?.close();
  await env?.stop();
});

const options = { fieldOwner: "new", from: ["old"] };
const key = (name: string) => ({ namespace: "default", name });
const owners = async (name: string): Promise<(string | undefined)[]> =>
  ((await client.get(ConfigMap, key(name))).metadata.managedFields ?? []).map(
    ({ manager, operation }) => `${operation} ${manager}`,
  );

/** Returns a client that counts its writes. */
function counting() {
  const verbs: string[] = [];
  const counted = aroundWrites(client, (call, next) => {
    verbs.push(call.verb);
    return next(call);
  });
  return { counted, verbs };
}

it("takes over the fields of a former owner, removes those that it does not apply, and then only applies", async () => {
  const metadata = { ...key("page"), labels: { site: "north", former: "yes" } };
  await client.create(ConfigMap, { metadata, data: { a: "1", b: "1" } }, { fieldOwner: "old" });
  await client.patch(ConfigMap, key("page"), { data: { edited: "1" } }, { fieldOwner: "kubectl-edit" });
  const desired = { metadata: { ...key("page"), labels: { site: "north" } }, data: { a: "2" } };

  await client.apply(ConfigMap, desired, { fieldOwner: "new", force: true });
  expect((await client.get(ConfigMap, key("page"))).data).toEqual({ a: "2", b: "1", edited: "1" });

  const { counted, verbs } = counting();
  const taken = await applyAndTakeOver(counted, ConfigMap, desired, options);
  expect(taken).toMatchObject({ data: { a: "2", edited: "1" }, metadata: { labels: { site: "north" } } });
  expect([taken.data?.b, taken.metadata.labels?.former]).toEqual([undefined, undefined]);
  expect(await owners("page")).toEqual(["Apply new", "Update kubectl-edit"]);
  expect(verbs).toEqual(["apply", "patch", "apply"]);

  const again = await applyAndTakeOver(counted, ConfigMap, desired, options);
  expect(again.metadata.resourceVersion).toBe(taken.metadata.resourceVersion);
  expect(verbs).toHaveLength(4);
});

it("takes over lists whose items have keys, and fields that contain fields", async () => {
  const labels = { app: "web" };
  const withEnv = (...env: { name: string; value: string }[]) => ({
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web", env }] } },
  });
  const [a, b] = ["a", "b"].map((name) => ({ name, value: "1" })) as [
    { name: string; value: string },
    { name: string; value: string },
  ];
  await client.create(Deployment, { metadata: key("web"), spec: withEnv(a, b) }, { fieldOwner: "old" });
  const desired = { metadata: key("web"), spec: withEnv(a) };
  const taken = await applyAndTakeOver(client, Deployment, desired, options);
  expect(taken.spec.template.spec?.containers[0]?.env).toEqual([a]);
  expect(taken.metadata.managedFields?.map(({ manager }) => manager)).toEqual(["new"]);
});

it("creates an object that does not exist, and takes over from an owner that writes again", async () => {
  const desired = { metadata: key("fresh"), data: { a: "1", b: "1" } };
  await applyAndTakeOver(client, ConfigMap, desired, options);
  expect(await owners("fresh")).toEqual(["Apply new"]);
  await client.patch(ConfigMap, key("fresh"), { data: { a: "2", c: "2" } }, { fieldOwner: "old" });
  expect(await owners("fresh")).toEqual(["Apply new", "Update old"]);
  expect((await applyAndTakeOver(client, ConfigMap, desired, options)).data).toEqual({ a: "1", b: "1" });
  expect(await owners("fresh")).toEqual(["Apply new"]);
});

it("does not change the object in a dry run", async () => {
  const made = await client.create(ConfigMap, { metadata: key("dry"), data: { a: "1" } }, { fieldOwner: "old" });
  const { counted, verbs } = counting();
  const desired = { metadata: key("dry"), data: { b: "1" } };
  await applyAndTakeOver(counted, ConfigMap, desired, { ...options, dryRun: true });
  expect(await client.get(ConfigMap, key("dry"))).toEqual(made);
  expect(verbs).toEqual(["apply"]);
});

it("fails with Conflict if the object changes between the requests", async () => {
  await client.create(ConfigMap, { metadata: key("raced"), data: { a: "1" } }, { fieldOwner: "old" });
  const racing = aroundWrites(client, async (call, next) => {
    if (call.verb === "patch")
      await client.patch(ConfigMap, key("raced"), { data: { c: "1" } }, { fieldOwner: "someone" });
    return next(call);
  });
  const desired = { metadata: key("raced"), data: { a: "1" } };
  await expect(applyAndTakeOver(racing, ConfigMap, desired, options)).rejects.toSatisfy(isConflict);
  expect(await owners("raced")).toContain("Update old");
});
