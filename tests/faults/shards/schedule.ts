import fc from "fast-check";
import type { Durations } from "../leader/contender.ts";
import { type Trouble, troubleNames } from "../leader/lease-server.ts";
import { slowestRate } from "../leader/schedule.ts";

/** One step of a schedule. `who` is a place of a process, `site` the number of an object. */
export type Step =
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "change"; readonly site: number }
  | { readonly do: "trouble"; readonly who: number; readonly troubles: readonly Trouble[] }
  /** The same faults for all processes, as if the server had them. */
  | { readonly do: "outage"; readonly troubles: readonly Trouble[] }
  | { readonly do: "setWall"; readonly who: number; readonly byMs: number }
  | { readonly do: "stall" | "suspend"; readonly who: number; readonly ms: number }
  /** `leave`: stops, and is not replaced before the next `join`. */
  | { readonly do: "stop" | "kill" | "leave" | "stick"; readonly who: number }
  | { readonly do: "join" };

export interface ShardSchedule {
  readonly durations: Durations;
  /** Clock rate of the process at each place, and of its replacements. */
  readonly rates: readonly number[];
  /** Seed of the random numbers. */
  readonly random: number;
  readonly steps: readonly Step[];
}

/** Records whose printed text is valid source code. */
const plain = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc.record(model, { noNullPrototype: true });

const who = fc.nat(3);
const on = <D extends Step["do"]>(...names: D[]) => plain({ do: fc.constantFrom(...names), who });
const troubles = fc.array(
  plain<Trouble>({ name: fc.constantFrom(...troubleNames), ms: fc.constantFrom(3_000, 9_000, 20_000, 40_000) }),
  { minLength: 1, maxLength: 2 },
);

const join: fc.Arbitrary<Step> = plain({ do: fc.constant("join" as const) });
const wait: fc.Arbitrary<Step> = plain({
  do: fc.constant("wait" as const),
  ms: fc.oneof(fc.constantFrom(10, 900, 5_000, 16_000, 25_000), fc.nat(20_000)),
});
const change: fc.Arbitrary<Step> = plain({ do: fc.constant("change" as const), site: fc.nat(99) });
const setWall: fc.Arbitrary<Step> = plain({
  do: fc.constant("setWall" as const),
  who,
  byMs: fc.constantFrom(-3_600_000, -20_000, -3_000, 3_000, 12_000, 20_000, 3_600_000),
});
const calm = fc.oneof({ weight: 3, arbitrary: wait }, { weight: 2, arbitrary: change }, setWall, on("leave"), join);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: wait },
  { weight: 4, arbitrary: change },
  { weight: 5, arbitrary: plain({ do: fc.constant("trouble" as const), who, troubles }) },
  { weight: 1, arbitrary: plain({ do: fc.constant("outage" as const), troubles }) },
  { weight: 1, arbitrary: setWall },
  {
    weight: 2,
    arbitrary: plain({
      do: fc.constantFrom("stall" as const, "suspend" as const),
      who,
      ms: fc.constantFrom(500, 4_000, 14_000, 25_000),
    }),
  },
  { weight: 3, arbitrary: on("stop", "kill", "leave") },
  { weight: 2, arbitrary: join },
  { weight: 1, arbitrary: on("stick") },
);

/** Default durations for clocks that run at different rates, and tight ones for clocks that do not. */
const worlds = fc.oneof(
  plain({
    durations: fc.constant({ leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 }),
    rates: fc.array(fc.constantFrom(slowestRate, 1, 1.000_1, 1.15), { minLength: 2, maxLength: 4 }),
  }),
  plain({
    durations: fc.constant({ leaseDurationMs: 15_000, renewDeadlineMs: 14_000, retryPeriodMs: 1_000 }),
    rates: fc.array(fc.constantFrom(1, 1.000_1), { minLength: 2, maxLength: 4 }),
  }),
);

const steps = fc.oneof(
  { weight: 6, arbitrary: fc.array(step, { minLength: 1, maxLength: 20, size: "max" }) },
  { weight: 1, arbitrary: fc.array(calm, { minLength: 1, maxLength: 12, size: "max" }) },
);

export const schedules: fc.Arbitrary<ShardSchedule> = fc
  .tuple(worlds, plain({ random: fc.nat(0xffff_ffff), steps }))
  .map(([world, happening]) => ({ ...world, ...happening }));
