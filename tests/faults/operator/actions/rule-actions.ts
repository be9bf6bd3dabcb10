import { customResources, resourceOf } from "../cluster/api-resource.ts";
import type { StoredObject } from "../cluster/stored-object.ts";
import { elsewhere, purposeLabel, site } from "../cluster/workloads.ts";
import type { Dice } from "../dice.ts";
import { keyOf } from "../users/keys.ts";
import { type RuleTemplate, ruleTemplates, templateOf } from "../users/rule-templates.ts";
import type { World } from "../world.ts";
import type { Actions } from "./action.ts";

export const purposes = ["edge", "hub", "nobody"] as const;
const ruleKinds: ReadonlySet<string> = new Set(ruleTemplates.map(({ kind }) => kind));
const orderAnnotation = "sdewan.akraino.org/order";
const pausedAnnotation = "kubewright.dev/paused";

const orderedTemplates = ruleTemplates.filter(({ isOrdered }) => isOrdered);

/** Compares two rules of a collection in their wanted order: by the annotation, then by creation time, then by name. */
export function compareByOrder({ metadata: a }: StoredObject, { metadata: b }: StoredObject): number {
  const [first, second] = [a, b].map(({ annotations }) => Number(annotations?.[orderAnnotation] ?? 0));
  if (first !== second) return Number(first) - Number(second);
  if (a.creationTimestamp !== b.creationTimestamp) return a.creationTimestamp < b.creationTimestamp ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}

/** Returns all objects of rule kinds. */
export const rulesOf = ({ store }: World): readonly StoredObject[] =>
  customResources.filter(({ kind }) => ruleKinds.has(kind)).flatMap((resource) => store.list(resource));

/** Returns the rules that users created. */
export const usersRulesOf = (world: World): readonly StoredObject[] =>
  rulesOf(world).filter(({ metadata }) => !metadata.ownerReferences?.length && !metadata.deletionTimestamp);

export const called = ({ kind, metadata: { namespace, name } }: StoredObject): string => `${kind} ${namespace}/${name}`;

/** Changes an object like a user. */
export async function edit(
  { store }: World,
  { kind, metadata: { namespace = "", name } }: StoredObject,
  change: object,
): Promise<void> {
  await store.patch(resourceOf(kind), { namespace, name }, change);
}

export async function remove(
  { store }: World,
  { kind, metadata: { namespace = "", name } }: StoredObject,
): Promise<void> {
  await store.delete(resourceOf(kind), { namespace, name });
}

/** Creates an object of a rule kind, or replaces its spec. */
async function put(world: World, dice: Dice, template: RuleTemplate): Promise<string> {
  const { kind, names } = template;
  const name = dice.one(names) ?? kind.toLowerCase();
  const namespace = dice.chance(0.15) ? elsewhere : site;
  const variant = dice.below(6);
  const spec = template.spec(variant, name);
  const found = world.store.find(resourceOf(kind), { namespace, name });
  if (found?.metadata.deletionTimestamp) return `${kind} ${namespace}/${name} is still being deleted`;
  if (found) {
    // Like apply: removes fields that the new spec does not have.
    const gone = Object.fromEntries(Object.keys(found.spec ?? {}).map((field) => [field, null]));
    await edit(world, found, { spec: { ...gone, ...spec } });
    return `edits ${called(found)} (variant ${variant})`;
  }
  const purpose = dice.chance(0.65) ? "edge" : dice.chance(0.8) ? "hub" : "nobody";
  await world.store.create(resourceOf(kind), namespace, {
    metadata: { name, namespace, labels: { [purposeLabel]: purpose } },
    spec,
  });
  return `creates ${kind} ${namespace}/${name} (variant ${variant}) for ${purpose}`;
}

/** Creates missing objects that an object refers to. */
export async function putReferences(world: World, { kind, spec = {}, metadata }: StoredObject): Promise<string[]> {
  const made: string[] = [];
  for (const [of, name] of templateOf(kind).refers?.(spec) ?? []) {
    const { namespace = "", labels = {} } = metadata;
    if (world.store.find(resourceOf(of), { namespace, name })) continue;
    await world.store.create(resourceOf(of), namespace, {
      metadata: { name, labels },
      spec: templateOf(of).spec(1, name),
    });
    made.push(`${of} ${namespace}/${name}`);
  }
  return made;
}

export const ruleActions: Actions = {
  putRule: [14, (world, dice) => put(world, dice, dice.one(ruleTemplates) as RuleTemplate)],
  putSeveralRules: [
    6,
    async (world, dice) => {
      const lines: string[] = [];
      for (let left = 2 + dice.below(12); left > 0; left--)
        lines.push(await put(world, dice, dice.one(ruleTemplates) as RuleTemplate));
      return lines.join("; ");
    },
  ],
  putReferences: [
    4,
    async (world) => {
      const made: string[] = [];
      for (const rule of usersRulesOf(world)) made.push(...(await putReferences(world, rule)));
      return made.length > 0 ? `creates referenced objects: ${made.join(", ")}` : undefined;
    },
  ],
  deleteRule: [
    8,
    async (world, dice) => {
      const rule = dice.one(usersRulesOf(world));
      if (rule) await remove(world, rule);
      return rule && `deletes ${called(rule)}`;
    },
  ],
  recreateRule: [
    4,
    async (world, dice) => {
      const rule = dice.one(usersRulesOf(world));
      if (!rule) return undefined;
      await remove(world, rule);
      const { namespace = "", name, labels = {} } = rule.metadata;
      if (world.store.find(resourceOf(rule.kind), { namespace, name })) return `deletes ${called(rule)}`;
      await world.store.create(resourceOf(rule.kind), namespace, {
        metadata: { name, labels },
        spec: { ...rule.spec },
      });
      return `deletes ${called(rule)} and creates it again`;
    },
  ],
  relabelRule: [
    6,
    async (world, dice) => {
      const rule = dice.one(usersRulesOf(world));
      const purpose = dice.one(purposes);
      if (rule) await edit(world, rule, { metadata: { labels: { [purposeLabel]: purpose } } });
      return rule && `moves ${called(rule)} to ${purpose}`;
    },
  ],
  putOrderedRules: [
    7,
    async (world, dice) => {
      const template = dice.one(orderedTemplates);
      if (!template) return undefined;
      const { kind, names } = template;
      const missing = names.filter((name) => !world.store.find(resourceOf(kind), { namespace: site, name }));
      const purpose = dice.chance(0.8) ? "edge" : "hub";
      for (const name of missing) {
        const metadata = { name, labels: { [purposeLabel]: purpose } };
        await world.store.create(resourceOf(kind), site, { metadata, spec: template.spec(dice.below(6), name) });
      }
      return missing.length > 0 ? `creates ${kind} ${missing.join(", ")} for ${purpose}` : undefined;
    },
  ],
  editInTheMiddle: [
    7,
    async (world, dice) => {
      const { kind = "" } = dice.one(orderedTemplates) ?? {};
      const rules = usersRulesOf(world).filter((rule) => rule.kind === kind);
      const [first, ...others] = rules.toSorted(compareByOrder);
      const rule = others.length > 1 && dice.chance(0.6) ? dice.one(others.slice(0, -1)) : first;
      if (!rule) return undefined;
      const variant = dice.below(6);
      await edit(world, rule, { spec: templateOf(kind).spec(variant, rule.metadata.name) });
      return `edits ${called(rule)} (variant ${variant}), before other rules`;
    },
  ],
  orderRule: [
    8,
    async (world, dice) => {
      const kinds = orderedTemplates.map(({ kind }) => kind);
      const rule = dice.one(usersRulesOf(world).filter(({ kind }) => kinds.includes(kind)));
      const order = dice.one(["-20", "-1", "0", "1", "20", null]);
      if (rule) await edit(world, rule, { metadata: { annotations: { [orderAnnotation]: order } } });
      return rule && `sets the order of ${called(rule)} to ${order}`;
    },
  ],
  pauseRule: [
    2,
    async (world, dice) => {
      const rule = dice.one(usersRulesOf(world));
      if (rule) await edit(world, rule, { metadata: { annotations: { [pausedAnnotation]: "true" } } });
      return rule && `pauses ${called(rule)}`;
    },
  ],
  resumeRule: [2, (world) => resumeAll(world)],
  rotateKey: [
    3,
    async (world, dice) => {
      const name = dice.chance(0.5) ? "psk-a" : "psk-b";
      await world.putSecret(name, { psk: keyOf(`${name}-${dice.below(1_000)}`) });
      return `rotates the key in Secret ${name}`;
    },
  ],
};

/** Resumes all paused resources. */
export async function resumeAll(world: World): Promise<string | undefined> {
  const paused = customResources
    .flatMap((resource) => world.store.list(resource))
    .filter(({ metadata }) => metadata.annotations?.[pausedAnnotation] !== undefined);
  for (const object of paused) await edit(world, object, { metadata: { annotations: { [pausedAnnotation]: null } } });
  return paused.length > 0 ? `resumes ${paused.map(called).join(", ")}` : undefined;
}
