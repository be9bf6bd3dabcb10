/** A rule of a role for resources. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[] | undefined;
  readonly verbs: readonly string[];
}

/** Returns rules as YAML for a role. */
export const rulesText = (rules: readonly Rule[]): string => rules.map(ruleText).join("");

const ruleText = ({ apiGroups, resources, resourceNames, verbs }: Rule): string =>
  `- apiGroups: ${list(apiGroups)}\n  resources: ${list(resources)}\n${resourceNames ? `  resourceNames: ${list(resourceNames)}\n` : ""}  verbs: ${list(verbs)}\n`;

const list = (values: readonly string[]): string => `[${values.map((value) => JSON.stringify(value)).join(", ")}]`;
