import { expect, it } from "vitest";
import * as api from "./index.ts";

it("exports exactly these names", () => {
  expect(Object.keys(api).sort()).toEqual([
    "Backoff",
    "EventLoopShare",
    "nextTurn",
    "onNextTurn",
    "rfc3339",
    "rfc3339Micro",
    "sleepOn",
    "systemClock",
    "systemRandom",
    "timeoutSignal",
    "untilAborted",
    "withPromiseTurns",
  ]);
});
