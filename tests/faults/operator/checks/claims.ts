import { cnfName } from "sdewan-operator";
import { rulesOf } from "../actions/rule-actions.ts";
import { deployments } from "../cluster/api-resource.ts";
import type { StoredObject } from "../cluster/stored-object.ts";
import { purposeLabel, site } from "../cluster/workloads.ts";
import { type RuleTemplate, templateOf } from "../users/rule-templates.ts";
import type { World } from "../world.ts";

/** A rule that wants to be on a CNF. */
export interface Claim {
  readonly rule: StoredObject;
  readonly template: RuleTemplate;
  readonly purpose: string;
  /** On the CNF. */
  readonly name: string;
  readonly slots: readonly string[];
}

export const purposeOf = ({ metadata }: StoredObject): string | undefined => metadata.labels?.[purposeLabel];
export const isPaused = ({ metadata }: StoredObject): boolean =>
  metadata.annotations?.["kubewright.dev/paused"] === "true";

/** Sections with names share them with all others of their configuration. */
const sharing = new Set(["mwan3", "ipsec", "application"]);

/** Whether the operator may bring a rule to the CNFs, which are all in one namespace. */
const mayReach = ({ options }: World, { metadata }: StoredObject): boolean =>
  options.cnfNamespaces === "*" || metadata.namespace === site;

/** The Deployment that a rule is for. */
export function deploymentFor(world: World, rule: StoredObject): StoredObject | undefined {
  const purpose = purposeOf(rule);
  if (!mayReach(world, rule)) return undefined;
  return world.store.list(deployments).find((each) => purposeOf(each) === purpose);
}

/** All rules that want to be on a CNF which is there. */
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

/** Claims that want what another one wants as well. */
export function contested(claims: readonly Claim[]): ReadonlySet<Claim> {
  const bySlot = new Map<string, Claim[]>();
  for (const claim of claims)
    for (const slot of new Set(claim.slots)) bySlot.set(slot, [...(bySlot.get(slot) ?? []), claim]);
  return new Set([...bySlot.values()].filter((all) => all.length > 1).flat());
}

/** Whether one has a right to a name before another; nothing if both are of the same second. */
function isOlder({ rule: a }: Claim, { rule: b }: Claim): boolean | undefined {
  const [first, second] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  return first === second ? undefined : first < second;
}

const conflicts = (a: Claim, b: Claim): boolean => a !== b && a.slots.some((slot) => b.slots.includes(slot));

/** Claims that an older one is before. */
export function younger(claims: readonly Claim[]): ReadonlySet<Claim> {
  return new Set(claims.filter((claim) => claims.some((other) => conflicts(claim, other) && isOlder(other, claim))));
}

/** Whether nobody can say from outside which of several that are equally old is before. */
export const isUndecided = (claim: Claim, claims: readonly Claim[]): boolean =>
  claims.some((other) => conflicts(claim, other) && isOlder(other, claim) === undefined);
