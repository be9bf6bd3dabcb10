import { defineKind, type Kind } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import { FakeClock } from "@kubewright/clock/testing";
import { Environment } from "@kubewright/envtest";
import { LeaseCandidate, type LeaseCandidateObject, leaseCandidates } from "@kubewright/leader-election";
import { afterAll, beforeAll, expect, it } from "vitest";
import { recordingLogger } from "../informer/recording-logger.ts";

// Servers support lease candidates only behind a feature gate: here they are a custom kind of the same form.
const standIn = defineKind({
  group: "leases.example.com",
  version: "v1beta1",
  kind: "LeaseCandidate",
  plural: "leasecandidates",
  scope: "Namespaced",
  spec: {
    type: "object",
    properties: Object.fromEntries(
      ["leaseName", "binaryVersion", "emulationVersion", "strategy", "pingTime", "renewTime"].map((name) => [
        name,
        { type: "string" },
      ]),
    ),
  },
});
const standInKind: Kind<LeaseCandidateObject> = { ...leaseCandidates, group: "leases.example.com" };

let env: Environment;
let client: Client;
beforeAll(async () => {
  env = await Environment.start({ crds: [standIn] });
  client = new Client({ connection: env.connection() });
});
afterAll(async () => {
  await client?.close();
  await env?.stop();
});

/** Returns a client that uses the stand-in as the kind. */
const standInClient: Pick<Client, "get" | "create" | "update" | "watch"> = {
  get: (_kind: Kind, ...rest: [never]) => client.get(standInKind, ...rest) as never,
  create: (_kind: Kind, object: object) =>
    client.create(standInKind, {
      ...object,
      apiVersion: "leases.example.com/v1beta1",
    } as LeaseCandidateObject) as never,
  update: (_kind: Kind, object: object) => client.update(standInKind, object as LeaseCandidateObject) as never,
  watch: (_kind: Kind, options?: object) => client.watch(standInKind, options) as never,
};

const start = (name: string, clock: FakeClock) => {
  const stop = new AbortController();
  const candidate = new LeaseCandidate({
    client: standInClient,
    namespace: "default",
    name,
    leaseName: "shop",
    binaryVersion: "1.37.0",
    emulationVersion: "1.35.0",
    clock,
  });
  const run = candidate.run(stop.signal);
  const specOf = async () => (await client.get(standInKind, `default/${name}`)).spec;
  return {
    specOf,
    end: async () => {
      stop.abort();
      await run;
    },
  };
};

it("LE-029 creates a candidate, with its versions and the time", async () => {
  const { specOf, end } = start("a", new FakeClock());
  await expect
    .poll(() => specOf().catch(() => undefined))
    .toEqual({
      leaseName: "shop",
      binaryVersion: "1.37.0",
      emulationVersion: "1.35.0",
      strategy: "OldestEmulationVersion",
      renewTime: "2026-01-01T00:00:00.000000Z",
    });
  await end();
});

it("LE-030 answers a ping with a newer renew time", async () => {
  const clock = new FakeClock();
  const { specOf, end } = start("b", clock);
  await expect.poll(() => specOf().catch(() => undefined)).toBeDefined();
  await clock.advance(60_000);
  await client.patch(standInKind, "default/b", { spec: { pingTime: "2026-01-01T00:00:30.000000Z" } });
  await expect.poll(async () => (await specOf())?.renewTime).toBe("2026-01-01T00:01:00.000000Z");
  expect((await specOf())?.pingTime).toBe("2026-01-01T00:00:30.000000Z");
  await end();
});

it("LE-030 renews every five minutes without a ping", async () => {
  const clock = new FakeClock();
  const { specOf, end } = start("c", clock);
  await expect.poll(() => specOf().catch(() => undefined)).toBeDefined();
  await clock.advance(299_999);
  expect((await specOf())?.renewTime).toBe("2026-01-01T00:00:00.000000Z");
  await clock.advance(1);
  await expect.poll(async () => (await specOf())?.renewTime).toBe("2026-01-01T00:05:00.000000Z");
  await end();
});

it("reports once that the server does not serve lease candidates, and tries again", async () => {
  const clock = new FakeClock();
  const { logger, lines } = recordingLogger();
  const stop = new AbortController();
  let attempts = 0;
  const counted: typeof standInClient = {
    ...standInClient,
    get: (...args: [never, never]) => {
      attempts++;
      return client.get(...args) as never;
    },
  };
  const options = { namespace: "default", name: "d", leaseName: "shop", binaryVersion: "1.36.0" };
  const run = new LeaseCandidate({ ...options, client: counted, clock, logger }).run(stop.signal);
  await expect.poll(() => lines).toHaveLength(1);
  await clock.advance(29_999);
  expect(attempts).toBe(1);
  await clock.advance(1);
  await expect.poll(() => attempts).toBe(2);
  expect(lines.map(({ msg }) => msg)).toEqual([expect.stringContaining("the server does not serve LeaseCandidates")]);
  stop.abort();
  await run;
});
