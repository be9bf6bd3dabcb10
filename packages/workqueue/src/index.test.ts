import { expect, it } from "vitest";
import * as api from "./index.ts";

it("exports these names and no others", () => {
  expect(Object.keys(api).sort()).toEqual([
    "DelayingQueue",
    "ItemBackoff",
    "PriorityQueue",
    "Queue",
    "RateLimitingQueue",
    "TokenBucket",
    "alwaysAccept",
    "bucket",
    "defaultBackoff",
    "defaultControllerRateLimiter",
    "defaultItemBasedRateLimiter",
    "defaultRetry",
    "exponentialFailure",
    "fastSlow",
    "maxOf",
    "neverAccept",
    "parallelizeUntil",
    "priorityLabels",
    "retryOnError",
    "withMaxWait",
  ]);
});
