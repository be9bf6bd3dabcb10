import { expect, it } from "vitest";
import {
  deafInterface,
  flatteringStatus,
  forgetfulReview,
  greedyRemoval,
  hastyFinalizer,
  hotLoop,
  keyInEvent,
  keyInMetrics,
  lostRejection,
  noMove,
  noRestoration,
  noUpdate,
  openBuckets,
  skippedRemoval,
} from "./planted-bug.ts";
import { type PlayOptions, playSchedules } from "./play-schedules.ts";

/** `from` skips schedules that are known not to find the bug, to save time. */
it.each<{ name: string; bug: NonNullable<PlayOptions["bug"]>; sign: RegExp; seed?: number; from?: number }>([
  { name: "a skipped deletion", bug: skippedRemoval, sign: /no rule wants it|still exists/ },
  { name: "no restoration of lost objects", bug: noRestoration, sign: /is missing|should be in sync/ },
  { name: "no update of existing objects", bug: noUpdate, sign: /should be/ },
  { name: "an object that is not moved", bug: noMove, sign: /the order is/, from: 16 },
  { name: "deletion of somebody's own objects", bug: greedyRemoval, sign: /somebody's own/, seed: 8, from: 1 },
  { name: "a finalizer removed too early", bug: hastyFinalizer, sign: /no rule wants it/, from: 5 },
  { name: "a key in an Event", bug: keyInEvent, sign: /a key is in/ },
  { name: "a key in the metrics", bug: keyInMetrics, sign: /a key is in the metrics/, from: 5 },
  { name: "an interface that is not switched", bug: deafInterface, sign: /net2 is (UP|DOWN), but should be/, from: 1 },
  { name: "a bucket without a guard", bug: openBuckets, sign: /bucket-permission allowed (joe|jane|netops) / },
  { name: "a changeable label", bug: forgetfulReview, sign: /validate-(deployment-)?label allowed / },
  { name: "a status that always reports success", bug: flatteringStatus, sign: /its status is/ },
  { name: "a hot loop", bug: hotLoop, sign: /within a minute/ },
  { name: "an unhandled rejection", bug: lostRejection, sign: /nobody took a rejection/, from: 2 },
])("finds $name within 30 schedules", async ({ name, bug, sign, seed = 7, from = 0 }) => {
  const { failure, played } = await playSchedules({
    seed,
    from,
    count: 30 - from,
    bug,
    mostSettleMs: 420_000,
  });
  console.log(`${name} was found by schedule ${from + played - 1} of seed ${seed}`);
  expect(failure).toMatch(sign);
});
