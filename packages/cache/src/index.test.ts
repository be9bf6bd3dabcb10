import { expect, it } from "vitest";
import * as api from "./index.ts";
import * as testing from "./testing/index.ts";
import * as tools from "./tools.ts";

it("exports these names and no others", () => {
  expect(Object.keys(api).sort()).toEqual([
    "CacheNotStartedError",
    "CacheStoppingError",
    "IndexError",
    "InformerCache",
    "InformerFactory",
    "InformerName",
    "Lister",
    "NotSyncedError",
    "ResourceNotCachedError",
    "SharedInformer",
    "allNamespaces",
    "byObject",
    "filteringHandler",
    "informersOf",
    "isCacheNotStartedError",
    "isCacheStoppingError",
    "isIndexError",
    "isNotSyncedError",
    "isResourceNotCachedError",
    "stripManagedFields",
    "waitFor",
  ]);
  expect(Object.keys(tools).sort()).toEqual([
    "DeltaFIFO",
    "Indexer",
    "IndexerInformer",
    "KeyError",
    "KeyedSyncTracker",
    "Lazy",
    "ListPager",
    "MutationCache",
    "Reflector",
    "RetryDeadline",
    "SyncTracker",
    "TTLStore",
    "TransactionError",
    "UndeltaStore",
    "UntilError",
    "VeryShortWatchError",
    "byNamespace",
    "clientListWatch",
    "deepFreeze",
    "deletionHandlingKeyOf",
    "informerWatch",
    "isKeyError",
    "isTransactionError",
    "isUntilError",
    "isVeryShortWatchError",
    "metaNamespaceKeyOf",
    "namespaceIndex",
    "retryWatch",
    "until",
    "untilWithSync",
    "watchListRequestFrom",
  ]);
  expect(Object.keys(testing).sort()).toEqual(["EventChannel", "FakeListWatch", "FakeListWatchClient"]);
});
