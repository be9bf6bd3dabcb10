import fc from "fast-check";

export const writeFaults = ["lostAnswer", "refused", "late", "crashBefore", "crashAfter"] as const;
export type WriteFault = (typeof writeFaults)[number];

/** One step of a schedule. `who` is a replica, `server` an API server. */
export type Step =
  | { readonly do: "wait"; readonly ms: number }
  /** Affects the replica's next write. */
  | { readonly do: "write"; readonly who: number; readonly fault: WriteFault; readonly ms: number }
  | { readonly do: "kill"; readonly who: number }
  /** Its whole event loop stalls. */
  | { readonly do: "stall"; readonly who: number; readonly ms: number }
  /** It cannot reach the API. */
  | { readonly do: "partition"; readonly who: number; readonly ms: number }
  | { readonly do: "setWall"; readonly who: number; readonly byMs: number }
  /** From now on, it receives configurations with this delay. */
  | { readonly do: "lag"; readonly server: number; readonly ms: number };

export interface Schedule {
  /** Deviations of the replicas' clocks. */
  readonly replicas: readonly number[];
  /** Delays of the API servers. */
  readonly servers: readonly number[];
  /** Seed of the random numbers. */
  readonly random: number;
  readonly steps: readonly Step[];
}

const minuteMs = 60_000;
/** Maximum delay of API servers; shorter than the time that replicas wait before they switch. */
export const longestLagMs = 110_000;

/** Records whose printed text is valid source code. */
const plain = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc.record(model, { noNullPrototype: true });

const who = fc.nat(2);
const lag = fc.constantFrom(0, 1_000, 30_000, longestLagMs);
const long = fc.constantFrom(1_000, 35_000, 3 * minuteMs, 9 * minuteMs, 25 * minuteMs, 50 * minuteMs, 80 * minuteMs);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 10,
    arbitrary: plain({
      do: fc.constant("wait" as const),
      ms: fc.constantFrom(1_000, 61_000, 130_000, 5 * minuteMs, 22 * minuteMs, 40 * minuteMs),
    }),
  },
  {
    weight: 6,
    arbitrary: plain({ do: fc.constant("write" as const), who, fault: fc.constantFrom(...writeFaults), ms: long }),
  },
  { weight: 2, arbitrary: plain({ do: fc.constant("kill" as const), who }) },
  { weight: 2, arbitrary: plain({ do: fc.constant("stall" as const), who, ms: long }) },
  { weight: 2, arbitrary: plain({ do: fc.constant("partition" as const), who, ms: long }) },
  { weight: 1, arbitrary: plain({ do: fc.constant("setWall" as const), who, byMs: fc.constantFrom(-60_000, 60_000) }) },
  { weight: 2, arbitrary: plain({ do: fc.constant("lag" as const), server: who, ms: lag }) },
);

export const schedules: fc.Arbitrary<Schedule> = plain({
  replicas: fc.array(fc.constantFrom(0.998, 1, 1.002), { minLength: 1, maxLength: 3 }),
  servers: fc.array(lag, { minLength: 1, maxLength: 3 }),
  random: fc.nat(0xffff_ffff),
  steps: fc.array(step, { minLength: 1, maxLength: 20, size: "max" }),
});
