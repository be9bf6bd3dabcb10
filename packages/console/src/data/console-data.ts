import { type DescribedResource, groupKindKey, splitKey } from "@kubewright/apimachinery";
import type { Clock } from "@kubewright/clock";
import type { Cause, ReconcileRecord } from "@kubewright/controller";
import type { DescribedController, Manager } from "@kubewright/manager";
import type { Gate, Viewer } from "../security/gate.ts";
import { type Attention, attention } from "./attention.ts";
import type { History } from "./history.ts";
import { keyError, keyOfKind, objectView } from "./object-view.ts";
import type { PanelQuestion } from "./panel.ts";
import type { Panels } from "./panels.ts";
import type { Permissions } from "./permissions.ts";
import { redactedText } from "./redacted.ts";
import {
  controllerState,
  describedController,
  inspectedController,
  isCacheOf,
  nameInCache,
  numbersOf,
  type Runtime,
  runtimeOf,
} from "./runtime.ts";
import { shardOf, shardsState } from "./shards.ts";
import { shownReconcile, withReadableError } from "./shown-reconcile.ts";
import { type Verdict, verdictOf } from "./verdict.ts";

export interface ConsoleDataOptions {
  readonly manager: Manager;
  readonly clock: Clock;
  readonly gate: Gate;
  readonly history: History;
  readonly panels: Panels;
  readonly permissions: Permissions;
  /** Address of a trace. `{traceId}` is replaced by the trace's ID. */
  readonly traceUrl?: string | undefined;
}

export interface ViewerRequest {
  readonly viewer: Viewer;
  /** Signal that aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Text of a panel's form. */
  readonly text?: string | undefined;
}

export type Found =
  | { readonly value: unknown }
  | { readonly refused: 400 | 403 | 404 | 409 | 502; readonly message: string };

/** Maximum number of queue rows and maximum number of reconciles in a response. */
const maxRows = 200;
const longestText = 600;
const longestUser = 200;
/** Maximum number of queued, running or failing keys whose states are shown in a list of objects. */
const maxBusy = 2_000;
/** Maximum number of objects in a response for which the viewer's access is checked. */
const maxChecked = 20;
/** Maximum number of updates in a response whose changes are shown. */
const maxChanges = 40;

/** Maps paths to the data that the console shows. */
export class ConsoleData {
  readonly #options: ConsoleDataOptions;
  readonly #startedMs: number;

  constructor(options: ConsoleDataOptions) {
    this.#options = options;
    this.#startedMs = options.clock.now();
  }

  /** Returns the data for one tick. All viewers get the same data, so it must contain only numbers. */
  tick(): object {
    const { manager, clock } = this.#options;
    const { controllers, caches } = runtimeOf(manager);
    const counted = caches.map(({ lastError: _lastError, ...cached }) => cached);
    return { atMs: clock.now(), leadership: manager.leadership, controllers, caches: counted };
  }

  /** Returns the data at a path. @param segments segments of the path below `v1/` @returns undefined if there is no data at this path */
  async answer(segments: readonly string[], query: URLSearchParams, asked: ViewerRequest): Promise<Found | undefined> {
    const [what, name, ...more] = segments;
    if (more.length > 0) return undefined;
    if (name === undefined) return this.#whole(what, query, asked);
    if (name.length > longestText) return undefined;
    if (what === "queues") return this.#queue(name, query, asked);
    if (what === "objects") return this.#object(name, query, asked);
    if (what === "keys") return this.#keys(name, query, asked);
    if (what !== "panels") return undefined;
    return this.#panel(name, query, asked);
  }

  /** Returns the maximum size of the text of a panel's form, or undefined if its form has no text. */
  maxTextBytes(panel: string): number | undefined {
    return this.#options.panels.maxTextBytes(panel);
  }

  async #panel(
    id: string,
    query: URLSearchParams,
    { viewer, signal, text }: ViewerRequest,
  ): Promise<Found | undefined> {
    const { panels } = this.#options;
    const question = { search: textOf(query, "search") ?? "", text, signal, ...this.#permissionsOf(viewer) };
    const row = textOf(query, "row");
    const found = await (row === undefined ? panels.answer(id, question) : panels.detail(id, row, question));
    return found && { value: found };
  }

  async #whole(
    what: string | undefined,
    query: URLSearchParams,
    { viewer, signal }: ViewerRequest,
  ): Promise<Found | undefined> {
    const { manager, permissions } = this.#options;
    switch (what) {
      case "overview":
        return { value: await this.#overview(viewer, signal) };
      case "controllers":
        return { value: this.#controllers() };
      case "reconciles":
        return this.#reconciles(query, viewer);
      case "caches":
        return { value: await this.#caches(viewer) };
      case "webhooks":
        return {
          value: { server: runtimeOf(manager).webhooks, webhooks: manager.describe().webhooks.map(withoutCrd) },
        };
      case "shards": {
        const state = shardsState(manager);
        return state ? { value: state } : { refused: 404, message: "this program does not use sharding" };
      }
      case "rbac":
        return { value: await permissions.answer() };
      default:
        return undefined;
    }
  }

  async #overview(viewer: Viewer, signal: AbortSignal): Promise<object> {
    const { manager, panels } = this.#options;
    const { certificates } = runtimeOf(manager);
    const { name, leaderElection, webhooks: declared } = manager.describe();
    const lease = leaderElection ? { lease: leaderElection } : {};
    const counts = { webhooks: declared.length };
    const caches = await this.#caches(viewer);
    const needsAttention = await this.#attention(viewer, caches, signal);
    const maySave =
      viewer.type === "local" && manager.recording.recorder !== undefined ? { maySaveRecording: true } : {};
    const program = {
      name,
      ...(manager.shards ? { isSharded: true } : {}),
      startedMs: this.#startedMs,
      ...maySave,
      certificates,
      panels: panels.all,
      counts,
      ...lease,
    };
    return { ...this.tick(), caches, ...program, attention: needsAttention };
  }

  async #attention(viewer: Viewer, caches: Runtime["caches"], signal: AbortSignal): Promise<Attention> {
    const { manager, clock, history, panels, permissions } = this.#options;
    const described = new Map(manager.describe().controllers.map((one) => [one.name, one]));
    const { controllers, certificates } = runtimeOf(manager);
    const atMs = clock.now();
    return attention({
      atMs,
      uptimeMs: atMs - this.#startedMs,
      leadership: manager.leadership,
      controllers: controllers.map((one) => ({ ...one, kinds: kindsOf(described.get(one.name)) })),
      caches,
      certificates,
      hasWebhooks: manager.describe().webhooks.length > 0,
      permissions: permissions.latest,
      shards: shardsState(manager),
      panels: await panels.attention({ signal, ...this.#permissionsOf(viewer) }),
      waitedMs: (name) => history.waitedMs(name),
      rowsOf: async (name, state, limit) => {
        if ((await this.#refusalOf(viewer, name)) !== undefined) return undefined;
        return controllerState(manager, name, { limit, state })?.queue?.rows;
      },
    });
  }

  #permissionsOf(viewer: Viewer): Pick<PanelQuestion, "mayGet" | "mayList"> {
    const { gate } = this.#options;
    return {
      mayGet: (object) => gate.maySee(viewer, { verb: "get", ...object }),
      mayList: (kind) => gate.mayList(viewer, kind),
    };
  }

  /** Returns the state of the caches. A cache's error may contain object names, so only viewers who may list the kind see the error. */
  async #caches(viewer: Viewer): Promise<Runtime["caches"]> {
    const { manager, gate } = this.#options;
    const kinds = new Map<string, DescribedResource>();
    for (const kind of manager.describe().controllers.flatMap(kindsOf)) kinds.set(nameInCache(kind), kind);
    return Promise.all(
      runtimeOf(manager).caches.map(async ({ lastError, ...cached }) => {
        if (lastError === undefined) return cached;
        const kind = kinds.get(cached.name);
        const isShown = viewer.type === "local" || (kind && (await gate.mayList(viewer, accessTo(kind))));
        return { ...cached, lastError: isShown ? redactedText(lastError) : "hidden: you may not list this kind" };
      }),
    );
  }

  #controllers(): object[] {
    const { manager, history } = this.#options;
    const described = new Map(manager.describe().controllers.map((one) => [one.name, one]));
    return runtimeOf(manager).controllers.map((numbers) => {
      const { for: main, owns = [], watches = [] } = described.get(numbers.name) ?? {};
      const kinds = { owns: owns.map(({ kind }) => kind), watches: watches.map(({ kind }) => kind) };
      return { ...numbers, ...(main ? { for: withoutCrdOf(main) } : {}), ...kinds, history: history.of(numbers.name) };
    });
  }

  async #queue(name: string, query: URLSearchParams, { viewer }: ViewerRequest): Promise<Found | undefined> {
    const { manager, history } = this.#options;
    const filter = { search: textOf(query, "search"), state: textOf(query, "state") };
    const state = controllerState(manager, name, { limit: maxRows, ...filter });
    if (!state) return undefined;
    const { reconciles: _reconciles, queue, ...shown } = state;
    const refused = await this.#refusalOf(viewer, name);
    if (refused === undefined) return { value: { name, ...shown, queue: readable(queue), history: history.of(name) } };
    const none = { rows: [], total: state.queueLength + state.running + state.held, isWhole: true };
    return { value: { name, ...numbersOf(state), queue: none, refused, history: history.of(name) } };
  }

  async #reconciles(query: URLSearchParams, viewer: Viewer): Promise<Found> {
    const name = textOf(query, "controller");
    if (!name) return { refused: 400, message: "controller: the parameter is missing; add ?controller=NAME" };
    const detail = { limit: maxRows, key: textOf(query, "key"), search: textOf(query, "search") };
    // An inspection of a key changes what is recorded, so only permitted viewers may cause it.
    const refused = await this.#refusalOf(viewer, name, detail.key);
    const none = { refused: 404, message: `there is no controller named "${name}"` } as const;
    if (refused !== undefined)
      return controllerState(this.#options.manager, name, { limit: 0 }) ? { refused: 403, message: refused } : none;
    const found = inspectedController(this.#options.manager, name, detail);
    if (!found) return none;
    const { state } = found;
    const main = describedController(this.#options.manager, name)?.for;
    const verdict = main && detail.key !== undefined ? await this.#verdict(viewer, main, detail.key, found) : undefined;
    const maySee = await this.#seenCauses(viewer, state.reconciles ?? []);
    const reconciles = (state.reconciles ?? []).map((one) => shownReconcile(one, maySee));
    const rows = readable(state.queue)?.rows ?? [];
    const { traceUrl } = this.#options;
    const links = traceUrl === undefined ? {} : { traceUrl };
    return { value: { name, reconciles, queue: rows, ...(verdict ? { verdict } : {}), ...links } };
  }

  /** Returns the reason why an object is or is not reconciled. */
  async #verdict(
    viewer: Viewer,
    main: DescribedResource,
    key: string,
    { name, group, state }: NonNullable<ReturnType<typeof inspectedController>>,
  ): Promise<Verdict> {
    const { manager, clock } = this.#options;
    const kind = groupKindKey(main);
    if (!keyOfKind(main, key)) return { tone: "neutral", text: `Does not exist: ${keyError(main, key)}` };
    const { isElected, leads, leader } = manager.leadership;
    const blocking = state.about?.blockedBy?.key;
    return verdictOf({
      ...{ key, kind, state, nowMs: clock.now() },
      cached: manager.cache.inspectObject(main, key),
      isUnserved: runtimeOf(manager).caches.some((cached) => cached.isUnserved && isCacheOf(main, cached)),
      shard: shardOf(manager, state, key),
      leader: group === "leaderElection" && isElected && !leads ? leader : undefined,
      maySeeBlocking: blocking !== undefined && (await this.#refusalOf(viewer, name, blocking)) === undefined,
    });
  }

  /** Returns a page of the objects of a controller's kind, for viewers who may list the kind. */
  async #keys(name: string, query: URLSearchParams, { viewer }: ViewerRequest): Promise<Found> {
    const { manager } = this.#options;
    const main = describedController(manager, name)?.for;
    if (!main) return { refused: 404, message: `there is no controller named "${name}" with a kind` };
    const refused = await this.#refusalOf(viewer, name);
    if (refused !== undefined) return { refused: 403, message: refused };
    const filter = { search: textOf(query, "search"), after: textOf(query, "after") };
    const { keys, total } = manager.cache.inspectKeys(main, { limit: maxRows, ...filter });
    const shown = new Set(keys);
    const { queue } = controllerState(manager, name, { limit: maxBusy, search: filter.search }) ?? {};
    const states = new Map(queue?.rows.flatMap(({ key, state }) => (shown.has(key) ? [[key, state] as const] : [])));
    const rows = keys.map((key) => ({ key, ...(states.has(key) ? { state: states.get(key) } : {}) }));
    return { value: { kind: groupKindKey(main), rows, total } };
  }

  /**
   * Carries out an action on one object, if the viewer may update the object.
   *
   * @param action `reconcile`, `pause` or `resume`
   */
  async act(name: string, action: string, key: string, viewer: Viewer): Promise<Found> {
    const { manager, gate } = this.#options;
    if (action !== "reconcile" && action !== "pause" && action !== "resume")
      return {
        refused: 400,
        message: `do: "${action.slice(0, 100)}" is not an action; use reconcile, pause or resume`,
      };
    const found = inspectedController(manager, name, { limit: 0 });
    const main = describedController(manager, name)?.for;
    if (!found || !main) return { refused: 404, message: `there is no controller named "${name}" with a kind` };
    const object = keyOfKind(main, key);
    if (!object) return { refused: 400, message: keyError(main, key) };
    if (!(await gate.mayAct(viewer, { ...accessTo(main), ...object })))
      return { refused: 403, message: `you may not update ${main.plural} ${key}` };
    const { isElected, leads, leader } = manager.leadership;
    if (found.group === "leaderElection" && isElected && !leads)
      return { refused: 409, message: `only the leader ${leader} can do this, because it runs the controller` };
    const shard = shardOf(manager, found.state, key);
    if (shard?.state === "elsewhere" && action !== "resume")
      return {
        refused: 409,
        message: `only the replica ${shard.holder} can do this, because it holds shard ${shard.shard}`,
      };
    const by =
      viewer.type === "local" ? "a local user" : (viewer.user.username ?? "an unnamed user").slice(0, longestUser);
    if (!manager.control(name, action, key, by)) return { refused: 409, message: `cannot ${action} ${key} now` };
    return { value: { done: action } };
  }

  /**
   * Returns a function that returns the kind of a cause's object if the viewer may get the object. Only a limited number of objects are
   * checked, and only a limited number of calls return a kind. All other changes are not shown.
   */
  async #seenCauses(
    viewer: Viewer,
    reconciles: readonly ReconcileRecord[],
  ): Promise<(cause: Cause) => DescribedResource | undefined> {
    const kinds = new Map<string, DescribedResource>();
    for (const kind of this.#options.manager.describe().controllers.flatMap(kindsOf))
      kinds.set(groupKindKey(kind), kind);
    const nameOf = ({ source, key }: Cause) => `${source} ${key}`;
    const seen = new Map<string, DescribedResource>();
    const changed = reconciles.flatMap(({ causes }) => causes.filter(({ changes }) => changes));
    const distinct = new Map(changed.map((cause) => [nameOf(cause), cause]));
    const check = async (cause: Cause): Promise<void> => {
      const kind = kinds.get(cause.source);
      const named = kind && keyOfKind(kind, cause.key);
      const object = named && { verb: "get", ...accessTo(kind), ...named };
      if (object && (await this.#options.gate.maySee(viewer, object))) seen.set(nameOf(cause), kind);
    };
    await Promise.all([...distinct.values()].slice(0, maxChecked).map(check));
    let left = maxChanges;
    return (cause) => (left-- > 0 ? seen.get(nameOf(cause)) : undefined);
  }

  /**
   * Returns the reason why a viewer may not see names, causes and errors of a controller's objects: the viewer lacks permission to list its
   * kind. For an individual key, permission in its namespace is enough. Data about controllers without a kind is visible only locally.
   */
  async #refusalOf(viewer: Viewer, name: string, key?: string): Promise<string | undefined> {
    if (viewer.type === "local") return undefined;
    const { manager, gate } = this.#options;
    const { for: main }: Partial<DescribedController> = describedController(manager, name) ?? {};
    if (!main) return `the controller ${name} has no kind, so no permission allows seeing its objects`;
    const kind = accessTo(main);
    if (await gate.mayList(viewer, kind)) return undefined;
    const namespace = key === undefined ? undefined : partsOf(key)?.namespace;
    if (namespace && (await gate.mayList(viewer, { ...kind, namespace }))) return undefined;
    const { group, resource } = kind;
    return `you may not list ${resource}${group ? `.${group}` : ""}; names, causes and errors are hidden`;
  }

  async #object(name: string, query: URLSearchParams, { viewer, signal }: ViewerRequest): Promise<Found> {
    const { manager, gate, panels } = this.#options;
    const controller = describedController(manager, name);
    if (!controller) return { refused: 404, message: `there is no controller named "${name}"` };
    const key = textOf(query, "key") ?? "";
    const client = manager.unfenced.apiReader;
    const found = await objectView({ client, gate, viewer, signal }, controller, key);
    if (found.status !== 200) return { refused: found.status, message: found.message };
    const { status: _status, ...value } = found;
    const about = panels.about(name, key);
    const main = controller.for;
    const object = main && keyOfKind(main, key);
    // If the API server does not decide, the object is shown without actions.
    const mayAct =
      main !== undefined &&
      object !== undefined &&
      (await gate.mayAct(viewer, { ...accessTo(main), ...object }).catch(() => false));
    return { value: { ...value, mayAct, ...(about.length > 0 ? { panels: about } : {}) } };
  }
}

/** Returns all kinds that a controller works with. */
const kindsOf = ({ for: main, owns = [], watches = [] }: Partial<DescribedController> = {}): DescribedResource[] => [
  ...(main ? [main] : []),
  ...owns,
  ...watches,
];

const accessTo = ({ group, version, plural }: DescribedResource) => ({ group, version, resource: plural });

function partsOf(key: string): ReturnType<typeof splitKey> | undefined {
  try {
    return splitKey(key);
  } catch {
    return undefined;
  }
}

type QueueOf<T> = T extends { readonly queue?: infer Q } ? Q : never;
type Queue = QueueOf<NonNullable<ReturnType<typeof controllerState>>>;

/** Hides secrets in the errors of a queue. Messages from devices and servers may repeat secrets that they received. */
const readable = (queue: Queue): Queue =>
  queue && {
    ...queue,
    rows: queue.rows.map((row) => (row.failure ? { ...row, failure: withReadableError(row.failure) } : row)),
  };

const textOf = (query: URLSearchParams, name: string): string | undefined =>
  query.get(name)?.slice(0, longestText) || undefined;

const withoutCrdOf = <T extends { readonly crd?: unknown }>({ crd: _crd, ...rest }: T): Omit<T, "crd"> => rest;

const withoutCrd = <T extends { readonly resource: { readonly crd?: unknown } }>(webhook: T): object => ({
  ...webhook,
  resource: withoutCrdOf(webhook.resource),
});
