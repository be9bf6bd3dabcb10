import { compareOrder, displacedIn, fileOrder, type Order, stayingCount } from "../../uci/order.ts";
import type { UciObject } from "../../uci/uci-object.ts";
import type { Change, Stored, Written } from "./change.ts";

/** State of the CNF known from earlier writes. */
export interface Knowledge {
  /** Reports whether this change is the last one that was sent for its object. */
  has(change: Change): boolean;
  /** Reports whether the CNF still returns the object as the operator left it. Undefined if unknown. */
  isUnchanged(change: Change, stored: UciObject): boolean | undefined;
  /** Returns the places of the objects that the operator keeps in order at a path. */
  ordersAt(path: string): ReadonlyMap<string, Order>;
}

/** The writes to one collection, in order. */
export interface Plan {
  readonly kind: Change["kind"];
  steps: readonly Step[];
  /** True if objects that have the desired state are written again, to move them. */
  moves: boolean;
  /** True if such moves are necessary, but left to a later batch. */
  defers: boolean;
}

/** A change. `act` is undefined if nothing must be written. `move` writes the desired object although the CNF already has it. */
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
}

export type Step = ChangeStep | MoveStep;

/** A collection as the CNF listed it. */
export interface Listed {
  readonly kind: Change["kind"];
  readonly objects: Stored;
  /** True if an earlier batch did not finish the order. */
  readonly isUnordered: boolean;
  /** True to leave moves to a later batch, because further changes are expected. */
  readonly defersMoves: boolean;
}

/**
 * Plans the fewest writes to one collection after which the operator's own objects are in order. Objects of others, and objects that
 * determine their own position, are not moved.
 */
export function planOf(listed: Listed, changes: readonly Change[], known: Knowledge): Plan {
  const { kind, objects } = listed;
  const plan: Plan = { kind, steps: [], moves: false, defers: false };
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
  const compare = fileOrder(kind.precedence);
  const knownOrders = known.ordersAt(kind.path);
  const ordered = new Map(
    steps.flatMap((step) => (step.change.order && !step.change.hasPosition ? [[step.change.name, step] as const] : [])),
  );
  const orders = new Map(knownOrders);
  for (const { change } of steps)
    if (change.order && change.hasPosition) orders.delete(change.name);
    else if (change.order) orders.set(change.name, change.order);
  const current = [...objects.keys()].filter((name) => orders.has(name));
  const wanted = [...orders]
    .filter(([name]) => objects.has(name) || ordered.has(name))
    .sort(([, a], [, b]) => compare(a, b))
    .map(([name]) => name);
  const isWritten = (name: string): boolean => ordered.get(name)?.act !== undefined;
  const tail = new Set(wanted.slice(stayingCount(current, wanted, isWritten)));
  const displaced = isUnordered ? new Set<string>() : displacedIn(current, wanted);
  const isReordered = ({ name, order }: Change): boolean => {
    const before = knownOrders.get(name);
    return before !== undefined && order !== undefined && compareOrder(before, order) !== 0;
  };
  const isOwn = ({ change, act }: ChangeStep): boolean =>
    act !== undefined || !change.leavesDrift || !known.has(change) || isReordered(change);
  const mayMove = isUnordered || [...ordered.values()].some(isOwn);
  const needsMoves = mayMove && [...tail].some((name) => !isWritten(name));
  plan.moves = needsMoves && !defersMoves;
  plan.defers = needsMoves && defersMoves;

  const finished = (step: ChangeStep): ChangeStep => {
    const { change, act, result } = step;
    if (act !== undefined || (result.drifted && !result.changed)) return step;
    const drifted = displaced.has(change.name) && known.has(change) && !isReordered(change);
    if (!needsMoves) return drifted ? { ...step, result: { ...result, drifted, displaced: true } } : step;
    const changed = drifted || isReordered(change);
    const outcome = { ...result, changed, ...(drifted ? { drifted, displaced: true } : {}) };
    return tail.has(change.name)
      ? { ...step, act: defersMoves ? undefined : "move", result: { ...outcome, moved: true } }
      : { ...step, result: outcome };
  };
  const others = steps.filter((step) => ordered.get(step.change.name) !== step);
  const staying = [...ordered.values()].filter(({ change }) => !tail.has(change.name)).map(finished);
  const following = [...tail].flatMap((name): Step[] => {
    const own = ordered.get(name);
    const step = own && finished(own);
    const [object] = objects.get(name) ?? [];
    if (step?.act !== undefined || !plan.moves || !object) return step ? [step] : [];
    return [{ plan, object, name }, ...(step ? [step] : [])];
  });
  return [...others.toSorted((a, b) => compareOf(a.change, b.change)), ...staying, ...following];
}

const compareOf = (a: Change, b: Change): number => (a.order && b.order ? compareOrder(a.order, b.order) : 0);
