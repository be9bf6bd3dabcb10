import { byKey, type DeepReadonly, jsonEqual, labelSelectorFrom, mutableCopy } from "@kubewright/apimachinery";
import { ClusterRole } from "@kubewright/client/kinds";
import { asReconciler, enqueueRequestsFromMapFunc } from "@kubewright/controller";
import type { AddController } from "../parts/controller-parts.ts";

type Rules = NonNullable<DeepReadonly<ClusterRole>["rules"]>;

const fieldOwner = "clusterrole-aggregation-controller";

/**
 * Sets the rules in aggregated ClusterRoles to the combined rules of the roles that they select.
 *
 * @see kubernetes pkg/controller/clusterroleaggregation
 */
export const addRoleAggregationController: AddController = ({ controller }) => {
  const everyAggregated = enqueueRequestsFromMapFunc<ClusterRole>(async (_, { client }) =>
    (await client.list(ClusterRole))
      .filter(({ aggregationRule }) => aggregationRule)
      .map(({ metadata }) => metadata.name),
  );
  controller("clusterrole-aggregation-controller")
    .watches(ClusterRole, everyAggregated)
    .complete(
      asReconciler(ClusterRole, async (role, { client }) => {
        const selectors = role.aggregationRule?.clusterRoleSelectors;
        if (!role.aggregationRule || role.metadata.deletionTimestamp !== undefined) return;
        const rules: Rules[number][] = [];
        const roles = (await client.list(ClusterRole)).toSorted(byKey);
        for (const selector of (selectors ?? []).map((each) => labelSelectorFrom(each)))
          for (const other of roles) {
            if (other.metadata.name === role.metadata.name || !selector.matches(other.metadata.labels)) continue;
            for (const rule of other.rules ?? []) if (!rules.some((each) => jsonEqual(each, rule))) rules.push(rule);
          }
        if (jsonEqual(rules, role.rules ?? [])) return;
        const configuration = { metadata: { name: role.metadata.name }, rules: mutableCopy(rules) };
        await client.apply(ClusterRole, configuration, { fieldOwner, force: true });
      }),
    );
};
