import { systemClock } from "@kubewright/clock";
import { expect, it } from "vitest";
import { FlightRecorder } from "./index.ts";
import { Player, Recording } from "./player.ts";

it("replays what a recorder saved, as the README shows", async () => {
  const recorder = new FlightRecorder({ maxBytes: 4 << 20 });
  const { signal } = new AbortController();
  const call = { controller: "site", request: "shop/north", causes: [], clock: systemClock, signal };
  recorder.begin(call).end({ result: { requeueAfterMs: 5 }, reconcileID: undefined, tookMs: 1 });

  const recording = Recording.read(recorder.dump(systemClock.now()));
  const player = new Player(recording);
  const differences: unknown[] = [];
  for (const requeueAfterMs of [5, 6])
    for (const reconcile of recording.reconciles) {
      const { difference } = await player.replay(reconcile, async () => ({ requeueAfterMs }));
      differences.push(difference);
    }
  expect(differences).toEqual([
    undefined,
    "returns { requeueAfterMs: 6 }, but was recorded with { requeueAfterMs: 5 }",
  ]);
});
