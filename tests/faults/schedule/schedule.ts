import fc from "fast-check";
import { type Fault, type FaultName, faultNames } from "../server/fault-plan.ts";
import type { ServerTraits } from "../server/simulated-server.ts";

/** One step of a schedule. */
export type Step =
  | { readonly do: "put" | "delete" | "recreate"; readonly key: string }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "addHandler" }
  | ({ readonly do: "fault" } & Fault);

/** The steps and the world of one run. */
export interface Schedule {
  readonly server: ServerTraits & { readonly startVersion: bigint };
  readonly informer: {
    readonly useWatchList: boolean;
    readonly pageSize: number | undefined;
    readonly resyncMs: number | false;
    readonly deferBodies: boolean;
  };
  /** Seed of the informer's random numbers. */
  readonly random: number;
  /** Steps before the informer starts. */
  readonly before: readonly Step[];
  readonly steps: readonly Step[];
}

/** Records whose printed text is valid source code. */
const plain = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc.record(model, { noNullPrototype: true });

const key = fc.constantFrom("web/a", "web/b", "web/c", "db/a", "db/z");

const write: fc.Arbitrary<Step> = plain({
  do: fc.constantFrom("put" as const, "put" as const, "delete" as const, "recreate" as const),
  key,
});

const wait: fc.Arbitrary<Step> = plain({
  do: fc.constant("wait" as const),
  ms: fc.constantFrom(0, 0, 1, 900, 5_000, 70_000, 130_000),
});

/** Faults that cause a new request give others an opportunity, so they are more frequent. */
const weights: Partial<Record<FaultName, number>> = {
  connectionReset: 3,
  endOfStream: 2,
  goneMidWatch: 3,
  compaction: 3,
  goneOnNextPage: 3,
  staleList: 3,
};

const fault: fc.Arbitrary<Step> = plain({
  do: fc.constant("fault" as const),
  name: fc.oneof(...faultNames.map((name) => ({ weight: weights[name] ?? 1, arbitrary: fc.constant(name) }))),
  at: fc.nat(999),
  variant: fc.nat(27),
});

const step = fc.oneof(
  { weight: 5, arbitrary: write },
  { weight: 4, arbitrary: fault },
  { weight: 3, arbitrary: wait },
  { weight: 1, arbitrary: fc.constant<Step>({ do: "addHandler" }) },
);

/** Versions gain a digit, or exceed the range of a number, during a run. */
const startVersion = fc.constantFrom(1n, 8_000_000n, 9_007_199_254_740_990n, 99_999_999_999_999_999_990n);

export const schedules: fc.Arbitrary<Schedule> = plain({
  server: plain({
    startVersion,
    knowsWatchList: fc.boolean(),
    pagesListsAtZero: fc.boolean(),
    deletesKeepVersion: fc.constantFrom(false, false, false, true),
    isTypeFirst: fc.boolean(),
    latencyMs: fc.constantFrom(0, 0, 20, 400),
  }),
  informer: plain({
    useWatchList: fc.boolean(),
    pageSize: fc.constantFrom(undefined, 1, 2),
    resyncMs: fc.constantFrom<(number | false)[]>(false, false, 30_000),
    deferBodies: fc.boolean(),
  }),
  random: fc.nat(0xffff_ffff),
  before: fc.array(fc.oneof({ weight: 3, arbitrary: write }, { weight: 2, arbitrary: fault }), {
    maxLength: 8,
    size: "max",
  }),
  steps: fc.array(step, { minLength: 1, maxLength: 30, size: "max" }),
});
