import type { Clock } from "@kubewright/clock";
import type { Manager } from "@kubewright/manager";
import type { Gate, Viewer } from "../security/gate.ts";
import type { History } from "./history.ts";
import { objectView } from "./object-view.ts";
import type { PanelQuestion } from "./panel.ts";
import type { Panels } from "./panels.ts";
import type { Permissions } from "./permissions.ts";
import { controllerState, describedController, runtimeOf } from "./runtime.ts";

export interface ConsoleDataOptions {
  readonly manager: Manager;
  readonly clock: Clock;
  readonly gate: Gate;
  readonly history: History;
  readonly panels: Panels;
  readonly permissions: Permissions;
}

export interface Asked {
  readonly viewer: Viewer;
  /** Aborts when whoever asked went away. */
  readonly signal: AbortSignal;
}

export type Found = { readonly value: unknown } | { readonly refused: 400 | 403 | 404; readonly message: string };

/** So many rows of a queue, and so many reconciles, are in one answer. */
const mostRows = 200;
const longestText = 600;

/** What is behind the addresses. */
export class ConsoleData {
  readonly #options: ConsoleDataOptions;
  readonly #startedMs: number;

  constructor(options: ConsoleDataOptions) {
    this.#options = options;
    this.#startedMs = options.clock.now();
  }

  /** What changes by the second. */
  tick(): object {
    const { manager, clock } = this.#options;
    const { controllers, caches } = runtimeOf(manager);
    return { atMs: clock.now(), leadership: manager.leadership, controllers, caches };
  }

  /** @param segments of the path below `v1/`; `undefined` where there is nothing */
  async answer(segments: readonly string[], query: URLSearchParams, asked: Asked): Promise<Found | undefined> {
    const [what, name, ...more] = segments;
    if (more.length > 0) return undefined;
    if (name === undefined) return this.#whole(what, query);
    if (name.length > longestText) return undefined;
    if (what === "queues") return this.#queue(name, query);
    if (what === "objects") return this.#object(name, query, asked);
    if (what !== "panels") return undefined;
    return this.#panel(name, query, asked);
  }

  async #panel(id: string, query: URLSearchParams, { viewer, signal }: Asked): Promise<Found | undefined> {
    const { panels, gate } = this.#options;
    const mayGet: PanelQuestion["mayGet"] = (object) => gate.maySee(viewer, { verb: "get", ...object });
    const question = { search: textOf(query, "search") ?? "", signal, mayGet };
    const row = textOf(query, "row");
    const found = await (row === undefined ? panels.answer(id, question) : panels.detail(id, row, question));
    return found && { value: found };
  }

  async #whole(what: string | undefined, query: URLSearchParams): Promise<Found | undefined> {
    const { manager, permissions } = this.#options;
    switch (what) {
      case "overview":
        return { value: this.#overview() };
      case "controllers":
        return { value: this.#controllers() };
      case "reconciles":
        return this.#reconciles(query);
      case "caches":
        return { value: runtimeOf(manager).caches };
      case "webhooks":
        return {
          value: { server: runtimeOf(manager).webhooks, webhooks: manager.describe().webhooks.map(withoutCrd) },
        };
      case "rbac":
        return { value: await permissions.answer() };
      default:
        return undefined;
    }
  }

  #overview(): object {
    const { manager, panels } = this.#options;
    const { certificates } = runtimeOf(manager);
    const { name, leaderElection, webhooks: declared } = manager.describe();
    const lease = leaderElection ? { lease: leaderElection } : {};
    const counts = { webhooks: declared.length };
    return { ...this.tick(), name, startedMs: this.#startedMs, certificates, panels: panels.all, counts, ...lease };
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

  #queue(name: string, query: URLSearchParams): Found | undefined {
    const state = controllerState(this.#options.manager, name, { limit: mostRows, search: textOf(query, "search") });
    if (!state) return undefined;
    const { reconciles: _reconciles, ...shown } = state;
    return { value: { name, ...shown, history: this.#options.history.of(name) } };
  }

  #reconciles(query: URLSearchParams): Found {
    const name = textOf(query, "controller");
    if (!name) return { refused: 400, message: "controller: say whose reconciles, as ?controller=NAME" };
    const detail = { limit: mostRows, key: textOf(query, "key"), search: textOf(query, "search") };
    const state = controllerState(this.#options.manager, name, detail);
    if (!state) return { refused: 404, message: `controller: there is none of the name "${name}"` };
    return { value: { name, reconciles: state.reconciles ?? [], queue: state.queue?.rows ?? [] } };
  }

  async #object(name: string, query: URLSearchParams, { viewer, signal }: Asked): Promise<Found> {
    const { manager, gate, panels } = this.#options;
    const controller = describedController(manager, name);
    if (!controller) return { refused: 404, message: `there is no controller "${name}"` };
    const key = textOf(query, "key") ?? "";
    const client = manager.unfenced.apiReader;
    const found = await objectView({ client, gate, viewer, signal }, controller, key);
    if (found.status !== 200) return { refused: found.status, message: found.message };
    const { status: _status, ...value } = found;
    const about = panels.about(name, key);
    return { value: { ...value, ...(about.length > 0 ? { panels: about } : {}) } };
  }
}

const textOf = (query: URLSearchParams, name: string): string | undefined =>
  query.get(name)?.slice(0, longestText) || undefined;

const withoutCrdOf = <T extends { readonly crd?: unknown }>({ crd: _crd, ...rest }: T): Omit<T, "crd"> => rest;

const withoutCrd = <T extends { readonly resource: { readonly crd?: unknown } }>(webhook: T): object => ({
  ...webhook,
  resource: withoutCrdOf(webhook.resource),
});
