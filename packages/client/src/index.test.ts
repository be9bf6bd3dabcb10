import { expect, it } from "vitest";
import * as api from "./index.ts";

it("exports exactly these names", () => {
  expect(Object.keys(api).sort()).toEqual([
    "Client",
    "Connection",
    "ConnectionError",
    "Discovery",
    "DiscoveryRESTMapper",
    "KubeConfigError",
    "applyAndTakeOver",
    "aroundCalls",
    "aroundWrites",
    "clientsetOf",
    "createOrPatch",
    "createOrPatchWithResult",
    "createOrUpdate",
    "createOrUpdateWithResult",
    "decodeWatchEvent",
    "initialEventsEndAnnotation",
    "isConnectionError",
    "isInitialEventsEnd",
    "isKubeConfigError",
    "isWatchRefusal",
    "kubeList",
    "listQuery",
    "mergeFrom",
    "spanOfWrite",
    "staleVersions",
    "strategicMergeFrom",
    "withReader",
  ]);
});
