import { compareOrder, displacedInLanes, type Lane, lanesOf, type Order, stayingCount } from "../../uci/order.ts";
import type { UciObject } from "../../uci/uci-object.ts";
import type { Change, Stored, Written } from "./change.ts";

/** The CNF's state as known from earlier writes. */
export interface Knowledge {
  /** Reports whether this change was the last one sent for its object. */
  has(change: Change): boolean;
  /** Reports whether the CNF still returns the object as the operator last wrote it. Undefined if unknown. */
  isUnchanged(change: Change, stored: UciObject): boolean | undefined;
  /** Returns the positions of the objects that the operator keeps in order at a path. */
  ordersAt(path: string): ReadonlyMap<string, Order>;
}

/** The writes to one collection, in order. */
export interface Plan {
  readonly kind: Change["kind"];
  steps: readonly Step[];
  /** True if objects that already have the desired state are rewritten to move them. */
  moves: boolean;
  /** True if such moves are necessary but deferred to a later batch. */
  defers: boolean;
  /** Names of the objects that the CNF refused to delete. */
  readonly undeleted: Set<string>;
}

/**
 * A change to an object. `act` is undefined if no write is necessary. `move` writes the desired object again, although
 * the CNF already has it, to move it.
 */
interface ChangeStep {
  readonly plan: Plan;
  readonly change: Change;
  readonly act: "create" | "update" | "move" | undefined;
  readonly result: Exclude<Written, { readonly error: unknown }>;
}

/** An object of another resource to write again unchanged, so that it moves to the end. */
interface MoveStep {
  readonly plan: Plan;
  readonly object: UciObject;
  readonly name: string;
  readonly act: "create" | "update";
}

/** The deletion of an object that a later step creates again. */
interface EraseStep {
  readonly plan: Plan;
  readonly name: string;
  readonly act: "delete";
}

/**
 * A step of a plan. If `isBound` is true, the step must be in the same batch as the previous one, because rules may be
 * missing between the two steps.
 */
export type Step = (ChangeStep | MoveStep | EraseStep) & { readonly isBound?: true };

/** A collection as listed by the CNF. */
export interface Listed {
  readonly kind: Change["kind"];
  readonly objects: Stored;
  /** True if an earlier batch did not finish ordering the objects. */
  readonly isUnordered: boolean;
  /** True to defer moves to a later batch, because further changes are expected. */
  readonly defersMoves: boolean;
  /** Objects that this batch has deleted. */
  readonly deleted: readonly UciObject[];
}

/**
 * Plans the smallest number of writes to a collection that brings the operator's own objects into order and into force.
 * Does not move other objects.
 */
export function planOf(listed: Listed, changes: readonly Change[], known: Knowledge): Plan {
  const { kind, objects } = listed;
  const plan: Plan = { kind, steps: [], moves: false, defers: false, undeleted: new Set() };
  const steps = changes.map((change) => ({
    plan,
    change,
    ...verdictOn(change, objects.get(change.name) ?? [], known),
  }));
  plan.steps = kind.precedence ? inOrder(plan, steps, listed, known) : steps;
  return plan;
}

function verdictOn(change: Change, stored: readonly UciObject[], known: Knowledge): Pick<ChangeStep, "act" | "result"> {
  const [current, ...duplicates] = stored;
  const drifted = known.has(change);
  if (current && duplicates.length === 0 && (known.isUnchanged(change, current) ?? change.same(current, drifted)))
    return { act: undefined, result: { changed: false, shown: current } };
  if (drifted && change.leavesDrift) return { act: undefined, result: { changed: false, drifted } };
  return { act: current ? "update" : "create", result: { changed: true, drifted } };
}

function inOrder(plan: Plan, steps: readonly ChangeStep[], listed: Listed, known: Knowledge): readonly Step[] {
  const { kind, objects, isUnordered, defersMoves } = listed;
  const knownOrders = known.ordersAt(kind.path);
  const orders = new Map(knownOrders);
  const own = new Map<string, ChangeStep>();
  for (const step of steps)
    if (step.change.order) {
      own.set(step.change.name, step);
      orders.set(step.change.name, step.change.order);
    }
  const isWritten = (name: string): boolean => own.get(name)?.act !== undefined;
  const present = new Map<string, UciObject>();
  for (const name of new Set([...objects.keys(), ...own.keys()])) {
    const [stored] = objects.get(name) ?? [];
    const object = isWritten(name) ? own.get(name)?.change.desired : stored;
    if (object) present.set(name, object);
  }
  const lanes = lanesOf(kind, orders, present);
  const current = [...objects.keys()];
  const displaced = isUnordered ? new Set<string>() : displacedInLanes(lanes, current);
  const isReordered = ({ name, order }: Change): boolean => {
    const before = knownOrders.get(name);
    return before !== undefined && order !== undefined && compareOrder(before, order) !== 0;
  };
  const isOwn = ({ change, act }: ChangeStep): boolean =>
    act !== undefined || !change.leavesDrift || !known.has(change) || isReordered(change);
  const tails = tailsOf(lanes, current, isWritten);
  const twins = withTwins(tails, listed);
  const moving = new Map<Lane, "now" | "later">();
  for (const lane of lanes) {
    const tail = tails.get(lane) ?? [];
    const changes = lane.names.flatMap((name) => own.get(name) ?? []);
    const mayMove = isUnordered || twins.has(lane) || changes.some(isOwn);
    const isRebuilt = lane.isInserted && tail.length > 1;
    if (!mayMove || !tail.some((name) => !isWritten(name) || (isRebuilt && objects.has(name)))) continue;
    const defers = defersMoves && !lane.isInserted && !twins.has(lane);
    moving.set(lane, defers ? "later" : "now");
    if (defers) plan.defers = true;
    else plan.moves = true;
  }
  const willBeWritten = (lane: Lane, name: string): boolean => isWritten(name) || moving.get(lane) === "now";
  const rewritten = new Map(
    [...tails].flatMap(([lane, tail]) =>
      tail.filter((name) => willBeWritten(lane, name)).map((name): [string, Lane] => [name, lane]),
    ),
  );
  const erased = erasedFirst(rewritten, moving, listed, present);

  const stepsOf = (lane: Lane): readonly Step[] => {
    const tail = new Set(tails.get(lane));
    const moves = moving.get(lane);
    const finished = (step: ChangeStep): ChangeStep => {
      const { change, act, result } = step;
      const isErased = erased.has(change.name);
      if (act !== undefined) return isErased ? { ...step, act: "create" } : step;
      if (result.drifted && !result.changed) return step;
      const drifted = displaced.has(change.name) && known.has(change) && !isReordered(change);
      if (!moves) return drifted ? { ...step, result: { ...result, drifted, displaced: true } } : step;
      const changed = drifted || isReordered(change);
      const outcome = { ...result, changed, ...(drifted ? { drifted, displaced: true } : {}) };
      if (!tail.has(change.name)) return { ...step, result: outcome };
      const move = isErased ? "create" : "move";
      return { ...step, act: moves === "later" ? undefined : move, result: { ...outcome, moved: true } };
    };
    const following = lane.names.flatMap((name): Step[] => {
      if (!tail.has(name)) return [];
      const change = own.get(name);
      const step = change && finished(change);
      const [object] = objects.get(name) ?? [];
      if (step?.act !== undefined || moves !== "now" || !object) return step ? [step] : [];
      const act = erased.has(name) ? "create" : "update";
      return [{ plan, object, name, act }, ...(step ? [step] : [])];
    });
    const changes = lane.names.flatMap((name) => own.get(name) ?? []);
    const staying = changes.filter(({ change }) => !tail.has(change.name)).map(finished);
    // Once an equal rule is written, the wrong order shows a later batch that the others must be written, too.
    const [first, ...rest] = following;
    return [...staying, ...(first && twins.has(lane) ? [{ ...first, isBound: true as const }, ...rest] : following)];
  };
  const inLanes = new Set(lanes.flatMap(({ names }) => names));
  const others = steps.filter((step) => own.get(step.change.name) !== step || !inLanes.has(step.change.name));
  const deletions = [...erased].map((name): Step => ({ plan, name, act: "delete" }));
  const writes = [...deletions, ...lanes.flatMap(stepsOf)];
  const last = writes.findLastIndex((step) => erased.has("change" in step ? step.change.name : step.name));
  return [
    ...others,
    ...writes.map((step, index): Step => (index > 0 && index <= last ? { ...step, isBound: true } : step)),
  ];
}

/**
 * Returns the names of the objects that must be deleted before any object is created: objects in groups that the CNF
 * inserts at a position, and objects whose kernel rule equals another object's rule. If such a rule were created first,
 * the CNF might insert it before its equal, and later delete the wrong one of the two.
 *
 * @param rewritten names of the objects to write, with their lanes
 */
function erasedFirst(
  rewritten: ReadonlyMap<string, Lane>,
  moving: ReadonlyMap<Lane, "now" | "later">,
  { kind: { kernelRules = () => [], hasPosition = () => false }, objects }: Listed,
  present: ReadonlyMap<string, UciObject>,
): ReadonlySet<string> {
  const storedRules = (name: string): readonly string[] => (objects.get(name) ?? []).flatMap(kernelRules);
  const sharing = new Map<string, { count: number; isInserted: boolean }>();
  for (const name of rewritten.keys()) {
    const object = present.get(name);
    const all = [...(objects.get(name) ?? []), ...(object ? [object] : [])];
    const isInserted = all.some(hasPosition);
    for (const rule of new Set(all.flatMap(kernelRules))) {
      const { count, isInserted: isAnyInserted } = sharing.get(rule) ?? { count: 0, isInserted: false };
      sharing.set(rule, { count: count + 1, isInserted: isAnyInserted || isInserted });
    }
  }
  const isShared = (rule: string): boolean => {
    const { count, isInserted } = sharing.get(rule) ?? { count: 0, isInserted: false };
    return count > 1 && isInserted;
  };
  const names = [...rewritten].filter(
    ([name, lane]) =>
      objects.has(name) && ((lane.isInserted && moving.get(lane) === "now") || storedRules(name).some(isShared)),
  );
  return new Set(names.map(([name]) => name));
}

/**
 * Returns, for each group, the names of the objects from the first one that must be written to the last. Writing them
 * restores the order of the group.
 */
function tailsOf(
  lanes: readonly Lane[],
  current: readonly string[],
  isWritten: (name: string) => boolean,
): Map<Lane, readonly string[]> {
  return new Map(
    lanes.map((lane): [Lane, readonly string[]] => {
      const { names, isInserted } = lane;
      const count = stayingCount(current, names, isWritten);
      return [lane, names.slice(isInserted && count < names.length ? 0 : count)];
    }),
  );
}

/**
 * Extends the objects to write by those whose kernel rules equal the rule of a deleted or written object. The CNF
 * deletes the first of two equal rules, so the other object's rule would be in the wrong position, or missing.
 *
 * @returns the lanes with extended tails
 */
function withTwins(tails: Map<Lane, readonly string[]>, { kind, objects, deleted }: Listed): ReadonlySet<Lane> {
  const extended = new Set<Lane>();
  const { kernelRules } = kind;
  if (!kernelRules) return extended;
  const rulesOf = (name: string): readonly string[] => (objects.get(name) ?? []).flatMap(kernelRules);
  const removed = new Set(deleted.flatMap(kernelRules));
  for (const tail of tails.values()) for (const name of tail) for (const rule of rulesOf(name)) removed.add(rule);
  if (removed.size === 0) return extended;
  for (let isStable = false; !isStable; ) {
    isStable = true;
    for (const [lane, tail] of tails) {
      const staying = lane.names.slice(0, lane.names.length - tail.length);
      const first = staying.findIndex((name) => rulesOf(name).some((rule) => removed.has(rule)));
      if (first < 0) continue;
      const longer = lane.names.slice(lane.isInserted ? 0 : first);
      for (const name of longer) for (const rule of rulesOf(name)) removed.add(rule);
      tails.set(lane, longer);
      extended.add(lane);
      isStable = false;
    }
  }
  return extended;
}
