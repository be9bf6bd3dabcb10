import { controllerManagedBy } from "@kubewright/builder";
import { Client, type Connection } from "@kubewright/client";
import { ConfigMap, Secret } from "@kubewright/client/kinds";
import { Environment } from "@kubewright/envtest";
import { silentLogger } from "@kubewright/log";
import type { Manager } from "@kubewright/manager";
import { afterAll, beforeAll, expect, it } from "vitest";
import { operator } from "./operator.ts";
import { program } from "./program.ts";

let env: Environment;
let admin: Client;
beforeAll(async () => {
  env = await Environment.start();
  admin = new Client({ connection: env.connection() });
});
afterAll(async () => {
  await admin.close();
  await env.stop();
});

const roleOf = (name: string, ...verbs: string[]) => ({
  metadata: { name },
  rules: [{ apiGroups: [""], resources: ["configmaps"], verbs }],
});
const missing = 'forbidden: create configmaps; add the verb "create" on configmaps to the role';

/** Tries to create a ConfigMap, and waits until it is stopped. */
const makes =
  (name: string) =>
  async ([connection]: readonly [Connection], signal: AbortSignal): Promise<void> => {
    await using client = new Client({ connection });
    await client.create(ConfigMap, { metadata: { namespace: "default", name } }).catch(() => {});
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  };
const get = (name: string) => admin.get(ConfigMap, { namespace: "default", name });

it("runs a program with its role, and waits for its effects", async () => {
  await using running = await program([{ env, role: roleOf("maker", "create") }], makes("made"));
  expect((await running.eventually(() => get("made"))).metadata.name).toBe("made");
  expect(running.refused).toEqual([]);
});

it("stops waiting if a request was refused", async () => {
  const running = await program([{ env, role: roleOf("reader", "get") }], makes("never"));
  await expect(running.eventually(() => get("never"), { timeoutMs: 600_000 })).rejects.toThrow(missing);
  expect(running.refused).toEqual([missing]);
  await expect(running.stop()).rejects.toThrow(missing);
});

it("fails the test with the refusal, once", async () => {
  const failing = async () => {
    await using running = await program([{ env, role: roleOf("reader", "get") }], makes("never"));
    await running.eventually(() => get("never"));
  };
  await expect(failing()).rejects.toThrow(missing);
});

it("stops waiting if the program has ended", async () => {
  const failing = await program([{ env, role: roleOf("nobody", "get") }], () => Promise.reject(new Error("no luck")));
  await expect(failing.eventually(() => get("never"), { timeoutMs: 600_000 })).rejects.toThrow("no luck");
  await expect(failing.stop()).rejects.toThrow("no luck");
  await using done = await program([{ env, role: roleOf("nobody", "get") }], () => Promise.resolve());
  const waiting = done.eventually(() => get("never"), { timeoutMs: 600_000 });
  await expect(waiting).rejects.toThrow("the program has ended");
});

it("throws the last error after the timeout", async () => {
  await using running = await program([{ env, role: roleOf("waiter", "create") }], makes("wait"));
  await expect(running.eventually(() => get("never"), { timeoutMs: 50 })).rejects.toThrow('"never" not found');
});

it("binds a manager's program to a given role instead of the generated ones", async () => {
  const setup = (manager: Manager): void => {
    controllerManagedBy(manager)
      .for(ConfigMap)
      .complete(async (request) => {
        if (request === "default/watched") await manager.apiReader.get(Secret, "default/none");
      });
  };
  const options = { logger: silentLogger, metrics: { bindAddress: "0" }, role: roleOf("watcher", "list", "watch") };
  await admin.create(ConfigMap, { metadata: { namespace: "default", name: "watched" } });
  const running = await operator(env, setup, { ...options, user: "watcher" });
  const refused = 'forbidden: get secrets; add the verb "get" on secrets to the role';
  await expect(running.eventually(() => get("never"))).rejects.toThrow(refused);
  await expect(running.stop()).rejects.toThrow(refused);
});
