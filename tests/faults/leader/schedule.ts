import fc from "fast-check";
import type { Durations } from "./contender.ts";
import { type Trouble, troubleNames } from "./lease-server.ts";

/** The target of a fault: the holder of the lease, or a process. */
export type Who = "leader" | number;

/** One step of a schedule. */
export type Step =
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "trouble"; readonly who: Who; readonly troubles: readonly Trouble[] }
  | { readonly do: "setWall"; readonly who: Who; readonly byMs: number }
  /** The wall clock may be set during the stall. */
  | { readonly do: "stall"; readonly who: Who; readonly ms: number; readonly byMs: number }
  | { readonly do: "suspend"; readonly who: Who; readonly ms: number }
  | { readonly do: "stop"; readonly who: Who }
  | { readonly do: "kill"; readonly who: Who }
  | { readonly do: "touch" }
  | { readonly do: "delete" };

export interface Schedule {
  readonly durations: Durations;
  /** Settings of each process, and of its replacements. */
  readonly processes: readonly { readonly rate: number; readonly writes: boolean }[];
  /** Seed of the random numbers. */
  readonly random: number;
  readonly steps: readonly Step[];
}

/** Rates of clocks. They differ by less than the ratio of lease duration and renew deadline, with room for a running write. */
export const slowestRate = 0.9;
const fastestRate = 1.15;

/** Records whose printed text is valid source code. */
const plain = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc.record(model, { noNullPrototype: true });

const who: fc.Arbitrary<Who> = fc.oneof(
  { weight: 3, arbitrary: fc.constant("leader" as const) },
  { weight: 1, arbitrary: fc.nat(3) },
);
const byMs = fc.constantFrom(-3_600_000, -20_000, -3_000, 3_000, 12_000, 20_000, 3_600_000);

const wait: fc.Arbitrary<Step> = plain({
  do: fc.constant("wait" as const),
  ms: fc.oneof(fc.constantFrom(10, 900, 5_000, 9_000, 16_000), fc.nat(30_000)),
});
const touch: fc.Arbitrary<Step> = plain({ do: fc.constant("touch" as const) });
const setWall: fc.Arbitrary<Step> = plain({ do: fc.constant("setWall" as const), who, byMs });

const processes = (...rates: number[]): fc.Arbitrary<Schedule["processes"]> =>
  fc.array(plain({ rate: fc.constantFrom(...rates), writes: fc.constantFrom(true, true, false) }), {
    minLength: 2,
    maxLength: 4,
  });

/** None of these steps justifies losing leadership. */
const mild = fc.oneof({ weight: 2, arbitrary: wait }, touch, setWall);

const trouble: fc.Arbitrary<Trouble> = plain({
  name: fc.constantFrom(...troubleNames, "unavailable" as const, "slowAnswer" as const),
  ms: fc.constantFrom(3_000, 9_000, 20_000, 20_000, 40_000),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: wait },
  {
    weight: 10,
    arbitrary: plain({
      do: fc.constant("trouble" as const),
      who,
      troubles: fc.array(trouble, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 2, arbitrary: setWall },
  {
    weight: 2,
    arbitrary: plain({
      do: fc.constant("stall" as const),
      who,
      ms: fc.constantFrom(500, 4_000, 9_000, 14_000, 25_000),
      byMs: fc.oneof(fc.constant(0), byMs),
    }),
  },
  {
    weight: 1,
    arbitrary: plain({ do: fc.constant("suspend" as const), who, ms: fc.constantFrom(4_000, 11_000, 25_000, 90_000) }),
  },
  { weight: 1, arbitrary: plain({ do: fc.constant("stop" as const), who }) },
  { weight: 1, arbitrary: plain({ do: fc.constant("kill" as const), who }) },
  { weight: 1, arbitrary: touch },
  { weight: 1, arbitrary: plain({ do: fc.constant("delete" as const) }) },
);

/** Default durations for clocks that run at different rates, and tight ones for clocks that do not. */
const worlds = fc.oneof(
  plain({
    durations: fc.constant({ leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 }),
    processes: processes(slowestRate, 1, 1.000_1, fastestRate),
  }),
  plain({
    durations: fc.constant({ leaseDurationMs: 15_000, renewDeadlineMs: 14_000, retryPeriodMs: 1_000 }),
    processes: processes(1, 1.000_1),
  }),
);

const happenings = plain({
  random: fc.nat(0xffff_ffff),
  steps: fc.oneof(
    { weight: 7, arbitrary: fc.array(step, { minLength: 1, maxLength: 25, size: "max" }) },
    { weight: 1, arbitrary: fc.array(mild, { minLength: 1, maxLength: 12, size: "max" }) },
  ),
});

export const schedules: fc.Arbitrary<Schedule> = fc
  .tuple(worlds, happenings)
  .map(([world, happening]) => ({ ...world, ...happening }));
