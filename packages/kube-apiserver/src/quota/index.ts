export type { WireResourceList } from "../kinds/resource-list.ts";
export {
  equalResources,
  formatResourceList,
  maskResources,
  parseResourceList,
  type ResourceList,
} from "../kinds/resource-list.ts";
export type { NamespaceContent } from "./calculate-usage.ts";
export { calculateUsage } from "./calculate-usage.ts";
export { evaluatorOf } from "./evaluators.ts";
export type { CountedObject, CountedWrite, QuotaEvaluator } from "./quota-evaluator.ts";
export type { Quota, ScopeSelector } from "./quota-scope.ts";
