import { cnfName } from "sdewan-operator";
import { rulesOf } from "../actions/rule-actions.ts";
import { deployments } from "../cluster/api-resource.ts";
import type { StoredObject } from "../cluster/stored-object.ts";
import { purposeLabel, site } from "../cluster/workloads.ts";
import { type RuleTemplate, templateOf } from "../users/rule-templates.ts";
import type { World } from "../world.ts";

/** A rule that claims a name on a CNF. */
export interface Claim {
  readonly rule: StoredObject;
  readonly template: RuleTemplate;
  readonly purpose: string;
  /** The name on the CNF. */
  readonly name: string;
  readonly slots: readonly string[];
}

export const purposeOf = ({ metadata }: StoredObject): string | undefined => metadata.labels?.[purposeLabel];
export const isPaused = ({ metadata }: StoredObject): boolean =>
  metadata.annotations?.["kubewright.dev/paused"] === "true";

/** Configurations with named sections, whose names are shared by all kinds. */
const sharing = new Set(["mwan3", "ipsec", "application"]);

/** Reports whether the operator may apply a rule to the CNFs, which are all in one namespace. */
const mayReach = ({ options }: World, { metadata }: StoredObject): boolean =>
  options.cnfNamespaces === "*" || metadata.namespace === site;

/** Returns the Deployment that a rule is for. */
export function deploymentFor(world: World, rule: StoredObject): StoredObject | undefined {
  const purpose = purposeOf(rule);
  if (!mayReach(world, rule)) return undefined;
  return world.store.list(deployments).find((each) => purposeOf(each) === purpose);
}

/** Returns all rules that claim a name on an existing CNF. */
export function claimsIn(world: World): readonly Claim[] {
  return rulesOf(world).flatMap((rule) => {
    const purpose = purposeOf(rule);
    if (purpose === undefined || !deploymentFor(world, rule)) return [];
    const template = templateOf(rule.kind);
    const name = cnfName(rule.kind, rule.metadata.name);
    const [config = ""] = template.path.split("/");
    const space = sharing.has(config) ? config : template.path;
    const names = [name, ...(template.partNames?.(rule.spec ?? {}) ?? [])];
    return [{ rule, template, purpose, name, slots: names.map((each) => `${purpose} ${space} ${each}`) }];
  });
}

/** Returns the claims with a conflict. */
export function contested(claims: readonly Claim[]): ReadonlySet<Claim> {
  const bySlot = new Map<string, Claim[]>();
  for (const claim of claims)
    for (const slot of new Set(claim.slots)) bySlot.set(slot, [...(bySlot.get(slot) ?? []), claim]);
  return new Set([...bySlot.values()].filter((all) => all.length > 1).flat());
}

/** Reports whether one claim takes precedence over another; undefined if both were created in the same second. */
function isOlder({ rule: a }: Claim, { rule: b }: Claim): boolean | undefined {
  const [first, second] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  return first === second ? undefined : first < second;
}

const conflicts = (a: Claim, b: Claim): boolean => a !== b && a.slots.some((slot) => b.slots.includes(slot));

/** Returns the claims that an older one takes precedence over. */
export function younger(claims: readonly Claim[]): ReadonlySet<Claim> {
  return new Set(claims.filter((claim) => claims.some((other) => conflicts(claim, other) && isOlder(other, claim))));
}

/** Reports whether the winner among equally old claims cannot be determined from outside. */
export const isUndecided = (claim: Claim, claims: readonly Claim[]): boolean =>
  claims.some((other) => conflicts(claim, other) && isOlder(other, claim) === undefined);
