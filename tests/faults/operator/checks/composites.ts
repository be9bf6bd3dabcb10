import { called } from "../actions/rule-actions.ts";
import { resourceOf } from "../cluster/api-resource.ts";
import type { StoredObject } from "../cluster/stored-object.ts";
import {
  addressesIn,
  type CompositeTemplate,
  compositeTemplates,
  type WantedChild,
} from "../users/composite-templates.ts";
import type { World } from "../world.ts";
import { isPaused } from "./claims.ts";
import { readyOf } from "./statuses.ts";

/** Returns composites with wrong children, or with a wrong status. */
export function wrongComposites(world: World): string[] {
  return compositeTemplates.flatMap((template) =>
    world.store.list(resourceOf(template.kind)).flatMap((object) => {
      const why = wrongIn(world, template, object);
      return why === undefined ? [] : [`${called(object)}: ${why}; its status is ${JSON.stringify(object.status)}`];
    }),
  );
}

function wrongIn(world: World, template: CompositeTemplate, object: StoredObject): string | undefined {
  const { name, deletionTimestamp, generation } = object.metadata;
  if (deletionTimestamp !== undefined) return "it still exists after its deletion";
  if (isPaused(object)) return readyOf(object)?.reason === "Paused" ? undefined : "it is paused";
  const spec = (object.spec ?? {}) as Readonly<Record<string, string>>;
  const found = template.names(spec).map((each) => addressesIn(world.dns.answerTo(each)));
  const children = childrenOf(world, object);
  const ready = readyOf(object);
  if (object.status?.observedGeneration !== generation) return "its status has another generation";
  if (found.includes(undefined)) {
    if (ready?.status === "True") return "its names have no addresses";
    const isGone = template.names(spec).some((each) => world.dns.answerTo(each) === "NXDOMAIN");
    return template.losesChildren && isGone && children.length > 0 ? "it still has children" : undefined;
  }
  const ways = template.children(name, spec, found as readonly (readonly string[])[]);
  const taken = ways.flat().find((child) => foreignAt(world, object, child));
  if (taken) return ready?.status === "False" ? undefined : `${taken.kind} ${taken.name} belongs to somebody else`;
  if (!ways.some((wanted) => areThese(object, children, wanted)))
    return `its children are ${shown(children)}, but should be ${ways.map((way) => JSON.stringify(way)).join(" or ")}`;
  const waiting = children.find((child) => readyOf(child)?.status !== "True");
  if (waiting) return ready?.status === "False" ? undefined : `${called(waiting)} is not ready`;
  return ready?.status === "True" ? undefined : "all its children are in sync";
}

const childrenOf = ({ store }: World, { metadata }: StoredObject): readonly StoredObject[] =>
  ["CNFNAT", "CNFRoute"]
    .flatMap((kind) => store.list(resourceOf(kind)))
    .filter((each) => each.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid));

function foreignAt({ store }: World, owner: StoredObject, { kind, name }: WantedChild): boolean {
  const found = store.find(resourceOf(kind), { namespace: owner.metadata.namespace ?? "", name });
  return found !== undefined && !found.metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid);
}

function areThese(owner: StoredObject, children: readonly StoredObject[], wanted: readonly WantedChild[]): boolean {
  if (children.length !== wanted.length) return false;
  return wanted.every(({ kind, name, spec }) => {
    const child = children.find((each) => each.kind === kind && each.metadata.name === name);
    if (!child || JSON.stringify(child.metadata.labels) !== JSON.stringify(owner.metadata.labels)) return false;
    const fields = new Set([...Object.keys(spec), ...Object.keys(child.spec ?? {})]);
    return [...fields].every((field) => String(child.spec?.[field] ?? "") === (spec[field] ?? ""));
  });
}

const shown = (children: readonly StoredObject[]): string =>
  JSON.stringify(children.map(({ kind, metadata: { name, labels }, spec }) => ({ kind, name, labels, spec })));
