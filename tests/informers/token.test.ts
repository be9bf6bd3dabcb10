import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isStatusError } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import { ClusterRole, ClusterRoleBinding, ConfigMap, ServiceAccount } from "@kubewright/client/kinds";
import { type Clock, systemClock } from "@kubewright/clock";
import { afterAll, beforeAll, expect, it } from "vitest";
import { onEachBed } from "./harness/beds.ts";
import { Followed } from "./harness/followed.ts";
import { Shelf } from "./harness/shelf.ts";

const name = "watcher";
const lifetimeMs = 15_000;
/** Time for which servers accept a token after it has expired, because clocks may differ. */
const toleranceMs = 60_000;

let aheadMs = 0;
/** Clock of the embedded server. It can be put ahead, so that only the real server takes its time. */
const clock: Clock = { ...systemClock, now: () => systemClock.now() + aheadMs };

onEachBed("informers whose token expires", { clock }, (env) => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "kubewright-token-"));
  });
  afterAll(async () => {
    aheadMs = 0;
    await rm(folder, { recursive: true });
  });

  it("continue with a token that was renewed in time, and recover with one that was renewed too late", async () => {
    await using shelf = await Shelf.make(env(), "token");
    await shelf.fill(0, 10);
    const { namespace } = shelf;
    await allowToWatch(shelf.client, namespace);
    const account = { namespace, name };
    const short = await env().serviceAccountToken(account, { expiresInSeconds: lifetimeMs / 1_000 });
    const files = { renewed: join(folder, "renewed"), stale: join(folder, "stale") };
    for (const file of Object.values(files)) await writeFile(file, short);

    const { server, caData } = env().connection();
    const follow = (tokenFile: string): Promise<Followed<ConfigMap>> =>
      Followed.start({ kind: ConfigMap, connection: { server, caData, tokenFile }, namespace });
    await using renewed = await follow(files.renewed);
    await using stale = await follow(files.stale);
    await writeFile(files.renewed, await env().serviceAccountToken(account, { expiresInSeconds: 600 }));

    await using bearer = new Client({ connection: { server, caData, token: short } });
    const listed = (): Promise<number | undefined> => codeOf(bearer.list(ConfigMap, { namespace }));
    expect(await listed()).toBe(200);
    aheadMs = lifetimeMs + toleranceMs;
    await expect.poll(listed, { timeout: 120_000, interval: 1_000 }).toBe(401);
    env().faults.cutWatches(ConfigMap);
    await shelf.change(0, "green");
    await shelf.drop(1);
    await shelf.put(10);

    await renewed.expectCaughtUp(shelf.list);
    expect([...renewed.codes("watch"), ...renewed.codes("list")]).toEqual([]);
    await expect.poll(() => [...stale.codes("watch"), ...stale.codes("list")]).toContain(401);
    expect(stale.history.objects.has(`${namespace}/box-10`)).toBe(false);

    await writeFile(files.stale, await env().serviceAccountToken(account, { expiresInSeconds: 600 }));
    await stale.expectCaughtUp(shelf.list);
    expect(stale.history.calls).toBe(10 + 3);
  });
});

async function allowToWatch(client: Client, namespace: string): Promise<void> {
  await client.create(ServiceAccount, { metadata: { name, namespace } });
  await client.create(ClusterRole, {
    metadata: { name },
    rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch"] }],
  });
  await client.create(ClusterRoleBinding, {
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
    subjects: [{ kind: "ServiceAccount", name, namespace }],
  });
}

const codeOf = (answer: Promise<unknown>): Promise<number | undefined> =>
  answer.then(
    () => 200,
    (error: unknown) => (isStatusError(error) ? error.status.code : undefined),
  );
