interface Rule {
  readonly verbs: readonly string[];
}

interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
}

export interface ClusterRole {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly Selector[] };
  rules: readonly Rule[] | null;
}

/**
 * Fills in the rules of aggregated roles, as a controller does. The embedded server has them from the start.
 *
 * @see kubernetes pkg/controller/clusterroleaggregation
 */
export function aggregate(roles: readonly ClusterRole[]): void {
  for (let changed = true; changed; ) {
    changed = false;
    for (const role of roles) {
      if (!role.aggregationRule) continue;
      const rules = rulesOf(role, roles);
      if (JSON.stringify(rules) === JSON.stringify(role.rules)) continue;
      role.rules = rules;
      changed = true;
    }
  }
}

function rulesOf({ aggregationRule, metadata }: ClusterRole, roles: readonly ClusterRole[]): readonly Rule[] {
  const rules = new Map<string, Rule>();
  for (const { matchLabels = {} } of aggregationRule?.clusterRoleSelectors ?? [])
    for (const other of roles.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)))
      if (other.metadata.name !== metadata.name && matches(other, matchLabels))
        for (const rule of other.rules ?? []) rules.set(JSON.stringify(rule), rule);
  return [...rules.values()];
}

const matches = ({ metadata }: ClusterRole, labels: Readonly<Record<string, string>>): boolean =>
  Object.entries(labels).every(([name, value]) => metadata.labels?.[name] === value);
