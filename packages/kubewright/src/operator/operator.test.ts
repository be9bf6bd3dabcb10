import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { splitKey } from "@kubewright/apimachinery";
import { controllerManagedBy } from "@kubewright/builder";
import { Client } from "@kubewright/client";
import { ClusterRole, ConfigMap, Namespace, RoleBinding, Secret, Service } from "@kubewright/client/kinds";
import { Environment } from "@kubewright/envtest";
import { silentLogger } from "@kubewright/log";
import type { Manager } from "@kubewright/manager";
import { requestedAccess } from "@kubewright/manager/http";
import { parseObserved } from "@kubewright/rbac";
import { expect, it, onTestFinished } from "vitest";
import { operator } from "./operator.ts";

const options = { logger: silentLogger, metrics: { bindAddress: "0" } } as const;

/** Copies a Secret's value into a ConfigMap. */
const program =
  (declare: boolean, done: () => void) =>
  (manager: Manager): void => {
    const builder = controllerManagedBy(manager).for(ConfigMap);
    if (declare) builder.needs(Secret, ["get"]).needs(ConfigMap, ["patch"]);
    builder.complete(async (request, { client }) => {
      const { namespace, name } = splitKey(request);
      if (name !== "web") return;
      await manager.apiReader.get(Secret, { namespace, name: "token" }).finally(done);
      await client.patch(ConfigMap, { namespace, name }, { data: { seen: "yes" } });
    });
  };

async function run(env: Environment, declare: boolean): Promise<string[]> {
  const asked = Promise.withResolvers<void>();
  const running = await operator(env, program(declare, asked.resolve), { ...options, user: `it-${declare}` });
  await asked.promise;
  if (declare) {
    await using admin = new Client({ connection: env.connection() });
    await expect
      .poll(async () => (await admin.get(ConfigMap, "default/web")).data, { timeout: 10_000 })
      .toEqual({ seen: "yes" });
    expect(running.observed()).toContainEqual({
      group: "",
      resource: "secrets",
      verbs: ["get"],
      resourceNames: ["token"],
    });
  }
  return running.stop().then(
    () => [],
    (error: Error) => error.message.split("\n"),
  );
}

it("runs a program with its generated roles, and reports missing permissions", { timeout: 60_000 }, async () => {
  await using env = await Environment.start();
  await using admin = new Client({ connection: env.connection() });
  await admin.create(Secret, { metadata: { namespace: "default", name: "token" } });
  await admin.create(ConfigMap, { metadata: { namespace: "default", name: "web" } });
  expect(await run(env, false)).toContain(
    'forbidden: get secrets; add .needs(Secret, ["get"]) or record (KUBEWRIGHT_RBAC=record npm test)',
  );
  expect(await run(env, true)).toEqual([]);
});

it("records used permissions into a file that determines the role", { timeout: 60_000 }, async () => {
  await using env = await Environment.start();
  await using admin = new Client({ connection: env.connection() });
  await admin.create(Secret, { metadata: { namespace: "default", name: "token" } });
  await admin.create(ConfigMap, { metadata: { namespace: "default", name: "web" } });
  const folder = mkdtempSync(join(tmpdir(), "kubewright-observed-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const observedFile = join(folder, "config/rbac/observed.json");
  const seen = async () => (await admin.get(ConfigMap, "default/web")).data?.seen;
  const runOnce = async (user: string, record: boolean): Promise<void> => {
    await admin.patch(ConfigMap, "default/web", { data: { seen: "no" } });
    const running = await operator(
      env,
      program(false, () => {}),
      { ...options, observedFile, user, record },
    );
    await expect.poll(seen, { timeout: 10_000 }).toBe("yes");
    await running.stop();
  };
  await runOnce("recorder", true);
  const text = readFileSync(observedFile, "utf8");
  expect(parseObserved(text, observedFile)).toEqual([
    { group: "", resource: "configmaps", verbs: ["patch"] },
    { group: "", resource: "secrets", verbs: ["get"], resourceNames: ["token"] },
  ]);
  await Promise.all(["again", "and-again"].map((user) => runOnce(user, true)));
  expect(readFileSync(observedFile, "utf8")).toBe(text);
  expect(existsSync(`${observedFile}.lock`)).toBe(false);
  await runOnce("bound", false);

  writeFileSync(observedFile, '{"permissions":[{"group":""}]}');
  await expect(runOnce("broken", false)).rejects.toThrow(
    /observed\.json: permissions\[0\]: \{"group":""\}: must contain a group/,
  );
  await expect(operator(env, () => {}, { ...options, record: true })).rejects.toThrow("set observedFile");
});

it("applies as the user if the program has no field owner", async () => {
  await using env = await Environment.start();
  await using admin = new Client({ connection: env.connection() });
  await admin.create(Secret, { metadata: { namespace: "default", name: "token" } });
  const setup = (manager: Manager): void =>
    void controllerManagedBy(manager)
      .for(Secret)
      .needs(ConfigMap, ["patch", "create"])
      .complete((_, { client }) =>
        client.apply(ConfigMap, { metadata: { namespace: "default", name: "made" } }).then(() => {}),
      );
  await using running = await operator(env, setup, { ...options, user: "it-applies" });
  await running.eventually(async () => {
    expect(await admin.get(ConfigMap, "default/made")).toMatchObject({ kind: "ConfigMap" });
  });
});

it("reports that an apply of a new object needs patch and create", { timeout: 60_000 }, async () => {
  await using env = await Environment.start();
  await using admin = new Client({ connection: env.connection() });
  await admin.create(Secret, { metadata: { namespace: "default", name: "token" } });
  const runOnce = async (record: boolean) => {
    const asked = Promise.withResolvers<void>();
    const setup = (manager: Manager): void =>
      void controllerManagedBy(manager)
        .for(Secret)
        .needs(ConfigMap, ["patch"])
        .complete(async (_, { client }) => {
          await client.apply(ConfigMap, { metadata: { namespace: "default", name: "made" } }).finally(asked.resolve);
        });
    const observedFile = join(tmpdir(), `kubewright-made-${process.pid}.json`);
    onTestFinished(() => rmSync(observedFile, { force: true }));
    const running = await operator(env, setup, {
      ...options,
      fieldOwner: "it",
      user: `it-${record}`,
      record,
      observedFile,
    });
    await asked.promise;
    const observed = running.observed();
    const error = await running.stop().catch(({ message }: Error) => message);
    return { observed, error };
  };
  expect((await runOnce(false)).error).toBe(
    'forbidden: create configmaps; add .needs(ConfigMap, ["create"]) or record (KUBEWRIGHT_RBAC=record npm test)',
  );
  expect((await runOnce(true)).observed).toContainEqual({ group: "", resource: "configmaps", verbs: ["create"] });
});

it("reports escalation with the verb that allows it, and ignores refusals by admission", async () => {
  await using env = await Environment.start();
  await using admin = new Client({ connection: env.connection() });
  await admin.create(ClusterRole, {
    metadata: { name: "reader" },
    rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
  });
  await admin.create(Namespace, { metadata: { name: "going" } });
  await admin.delete(Namespace, "going"); // no controller finishes the deletion here
  const binding = {
    metadata: { namespace: "default", name: "jane-reads" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "reader" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "jane" }],
  };
  const service = { metadata: { namespace: "going", name: "web" }, spec: { ports: [{ port: 80 }] } };
  const runOnce = async (...verbs: ("bind" | "get")[]) => {
    const asked = Promise.withResolvers<readonly string[]>();
    const setup = (manager: Manager): void =>
      void controllerManagedBy(manager)
        .for(Namespace, { predicates: [({ object }) => object.metadata.name === "default"] })
        .needs(RoleBinding, ["create", "patch"])
        .needs(Service, ["create"])
        .needs(ClusterRole, verbs, { names: ["reader"] })
        .complete(async (_, { client }) => {
          const failed = (error: Error): string => error.message;
          const expected = [
            await client.apply(RoleBinding, binding).then(() => "bound", failed),
            await client.create(Service, service).then(() => "made", failed),
          ];
          asked.resolve(expected);
        });
    const running = await operator(env, setup, { ...options, fieldOwner: "it", user: `it-${verbs}` });
    const refused = await asked.promise;
    return [...refused, await running.stop().catch(({ message }: Error) => message)];
  };
  const late = expect.stringContaining("because it is being terminated");
  expect(await runOnce("get")).toEqual([
    expect.stringContaining("attempting to grant RBAC permissions not currently held"),
    late,
    "forbidden: patch rolebindings.rbac.authorization.k8s.io: this would grant permissions that the program itself does not have; " +
      'add .needs(<kind of the role, such as ClusterRole>, ["bind"], { names: [<the role>] })',
  ]);
  expect(await runOnce("bind")).toEqual(["bound", late, undefined]);
}, 60_000);

it.each([
  ["GET", "/api/v1/pods?watch=true", { group: "", resource: "pods", verb: "watch" }],
  [
    "GET",
    "/api/v1/namespaces/a/pods/b/log",
    { group: "", resource: "pods/log", verb: "get", name: "b", namespace: "a" },
  ],
  ["GET", "/api/v1/namespaces/a", { group: "", resource: "namespaces", verb: "get", name: "a" }],
  ["PUT", "/api/v1/namespaces/a/finalize", { group: "", resource: "namespaces/finalize", verb: "update", name: "a" }],
  [
    "DELETE",
    "/apis/apps/v1/namespaces/a/deployments",
    { group: "apps", resource: "deployments", verb: "deletecollection", namespace: "a" },
  ],
  ["GET", "/apis/apps/v1", undefined],
  ["GET", "/version", undefined],
])("reads %s %s", (method, path, call) => {
  expect(requestedAccess(method, path)).toEqual(call);
});
