import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ReadWriter } from "@kubewright/client";
import { Controller } from "@kubewright/controller";
import { Environment } from "@kubewright/envtest";
import type { Manager } from "@kubewright/manager";
import { FlightRecorder } from "@kubewright/replay";
import { Player, Recording } from "@kubewright/replay/player";
import {
  aroundWrites,
  Client,
  type ConnectionSettings,
  type Kind,
  type ManagerOptions,
  silentLogger,
} from "kubewright";
import { beforeAll, describe, expect, it, vi } from "vitest";

interface Example {
  /** Modules of the program, and of its kind. */
  readonly modules: readonly [program: string, kind: string];
  readonly kind: string;
  /** True if the program takes options instead of a connection. */
  readonly takesOptions: boolean;
  /** Returns the spec of an object after a number of changes. */
  readonly spec: (change: number) => object;
}

interface Program {
  readonly kind: Kind & { readonly crd: object };
  /** Runs the program until the signal aborts. */
  run(connection: ConnectionSettings, signal: AbortSignal, more?: ManagerOptions): Promise<void>;
}

const common: ManagerOptions = {
  ...{ fieldOwner: "example", metrics: { bindAddress: "0" }, webhooks: { disabled: true }, logger: silentLogger },
};
const containers = [{ name: "job", image: "busybox" }];
const jobTemplate = { spec: { template: { spec: { containers, restartPolicy: "Never" } } } };

const examples: readonly Example[] = [
  {
    modules: ["01-minimal/main.ts", "01-minimal/main.ts"],
    kind: "Site",
    takesOptions: false,
    spec: (change) => ({ image: `nginx:${change}`, replicas: change % 4 }),
  },
  {
    modules: ["06-app/main.ts", "06-app/app.ts"],
    kind: "App",
    takesOptions: true,
    spec: (change) => ({
      image: "nginx",
      replicas: change,
      enable_service: change % 2 === 1,
      enable_ingress: change % 3 > 0,
    }),
  },
  {
    modules: ["08-cronjob/main.ts", "08-cronjob/api/cron-job.ts"],
    kind: "CronJob",
    takesOptions: true,
    spec: (change) => ({ schedule: "* * * * *", concurrencyPolicy: "Forbid", suspend: change % 2 === 1, jobTemplate }),
  },
];

async function programOf({ modules, kind, takesOptions }: Example): Promise<Program> {
  const load = (path: string) => import(new URL(`../../examples/${path}`, import.meta.url).href);
  const [{ main }, kinds] = await Promise.all(modules.map(load));
  return {
    kind: kinds[kind],
    run: (connection, signal, more) => main(takesOptions ? { ...common, ...more, connection } : connection, signal),
  };
}

const least = 340;
const objects = 12;

/** Calls `use` with each manager that runs meanwhile. */
async function withManagers<T>(use: (manager: Manager) => void, work: () => Promise<T>): Promise<T> {
  const listener = (manager: unknown): void => use(manager as Manager); // the channel carries managers
  subscribe("kubewright.manager.run", listener);
  try {
    return await work();
  } finally {
    unsubscribe("kubewright.manager.run", listener);
  }
}

/** Runs an example until enough reconciles are recorded. */
async function recorded({ spec }: Example, { kind, run }: Program): Promise<Recording> {
  await using env = await Environment.start({ crds: [kind], inProcess: true });
  await using client = new Client({ connection: env.connection() });
  const recorder = new FlightRecorder({ maxBytes: 256 << 20 });
  const stop = new AbortController();
  await withManagers(
    (manager) => {
      manager.recording.recorder = recorder;
    },
    async () => {
      const running = run(env.connection(), stop.signal);
      for (let change = 0; recorder.recorded.length < least; change++) {
        const before = recorder.recorded.length;
        for (let at = 0; at < objects; at++) {
          const object = { metadata: { name: `object-${at}`, namespace: "default" }, spec: spec(change) };
          if (change === 0) await client.create(kind, object);
          else {
            const operation = { op: "replace", path: "/spec", value: object.spec } as const;
            await client.patch(kind, `default/object-${at}`, [operation], { type: "json" });
          }
        }
        await vi.waitUntil(() => recorder.recorded.length >= before + objects, { timeout: 30_000, interval: 5 });
      }
      stop.abort();
      await running;
    },
  );
  return Recording.read(recorder.dump(0));
}

/** Returns the reconciler of an example, loaded as a replay does. */
async function reconcilerOf({ run }: Program, player: Player): Promise<Controller["reconcile"]> {
  const managers: Manager[] = [];
  await withManagers(
    (manager) => managers.push(manager),
    () => run(player.connection, AbortSignal.abort(), { clock: player.clock }),
  );
  const [controller] = managers.flatMap(({ runnables }) => runnables.filter((one) => one instanceof Controller));
  if (!controller) throw new Error("the example has no controller");
  return controller.reconcile;
}

describe.each(examples)("the example of $kind", (example) => {
  let program: Program;
  let recording: Recording;
  beforeAll(async () => {
    program = await programOf(example);
    recording = await recorded(example, program);
  }, 120_000);

  it("does the same in each replay", { timeout: 60_000 }, async () => {
    const player = new Player(recording);
    const reconcile = await reconcilerOf(program, player);
    const { reconciles } = recording;
    expect(reconciles.length).toBeGreaterThanOrEqual(least);
    const outcomes: unknown[] = [];
    const skipped: string[] = [];
    for (const one of reconciles) {
      const outcome = await player.replay(one, reconcile);
      if (outcome.difference !== undefined) outcomes.push({ number: one.number, ...outcome });
      if (outcome.skipped !== undefined) skipped.push(outcome.skipped);
    }
    expect(outcomes).toEqual([]);
    // The program was stopped.
    expect(skipped.filter((reason) => reason !== "the reconcile was interrupted")).toEqual([]);
    expect(skipped.length).toBeLessThanOrEqual(1);
  });

  it("is found out at the reconcile at which a planted change acts", { timeout: 60_000 }, async () => {
    const player = new Player(recording);
    const reconcile = await reconcilerOf(program, player);
    const changed = (client: ReadWriter): ReadWriter =>
      aroundWrites(client, (call, next) => {
        const isPlanted = call.verb !== "delete" && call.object?.metadata.name === "object-7";
        return next(isPlanted ? { ...call, options: { ...call.options, dryRun: true } } : call);
      });
    const differing: unknown[] = [];
    const writing = recording.reconciles.filter(
      ({ steps, unusable }) =>
        unusable === undefined &&
        steps.some(({ verb, key }) => /create|patch|apply/.test(verb) && key === "default/object-7"),
    );
    for (const one of recording.reconciles) {
      const { difference } = await player.replay(one, (request: string, context) =>
        reconcile(request, { ...context, client: changed(context.client) }),
      );
      if (difference === undefined) continue;
      expect(difference).toContain("options.dryRun: recorded nothing, now true");
      differing.push(one.number);
    }
    expect(differing.length).toBeGreaterThan(5);
    expect(differing).toEqual(writing.map(({ number }) => number));
  });
});
