import { keyOf } from "@kubewright/apimachinery";
import type { CnfApi } from "../cnf/cnf-api.ts";
import { nameOf } from "../cnf/session/change.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { masked } from "../masking/mask.ts";
import { maskedStatus } from "../masking/masked-status.ts";
import { heldMessage } from "../reporting/conditions.ts";
import { isDueOn } from "../rules/stage-gate.ts";
import { sameOnCnf } from "../uci/compare.ts";
import { displacedInLanes, lanesOf, type Order, type OrderedKind } from "../uci/order.ts";
import type { UciObject } from "../uci/uci-object.ts";
import type { DesiredObject } from "./desired-objects.ts";

/**
 * Result of comparing one object. `moved`: the object is right, but in the wrong place. `left over`: the object should be deleted but still
 * exists. `held`: the object differs because the change of its resource was rolled back. `waiting`: it differs because the change waits for
 * another stage. `unknown`: the desired object cannot be computed. `unmanaged`: no resource describes it.
 */
type Verdict = "same" | "missing" | "different" | "moved" | "left over" | "held" | "waiting" | "unknown" | "unmanaged";

/** The state of one object on a CNF pod, without secrets. */
export interface Finding {
  readonly path: string;
  readonly name: string;
  readonly verdict: Verdict;
  /** The resource, as `<kind> <namespace>/<name>`. */
  readonly resource?: string;
  readonly message?: string;
}

/** The objects on a CNF pod, keyed by the path of their collection. */
export type Held = ReadonlyMap<string, readonly UciObject[]>;

const paths = [...new Set(ruleKinds.map(({ path }) => path))];

/**
 * Reads all objects on a pod.
 *
 * @throws the error of the first failed request
 */
export async function heldBy(api: CnfApi): Promise<Held> {
  const held = new Map<string, readonly UciObject[]>();
  for (const path of paths) held.set(path, await api.collection(path).list());
  return held;
}

/**
 * Compares the objects on a pod with the desired objects, resource by resource, followed by objects that no resource
 * describes.
 *
 * @param stage stage of the pod's CNF; undefined if stages are not used
 */
export function findings(held: Held, desired: readonly DesiredObject[], stage: number | undefined): readonly Finding[] {
  const owners = new Map<string, DesiredObject>();
  const places = placesOf(
    held,
    desired.map((each) => ({ ...each, order: orderInForce(each, stage) })),
  );
  const found = desired.map((each): Finding => {
    const id = idOf(each.kind.path, each.name);
    const owner = owners.get(id);
    const base = { path: each.kind.path, name: each.name, resource: resourceOf(each) };
    if (owner) return { ...base, verdict: "unknown", message: `the name belongs to the older ${resourceOf(owner)}` };
    owners.set(id, each);
    const stored = (held.get(each.kind.path) ?? []).filter((one) => nameOf(one) === each.name);
    const result = compared(each, stored);
    const move = places.get(each.kind.path)?.moves.get(each.name);
    if (move === undefined || !each.order) return { ...base, ...explained(result, each, stage) };
    const { verdict, message } = result;
    const moved = { verdict: verdict === "same" ? "moved" : verdict, message: message ? `${message}; ${move}` : move };
    return { ...base, ...explained(moved, each, stage) };
  });
  const rest = [...held].flatMap(([path, objects]) =>
    objects
      .filter((object) => !owners.has(idOf(path, nameOf(object))))
      .map((object): Finding => {
        const message = places.get(path)?.between.has(object) ? { message: "between managed objects" } : {};
        return { path, name: masked(nameOf(object), []), verdict: "unmanaged", ...message };
      }),
  );
  return [...found, ...rest];
}

/** Explains a difference that the operator leaves on purpose: after a roll-back, or while a change waits for another stage. */
function explained(
  result: Pick<Finding, "verdict" | "message">,
  desired: DesiredObject,
  stage: number | undefined,
): Pick<Finding, "verdict" | "message"> {
  const { verdict, message } = result;
  const { order, secrets } = desired;
  const back = heldBackOf(desired, stage);
  const former = orderInForce(desired, stage);
  const isOtherOrder = former?.order !== order?.order;
  if (!back || verdict === "unknown" || (verdict === "same" && !isOtherOrder)) return result;
  const texts = [
    message ?? (verdict === "missing" || verdict === "left over" ? verdict : ""),
    isOtherOrder && verdict !== "missing" ? `order: ${former?.order}, expected ${order?.order}` : "",
    masked(back.why, secrets),
  ];
  return { verdict: back.verdict, message: texts.filter(Boolean).join("; ") };
}

/** What keeps the change of a resource from a pod. */
interface HeldBack {
  readonly verdict: "held" | "waiting";
  readonly why: string;
  /** Order that is in force until then. Undefined if it is unknown. */
  readonly order: number | undefined;
}

function heldBackOf({ kind, rule }: DesiredObject, stage: number | undefined): HeldBack | undefined {
  const { appliedOrder, stageWait, stages, message = "" } = rule.status ?? {};
  const hold = heldMessage(rule);
  if (hold !== undefined) return { verdict: "held", why: hold, order: appliedOrder };
  if (stage === undefined || !stageWait || !isDueOn(stage, kind, rule)) return undefined;
  return { verdict: "waiting", why: message, order: stages?.find((each) => each.stage === stage)?.order };
}

/** Returns the place that the operator gives an object now. */
function orderInForce(desired: DesiredObject, stage: number | undefined): Order | undefined {
  const { order } = desired;
  return order && { ...order, order: heldBackOf(desired, stage)?.order ?? order.order };
}

/** Places in one collection. */
interface Places {
  /** Descriptions of the moves, keyed by the name of the moved object. */
  readonly moves: ReadonlyMap<string, string>;
  /** Objects that no resource describes, located between the objects of resources. */
  readonly between: ReadonlySet<UciObject>;
}

/** Compares the order of the objects of resources with the wanted one, for each collection whose order has an effect. */
function placesOf(held: Held, desired: readonly DesiredObject[]): ReadonlyMap<string, Places> {
  const ordered = Map.groupBy(
    desired.filter(({ order }) => order),
    ({ kind }) => kind.path,
  );
  const places = [...ordered].map(([path, all]): [string, Places] => {
    const objects = held.get(path) ?? [];
    const present = new Set(objects.map(nameOf));
    const orders = new Map(all.flatMap(({ name, order }) => (order && present.has(name) ? [[name, order]] : [])));
    const kind: OrderedKind = all[0]?.kind ?? { path };
    const lanes = lanesOf(kind, orders, new Map(objects.map((object) => [nameOf(object), object])));
    const current = [...present];
    const displaced = displacedInLanes(lanes, current);
    const nth = (names: readonly string[], name: string): number => names.indexOf(name) + 1;
    const moves = lanes.flatMap(({ names }) => {
      const those = current.filter((name) => names.includes(name));
      return names
        .filter((name) => displaced.has(name))
        .map((name): [string, string] => [
          name,
          `position ${nth(those, name)} of ${names.length}, expected ${nth(names, name)}`,
        ]);
    });
    const positioned = objects.filter((object) => kind.hasPosition?.(object));
    const isOurs = (object: UciObject): boolean => orders.has(nameOf(object)) && !positioned.includes(object);
    const inner = objects.slice(objects.findIndex(isOurs), objects.findLastIndex(isOurs) + 1);
    return [path, { moves: new Map(moves), between: new Set(inner.filter((object) => !orders.has(nameOf(object)))) }];
  });
  return new Map(places);
}

/** Returns the objects that no resource describes. */
export const unmanaged = (
  held: Held,
  desired: readonly DesiredObject[],
): readonly [path: string, object: UciObject][] => {
  const owned = new Set(desired.map(({ kind, name }) => idOf(kind.path, name)));
  return [...held].flatMap(([path, objects]) =>
    objects
      .filter((object) => !owned.has(idOf(path, nameOf(object))))
      .map((object): [string, UciObject] => [path, object]),
  );
};

function compared(
  { kind, object, problem, isBeingDeleted, sentHash, secrets }: DesiredObject,
  stored: readonly UciObject[],
): Pick<Finding, "verdict" | "message"> {
  const [current, ...duplicates] = stored;
  if (isBeingDeleted) return { verdict: current ? "left over" : "same" };
  if (!object) return { verdict: "unknown", message: problem ?? "" };
  if (!current) return { verdict: "missing" };
  if (duplicates.length > 0) return { verdict: "different", message: `the object exists ${stored.length} times` };
  if (sameOnCnf(kind, object, current, sentHash)) return { verdict: "same" };
  const differing = Object.keys(object).filter(
    (field) =>
      kind.garbled.includes(field) ||
      !sameOnCnf({ ...kind, garbled: [] }, { [field]: object[field] ?? null }, current, undefined),
  );
  const shown = (of: UciObject, field: string): string => {
    const clean: Readonly<Record<string, unknown>> = {
      ...Object(maskedStatus({ [field]: of[field] ?? null }, secrets)),
    };
    return masked(JSON.stringify(clean[field] ?? null), secrets, maxValueLength);
  };
  const plain = differing.filter((field) => !kind.garbled.includes(field));
  const texts = plain.map((field) => `${field}: ${shown(current, field)}, expected ${shown(object, field)}`);
  return {
    verdict: "different",
    message:
      texts.join("; ") ||
      `certificates: these differ from the certificates that the operator sent, or another process sent them`,
  };
}

const maxValueLength = 200;
const idOf = (path: string, name: string): string => `${path}/${name}`;
const resourceOf = ({ kind, rule }: DesiredObject): string => `${kind.kind.kind} ${keyOf(rule)}`;
