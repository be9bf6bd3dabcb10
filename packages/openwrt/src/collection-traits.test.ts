import { expect, it } from "vitest";
import { collectionTraits } from "./collection-traits.ts";
import { resourceDefinitions } from "./testing/resources/definitions.ts";

it.each(resourceDefinitions.map((each) => [`${each.module}/v1/${each.collection}`, each.named] as const))(
  "%s allows duplicates if its sections have no names",
  (path, named) => {
    expect(collectionTraits(path).allowsDuplicates).toBe(!named);
  },
);
