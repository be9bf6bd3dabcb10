import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@kubewright/client";
import { ConfigMap, Secret } from "@kubewright/client/kinds";
import { asReconciler, Controller } from "@kubewright/controller";
import { Environment } from "@kubewright/envtest";
import { silentLogger } from "@kubewright/log";
import { Manager, type ManagerOptions } from "@kubewright/manager";
import { Player, Recording } from "@kubewright/replay/player";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { controllerManagedBy } from "./controller-builder.ts";

let env: Environment;
let client: Client;
let folder: string;
beforeAll(async () => {
  env = await Environment.start({ inProcess: true });
  client = new Client({ connection: env.connection() });
});
afterAll(async () => {
  await client.close();
  await env.stop();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kubewright-recorder-test-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const files = (): string[] => readdirSync(folder).sort();
const recordingIn = (file: string | undefined): Recording => Recording.read(readFileSync(join(folder, file ?? "")));

/** A program that copies a Secret's owner into a ConfigMap, and has a bug. */
function program(options: ManagerOptions, done: (key: string) => void): Manager {
  const manager = new Manager({
    ...{ connection: env.connection(), fieldOwner: "test", metrics: { bindAddress: "0" }, logger: silentLogger },
    ...options,
  });
  controllerManagedBy(manager)
    .named("owners")
    .for(Secret)
    .complete(
      asReconciler(Secret, async ({ metadata: { name, namespace }, data }, context) => {
        try {
          if (data?.bug) (undefined as unknown as { call(): void }).call();
          const at = String(context.clock.now());
          await context.client.apply(ConfigMap, {
            metadata: { name, namespace },
            data: { owner: data?.owner ?? "", at },
          });
        } finally {
          done(`${namespace}/${name}`);
        }
      }),
    );
  return manager;
}

/** Runs the program until it has reconciled each Secret. */
async function ran(
  options: ManagerOptions,
  secrets: Readonly<Record<string, object>>,
  then: (manager: Manager) => void,
) {
  const left = new Map(Object.keys(secrets).map((name) => [`default/${name}`, Promise.withResolvers<void>()]));
  const stop = new AbortController();
  const manager = program(options, (key) => left.get(key)?.resolve());
  const running = manager.run(stop.signal);
  for (const [name, stringData] of Object.entries(secrets)) {
    await client.create(Secret, { metadata: { name, namespace: "default" }, stringData: { ...stringData } });
    await left.get(`default/${name}`)?.promise;
  }
  await new Promise(setImmediate);
  then(manager);
  stop.abort();
  await running;
  return manager;
}

it("saves a recording at the first programming error and on SIGUSR2, which replays identically", async () => {
  const recorder = { maxBytes: 1 << 20, folder };
  const secrets = {
    a: { owner: "planted-owner-name" },
    b: { bug: "yes" },
    c: { bug: "too" },
    d: { owner: "somebody" },
  };
  const manager = await ran({ name: "owners/x", recorder }, secrets, () => {
    expect(files()).toHaveLength(1);
    process.emit("SIGUSR2");
  });
  const [atPanic, onSignal, ...others] = files();
  expect(others).toEqual([]);
  expect(atPanic).toMatch(/^owners_x-\d+-[\dTZ-]+\.kwr$/);
  expect(statSync(join(folder, atPanic ?? "")).mode & 0o777).toBe(0o600);
  expect(recordingIn(atPanic).reconciles.at(-1)).toMatchObject({
    controller: "owners",
    request: "default/b",
    error: { name: "TypeError" },
  });
  expect(process.listenerCount("SIGUSR2")).toBe(0);

  const recording = recordingIn(onSignal);
  expect(recording.name).toBe("owners/x");
  expect(new Set(recording.reconciles.map(({ request }) => request))).toEqual(
    new Set(["default/a", "default/b", "default/c", "default/d"]),
  );
  const player = new Player(recording);
  const replayed = program({ connection: player.connection, clock: player.clock }, () => {});
  const [controller] = [manager, replayed]
    .map(({ runnables }) => runnables.find((one) => one instanceof Controller))
    .slice(1);
  for (const reconcile of recording.reconciles)
    expect(await player.replay(reconcile, (controller as Controller).reconcile)).toEqual({});
});

it("records nothing by default", async () => {
  await ran({}, { e: { owner: "x" } }, (manager) => {
    expect(manager.recording.recorder).toBeUndefined();
    expect(manager.recording.dump()).toBeUndefined();
    expect(manager.recording.save("test")).toBeUndefined();
    expect(process.listenerCount("SIGUSR2")).toBe(0);
  });
});

it("reports options that are not valid, and keeps running if a file cannot be written", async () => {
  const invalid = program({ recorder: { maxBytes: 1 } }, () => {});
  await expect(invalid.run(new AbortController().signal)).rejects.toThrow("recorder: maxBytes must be at least 65536");
  await ran({ recorder: { folder: join(folder, "none") } }, { f: { bug: "yes" }, g: { owner: "x" } }, (manager) => {
    expect(manager.recording.save("test")).toBeUndefined();
  });
});
