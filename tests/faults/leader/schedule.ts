import fc from "fast-check";
import type { Durations } from "./contender.ts";
import { type Trouble, troubleNames } from "./lease-server.ts";

/** Who it strikes: who has the lease, or one of all. */
export type Who = "leader" | number;

/** One thing that happens. */
export type Step =
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "trouble"; readonly who: Who; readonly troubles: readonly Trouble[] }
  | { readonly do: "setWall"; readonly who: Who; readonly byMs: number }
  /** The wall clock may be set meanwhile. */
  | { readonly do: "stall"; readonly who: Who; readonly ms: number; readonly byMs: number }
  | { readonly do: "suspend"; readonly who: Who; readonly ms: number }
  | { readonly do: "stop"; readonly who: Who }
  | { readonly do: "kill"; readonly who: Who }
  | { readonly do: "touch" }
  | { readonly do: "delete" };

export interface Schedule {
  readonly durations: Durations;
  /** Each process, and each that takes its place. */
  readonly processes: readonly { readonly rate: number; readonly writes: boolean }[];
  /** Where random numbers begin. */
  readonly random: number;
  readonly steps: readonly Step[];
}

/** How clocks run. They differ by less than a lease is longer than its renew deadline, with room for a write that is under way. */
export const slowestRate = 0.9;
const fastestRate = 1.15;

/** Records whose text can be pasted into a program. */
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

/** Nothing of this is a reason to lose leadership. */
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

/** As they are by default, for clocks that run unevenly; and with little room, for clocks that do not. */
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
