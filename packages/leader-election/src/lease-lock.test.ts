import { conflict, notFound } from "@kubewright/apimachinery";
import type { Lease } from "@kubewright/client/kinds";
import { expect, it } from "vitest";
import { LeaseLock, type LeaseLockOptions } from "./lease-lock.ts";

const leases = { group: "coordination.k8s.io", resource: "leases" };
const { signal } = new AbortController();

/** One lease, as a server keeps it. */
class Server {
  stored: Lease | undefined;
  #version = 0;
  /** Called before a response is returned. */
  delay: () => Promise<void> | undefined = () => undefined;

  put(spec: NonNullable<Lease["spec"]>): void {
    const metadata = { name: "lock", namespace: "ns", resourceVersion: String(++this.#version) };
    this.stored = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec };
  }

  readonly client: LeaseLockOptions["client"] = {
    get: async () => {
      const found = this.stored;
      if (!found) throw notFound(leases, "lock");
      await this.delay();
      return structuredClone(found) as never;
    },
    create: async () => {
      throw new Error("there is one");
    },
    update: async (_kind, object) => {
      const lease = structuredClone(object) as unknown as Lease;
      if (lease.metadata.resourceVersion !== this.stored?.metadata.resourceVersion)
        throw conflict(leases, "lock", "it changed");
      this.put(lease.spec ?? {});
      return structuredClone(this.stored) as never;
    },
  };
}

const lockOn = (server: Server): LeaseLock =>
  new LeaseLock({ client: server.client, namespace: "ns", name: "lock", identity: "a" });

it.each([
  ["05.678901Z", "05.678901Z"],
  ["05.000007Z", "05.000007Z"],
  ["05.6789Z", "05.678900Z"],
  ["05.678Z", "05.678000Z"],
  ["05Z", "05.000000Z"],
])("keeps the microseconds of a time written by others: %s", async (written, kept) => {
  const server = new Server();
  const times = (seconds: string) => ({
    acquireTime: `2026-01-02T03:04:${seconds}`,
    renewTime: `2027-01-02T03:04:${seconds}`,
  });
  server.put({ holderIdentity: "a", leaseDurationSeconds: 15, leaseTransitions: 2, ...times(written) });
  const lock = lockOn(server);
  await lock.update(await lock.get(signal), signal);
  expect(server.stored?.spec).toMatchObject(times(kept));
});

it.each([undefined, "", "yesterday"])("treats %j as a time long ago, so that the lease can be taken", async (time) => {
  const server = new Server();
  server.put({
    holderIdentity: "b",
    leaseDurationSeconds: 15,
    ...(time === undefined ? {} : { acquireTime: time, renewTime: time }),
  });
  const lock = lockOn(server);
  const record = await lock.get(signal);
  expect([record.acquireTimeMs, record.renewTimeMs]).toEqual([0, 0]);
  await lock.update({ ...record, holderIdentity: "a" }, signal);
  expect(server.stored?.spec?.holderIdentity).toBe("a");
});

it("replaces the version that was last read, not that of a later response to a cancelled call", async () => {
  const server = new Server();
  server.put({ holderIdentity: "b" });
  const lock = lockOn(server);
  const record = await lock.get(signal);

  const abandoned = new AbortController();
  server.put({ holderIdentity: "b", leaseTransitions: 7 }); // it was renewed
  const { promise, resolve } = Promise.withResolvers<void>();
  server.delay = () => promise;
  const late = lock.get(abandoned.signal);
  abandoned.abort();
  resolve();
  await expect(late).rejects.toThrow("aborted");

  await expect(lock.update({ ...record, holderIdentity: "a" }, signal)).rejects.toThrow("it changed");
});
