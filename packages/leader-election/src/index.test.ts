import { expect, it } from "vitest";
import * as api from "./index.ts";

it("exports these names", () => {
  expect(Object.keys(api).sort()).toEqual([
    "Elector",
    "LeaseCandidate",
    "LeaseLock",
    "NotLeadingError",
    "ShardCoordinator",
    "isNotLeadingError",
    "leaseCandidates",
    "shardOf",
  ]);
});
