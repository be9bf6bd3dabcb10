/** The export of an example's `role.ts`: one role, or several with different names. */
export interface Role {
  readonly metadata: { readonly name: string };
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
}
export type Roles = Readonly<Record<string, Role>>;

/** Returns each verb of each rule as text, such as `hubRole: list configmaps`. */
export const verbsOf = (roles: Roles): string[] =>
  Object.entries(roles).flatMap(([name, { rules }]) =>
    rules.flatMap(({ verbs, resources }) => verbs.map((verb) => `${name}: ${verb} ${resources.join(", ")}`)),
  );

/** Returns the roles without the verb at that position of {@link verbsOf}. */
export function withoutVerb(roles: Roles, number: number): Roles {
  let at = 0;
  return Object.fromEntries(
    Object.entries(roles).map(([name, role]) => {
      const rules = role.rules.map((rule) => ({ ...rule, verbs: rule.verbs.filter(() => at++ !== number) }));
      return [name, { ...role, rules: rules.filter(({ verbs }) => verbs.length > 0) }];
    }),
  );
}
