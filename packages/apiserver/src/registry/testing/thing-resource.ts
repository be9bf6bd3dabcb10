import { scalar } from "@kubewright/codec/schema";
import type { ServedResource } from "../resource.ts";
import type { KindStrategy } from "../strategy.ts";

/** Returns a namespaced resource with the given strategy and no other special behavior. */
export const thingResource = (strategy: KindStrategy = {}): ServedResource => ({
  group: "",
  version: "v1",
  resource: "things",
  kind: "Thing",
  listKind: "ThingList",
  singular: "thing",
  shortNames: [],
  categories: [],
  scope: "Namespaced",
  verbs: [],
  subresources: [],
  origin: "builtin",
  strategy,
  schema: scalar("string"),
  storagePrefix: "/core/things/",
});
