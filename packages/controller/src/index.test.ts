import { expect, it } from "vitest";
import * as api from "./index.ts";

it("exports these names", () => {
  expect(Object.keys(api).sort()).toEqual([
    "Controller",
    "FinalizeError",
    "Finalizers",
    "SourceNotSyncedError",
    "TerminalError",
    "and",
    "annotationChanged",
    "asReconciler",
    "channelSource",
    "enqueueRequestForObject",
    "enqueueRequestForOwner",
    "enqueueRequestsFromMapFunc",
    "firstComeFirstServed",
    "funcSource",
    "generationChanged",
    "isFinalizeError",
    "isSourceNotSyncedError",
    "isTerminalError",
    "kindSource",
    "labelChanged",
    "labelSelectorMatches",
    "lowPriority",
    "noMetrics",
    "not",
    "objectMatches",
    "or",
    "prioritizing",
    "resourceVersionChanged",
  ]);
});
