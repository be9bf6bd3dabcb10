import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { isRecord, type KubeObject } from "@kubewright/apimachinery";
import { systemClock } from "@kubewright/clock";
import type { ControllerInspection } from "@kubewright/controller";
import type { Manager } from "@kubewright/manager";
import { type InProcessRequest, type InProcessResponse, resourceText } from "../cluster/api-call.ts";
import { startBuiltInControllers } from "../cluster/built-in-controllers.ts";
import { builtIn, Cluster, programUrl, type WriteRecord } from "../cluster/cluster.ts";
import { type ClusterObject, keyOfObject } from "../cluster/cluster-object.ts";
import { AuthorModules } from "../program/author-modules.ts";
import { importNatively } from "../program/native-import.ts";
import { connectionError, ProgramProcess, programDoor } from "../program/program-process.ts";
import { controllersOf, type ReconcileEvent, reconciles } from "../run/world.ts";
import { actorClock } from "../time/actor-clock.ts";
import { Random } from "../time/random.ts";
import { exitText, replaceGlobals } from "../time/replace-globals.ts";
import { currentActor, VirtualTime } from "../time/virtual-time.ts";
import { AllowedNetwork, refusalText } from "./allowed-network.ts";
import { admin, applyToCopy, servedVersions } from "./apply-manifests.ts";
import { confirmChanges } from "./confirm-changes.ts";
import { fieldChanges } from "./field-changes.ts";
import { ForkStorage } from "./fork-storage.ts";
import { forkView } from "./fork-view.ts";
import { admissionHost, conversionHost, type LiveCluster, LiveCopy } from "./live-copy.ts";
import { LiveLimits } from "./live-limits.ts";
import { PlanError, type PlannedManifest, type PlannedUnknown, type PlanReport } from "./plan-report.ts";
import { plannedChanges, type WrittenObject } from "./planned-changes.ts";

export interface RunPlanOptions {
  readonly program: URL;
  readonly live: LiveCluster;
  readonly manifests: readonly PlannedManifest[];
  readonly allow: readonly string[];
  readonly settle: boolean;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** Interval at which the plan checks whether the program has settled, in virtual milliseconds. */
const sliceMs = 500;
/**
 * Time without writes after which a program has settled: without queued requests, with queued requests, and with reconciles that have not
 * ended.
 */
const [shortQuietMs, longQuietMs, hangingMs] = [2_000, 60_000, 300_000] as const;
/** Time without writes after which the built-in controllers have settled. */
const controllersQuietMs = 15_000;
const maxMs = 30 * 60_000;
/** Requeues after a longer delay are polls: a plan does not wait for them. */
const pollMs = 10_000;
/** Number of failures after which a plan does not wait for the next retry. */
const maxRetries = 8;
/** Number of reconciles of one key, each of which writes, that counts as a loop. */
const maxReconciles = 100;
/** Maximum virtual time for definitions to be served, and for the program to serve its webhooks. */
const patienceMs = 30_000;
const maxNamedFields = 3;

/** A reconcile of the program. */
interface PlannedReconcile {
  readonly controller: string;
  readonly key: string;
  isEffective: boolean;
}

/** The reconcile for which the current code runs. */
const currentReconcile = new AsyncLocalStorage<PlannedReconcile>();

type Controllers = readonly { readonly name: string; readonly state: ControllerInspection }[];

/** Makes a plan for a program in this thread. The thread must not be running another simulation. */
export async function runPlan(options: RunPlanOptions): Promise<PlanReport> {
  const restore = replaceGlobals();
  const ignore = (): void => {}; // of code of the program that was stopped
  process.on("unhandledRejection", ignore);
  try {
    const modules = new AuthorModules(options.program, { importNatively });
    try {
      const run = new PlanRun(options, modules);
      try {
        return await run.report();
      } finally {
        await run.close();
      }
    } finally {
      modules.close();
    }
  } finally {
    process.off("unhandledRejection", ignore);
    restore();
  }
}

class PlanRun {
  readonly #options: RunPlanOptions;
  readonly #modules: AuthorModules;
  readonly #time = new VirtualTime(systemClock.now());
  readonly #copy: LiveCopy;
  readonly #limits: LiveLimits;
  readonly #network: AllowedNetwork;
  /** Names of webhooks that the program serves. */
  readonly #ownWebhooks = new Set<string>();
  #storage: ForkStorage | undefined;
  #cluster: Cluster | undefined;
  #process: ProgramProcess | undefined;
  #stopControllers: (() => Promise<void>) | undefined;
  #startVersion = 0;
  readonly #written = new Map<string, WrittenObject>();
  readonly #refused = new Map<string, string>();
  readonly #problems: PlannedUnknown[] = [];
  /** Objects that were reconciled or written, such as `Site shop/north`. */
  readonly #seen = new Set<string>();
  /** Kinds that controllers reconcile. */
  readonly #kinds = new Map<string, string>();
  /** Reconciles that changed something, keyed by controller and key, with the fields that they changed last. */
  readonly #loops = new Map<string, { count: number; fields: readonly string[] }>();
  #looping: string | undefined;
  #lastWriteMs = 0;
  #preparation: Promise<void> = Promise.resolve();
  #isPrepared = false;
  #failure: unknown;
  /** Cause of the writes that the plan itself sends. */
  #source = "";
  readonly #onReconcile = (message: unknown): void => this.#noteReconcile(message as ReconcileEvent); // the channel carries these

  constructor(options: RunPlanOptions, modules: AuthorModules) {
    this.#options = options;
    this.#modules = modules;
    const outside = <T>(work: () => Promise<T>): Promise<T> => this.#time.hold(currentActor.exit(work));
    this.#copy = new LiveCopy(options.live, outside, options.maxBytes);
    this.#limits = new LiveLimits(this.#ownWebhooks);
    this.#network = new AllowedNetwork(options.allow, this.#time);
  }

  async report(): Promise<PlanReport> {
    await this.#start();
    const reconciled = await this.#settle();
    this.#noteProblems();
    const { changes, unknown } = await this.#result();
    const objects = new Set(this.#seen);
    for (const { kind, namespace, name } of changes) objects.delete(textOf(kind, namespace, name));
    for (const { object } of unknown) objects.delete(object);
    const { settle: isSettled, live } = this.#options;
    const limits = this.#limits.texts(this.#copy, { isConfirmed: live.dryRun !== undefined, isSettled });
    return {
      changes,
      unknown,
      unchanged: objects.size,
      reconciles: reconciled,
      revision: this.#copy.revision,
      limits: await this.#time.until(limits, maxMs, "reading the cluster's groups"),
    };
  }

  async close(): Promise<void> {
    unsubscribe(reconciles, this.#onReconcile);
    if (this.#process) this.#cluster?.kill(this.#process);
    await this.#stopControllers?.();
    await this.#cluster?.stop();
  }

  get #fork(): { readonly cluster: Cluster; readonly storage: ForkStorage } {
    if (!this.#cluster || !this.#storage) throw new Error("the plan has not been started");
    return { cluster: this.#cluster, storage: this.#storage };
  }

  async #start(): Promise<void> {
    try {
      this.#cluster = await Cluster.start({
        time: this.#time,
        random: new Random("plan"),
        crds: [],
        storage: async (parts) => {
          this.#storage = await ForkStorage.open(parts, this.#copy);
          return this.#storage;
        },
        collected: (cluster) => forkView(() => this.#fork.storage, cluster),
      });
    } catch (error) {
      throw this.#copy.failure ?? error;
    }
    const { cluster, storage } = this.#fork;
    cluster.onWrite = (write) => this.#noteWrite(write);
    cluster.serveHost(admissionHost, this.#limits.admit);
    cluster.serveHost(conversionHost, this.#limits.convert);
    this.#copy.versionsOf = (group) => servedVersions((path) => cluster.request("GET", path), group);
    storage.isOpen = true;
    this.#startVersion = storage.currentResourceVersion();
    if (this.#options.settle)
      this.#stopControllers = await startBuiltInControllers(cluster, "plan/controllers", { isCopy: true });
    subscribe(reconciles, this.#onReconcile);
    try {
      this.#process = await ProgramProcess.start({
        name: "program",
        modules: this.#modules,
        time: this.#time,
        random: new Random("plan/program"),
        isElected: false,
        fetch: this.#network.fetch,
        connects: this.#network.connects,
        onExit: (code) => {
          this.#failure ??= new PlanError("program", exitText(code));
          if (this.#process) cluster.kill(this.#process);
        },
        onRefused: (what) => void this.#refused.set(this.#causeOf() ?? "the program", refusalText(what)),
        admit: (manager) => {
          this.#preparation = this.#prepare(manager).then(
            () => {
              this.#isPrepared = true;
            },
            (error: unknown) => {
              this.#failure ??= error;
            },
          );
          return this.#preparation;
        },
        connect: (process) => {
          this.#process = process; // already while it starts
          return programDoor(process, cluster.handleAs(admin, process.actor), (_request, call) => {
            if (call) this.#asked.add(resourceText(call));
            return undefined;
          });
        },
      });
    } catch (error) {
      throw new PlanError("program", `the program cannot be loaded: ${messageOf(error)}`, { cause: error });
    }
  }

  /** Brings the copy to the state in which this version of the program is deployed, and applies the manifests. */
  async #prepare(manager: Manager): Promise<void> {
    const { cluster } = this.#fork;
    const description = manager.describe();
    for (const { name, for: main } of description.controllers) if (main) this.#kinds.set(name, main.kind);
    const configurations = manager.webhooks.configurations({ url: programUrl }) as readonly KubeObject[];
    const own = configurations.filter(({ kind }) => kind === "CustomResourceDefinition");
    const others = configurations.filter((each) => !own.includes(each));
    for (const each of others)
      if ("webhooks" in each && Array.isArray(each.webhooks))
        for (const webhook of each.webhooks) this.#ownWebhooks.add(String(webhook.name));
    cluster.serveHost(new URL(programUrl).host, (request) => this.#callWebhook(manager, request));
    const definitions = new Map<string, KubeObject>();
    for (const { crd } of description.kinds) {
      const definition = crd as KubeObject; // a described kind has a whole CRD
      definitions.set(definition.metadata.name ?? "", definition);
    }
    for (const each of own) definitions.set(each.metadata.name ?? "", each);
    for (const definition of definitions.values()) await this.#define(definition);
    if (configurations.length > 0) {
      await this.#waitFor(async () => manager.webhooks.handle !== undefined);
      await cluster.callProgram(others, (request) => this.#callWebhook(manager, request));
    }
    await this.#applyManifests();
    this.#lastWriteMs = this.#time.elapsedMs;
  }

  async #callWebhook({ webhooks }: Manager, request: InProcessRequest): Promise<InProcessResponse> {
    const process = this.#process;
    if (!process || !webhooks.handle) throw connectionError("connect: connection refused", "ECONNREFUSED");
    return process.answer(webhooks.handle, request);
  }

  /** Installs one of the program's CRDs, and waits until its versions are served. */
  async #define(definition: KubeObject): Promise<void> {
    const { cluster } = this.#fork;
    const { name } = definition.metadata;
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const { status: found, body: live } = await cluster.request("GET", `${path}/${name}`);
    const spec: unknown = "spec" in definition ? definition.spec : undefined;
    if (!isRecord(spec)) return;
    const { metadata, spec: liveSpec } = live;
    const conversion = spec.conversion ?? (isRecord(liveSpec) ? liveSpec.conversion : undefined);
    const changed = { ...definition, metadata, spec: { ...spec, ...(conversion ? { conversion } : {}) } };
    const { apiVersion, kind } = definition;
    const plain = { apiVersion, kind, metadata: { name }, spec };
    this.#source = "the program's CRDs";
    const { status, body } =
      found === 200
        ? await cluster.request("PUT", `${path}/${name}`, changed)
        : await cluster.request("POST", path, plain);
    const object = `CustomResourceDefinition ${name}`;
    if (status >= 300)
      return void this.#problems.push({ object, reason: `the API server rejects it: ${String(body.message)}` });
    const versions = Array.isArray(spec.versions) ? spec.versions.filter(isRecord) : [];
    const resource = String(isRecord(spec.names) ? spec.names.plural : "");
    const isServed = async (version: unknown): Promise<boolean> => {
      const { body: list } = await cluster.request("GET", `/apis/${spec.group}/${version}`);
      return Array.isArray(list.resources) && list.resources.some((each) => isRecord(each) && each.name === resource);
    };
    for (const { name: version, served } of versions)
      if (served === true && !(await this.#waitFor(() => isServed(version))))
        this.#problems.push({ object, reason: `its version ${version} is not served` });
  }

  async #applyManifests(): Promise<void> {
    const { manifests } = this.#options;
    if (manifests.length === 0) return;
    const { cluster } = this.#fork;
    await currentActor.run(cluster.users, async () => {
      this.#source = "-f";
      await applyToCopy(cluster.handleAs(admin, cluster.users), manifests, {
        clock: actorClock(),
        explain: (group) => this.#limits.missingText(this.#copy, group),
        onApplied: (source) => {
          for (const [key, written] of this.#written)
            if (written.cause === "-f") this.#written.set(key, { ...written, cause: source });
        },
      });
    });
  }

  /** Waits in virtual time. @returns false if the condition is not met in time */
  async #waitFor(isMet: () => Promise<boolean>): Promise<boolean> {
    const endMs = this.#time.elapsedMs + patienceMs;
    while (!(await isMet())) {
      if (this.#time.elapsedMs > endMs) return false;
      await new Promise<void>((resolve) => void this.#time.after(50, this.#fork.cluster.users, resolve));
    }
    return true;
  }

  /** Advances virtual time until nothing is queued. @returns the number of reconciles */
  async #settle(): Promise<number> {
    for (;;) {
      await this.#advance();
      const controllers = this.#controllers();
      if (this.#isSettled(controllers)) return controllers.reduce((sum, { state }) => sum + state.totals.reconciles, 0);
      if (this.#time.elapsedMs > maxMs)
        throw new PlanError(
          "loop",
          `does not settle within ${maxMs / 60_000} minutes; fields changed last: ${this.#lastLoop()}`,
        );
    }
  }

  async #advance(): Promise<void> {
    this.#options.signal.throwIfAborted();
    try {
      await this.#time.advance(sliceMs);
    } catch (error) {
      throw this.#copy.failure ?? new PlanError("loop", `does not settle: ${messageOf(error)}`, { cause: error });
    }
    if (this.#copy.failure) throw this.#copy.failure;
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#looping !== undefined) throw new PlanError("loop", this.#looping);
    const ended = this.#process?.ended;
    if (!ended) return;
    const lines = this.#process?.lines.slice(-5).map((line) => line.trim()) ?? [];
    const how = ended.error === undefined ? "without an error" : `with an error: ${messageOf(ended.error)}`;
    throw new PlanError("program", [`the program ended ${how}`, ...lines].join("\n"), { cause: ended.error });
  }

  #isSettled(controllers: Controllers): boolean {
    this.#refuseDenied();
    if (!this.#isPrepared) return false;
    const quietMs = this.#time.elapsedMs - this.#lastWriteMs;
    const isRunning = controllers.some(({ state }) => state.running > 0);
    if (quietMs >= (isRunning ? hangingMs : longQuietMs)) return true;
    const isBusy = controllers.some(({ state }) => {
      const isSoon = state.queue?.rows.some((row) =>
        row.state === "delayed"
          ? (row.forMs ?? 0) < pollMs
          : row.state === "failing" && row.failure?.isTerminal !== true && row.requeues < maxRetries,
      );
      return !state.hasSynced || state.isHandling || state.queueLength + state.running + state.held > 0 || isSoon;
    });
    return quietMs >= (this.#options.settle ? controllersQuietMs : shortQuietMs) && !isBusy;
  }

  /** @throws {PlanError} if the user may not list a resource that the program reads */
  #refuseDenied(): void {
    const asked = this.#asked;
    for (const [resource, message] of this.#copy.denied)
      if (asked.has(resource))
        throw new PlanError("cluster", `the program needs ${resource}, but you may not list them: ${message}`);
  }

  /** Resources that the program has requested. */
  readonly #asked = new Set<string>();

  #controllers(): Controllers {
    return (this.#process?.askManagers(controllersOf) ?? []).flat();
  }

  /** Reports refused connections, and objects whose reconcile fails. */
  #noteProblems(): void {
    for (const [object, reason] of this.#refused) this.#problems.push({ object, reason });
    for (const { name, state } of this.#controllers()) {
      if (!state.hasSynced)
        this.#problems.push({
          object: `controller ${name}`,
          reason: `did not start: it is waiting for ${state.unsynced}`,
        });
      const rows = state.queue?.rows ?? [];
      const isHanging = rows.some((row) => row.state === "running");
      for (const { key, failure, state: is } of rows) {
        const object = textOfKey(this.#kinds.get(name) ?? name, key);
        if (this.#refused.has(object)) continue;
        const hangs = `its reconcile does not finish within ${hangingMs / 60_000} minutes`;
        if (is === "running") this.#problems.push({ object, reason: hangs });
        else if (is === "ready" && isHanging)
          this.#problems.push({ object, reason: "was not reconciled, because other reconciles do not finish" });
        else if (failure) this.#problems.push({ object, reason: `fails: ${failure.error}` });
      }
    }
  }

  async #result(): Promise<Pick<PlanReport, "changes" | "unknown">> {
    const { cluster } = this.#fork;
    const { live } = this.#options;
    const compared = plannedChanges({
      copy: this.#copy,
      startVersion: this.#startVersion,
      read: (path) => cluster.request("GET", path),
      written: [...this.#written.values()],
    });
    const changed = await this.#time.until(compared, maxMs, "the comparison");
    const changes = changed.map(({ change }) => change);
    const refused = live.dryRun ? await this.#time.hold(currentActor.exit(() => confirmChanges(live, changed))) : [];
    return { changes, unknown: [...this.#problems, ...refused] };
  }

  #noteReconcile({ event, controller, request }: ReconcileEvent): void {
    if (currentActor.getStore() !== this.#process?.actor && currentActor.getStore()?.name !== "program") return;
    const key = isRecord(request)
      ? [request.namespace, request.name].filter((each) => typeof each === "string" && each !== "").join("/")
      : String(request);
    if (event === "begins") {
      currentReconcile.enterWith({ controller, key, isEffective: false });
      this.#seen.add(textOfKey(this.#kinds.get(controller) ?? controller, key));
    }
  }

  #causeOf(): string | undefined {
    const reconcile = currentReconcile.getStore();
    return reconcile && textOfKey(this.#kinds.get(reconcile.controller) ?? reconcile.controller, reconcile.key);
  }

  #noteWrite({ by, call, status, name, object, old, isEffective }: WriteRecord): void {
    const isProgram = by.name === "program";
    if (status >= 300) return;
    const { group, version, resource, namespace, subresource } = call;
    if (subresource !== "" && subresource !== "status" && subresource !== "scale") return;
    if (object && isProgram) this.#seen.add(keyOfObject(object));
    if (!isEffective) return;
    if (by.name === builtIn && resource === "nodes") return;
    this.#lastWriteMs = this.#time.elapsedMs;
    if (by.name === builtIn) return; // a consequence
    const cause = isProgram
      ? this.#causeOf()
      : by.name === "garbage collector"
        ? "deletion of its owner"
        : this.#source;
    const items: unknown = object?.items;
    const isCollection = call.verb === "deletecollection" && Array.isArray(items);
    for (const each of isCollection
      ? (items as ClusterObject[]).map(({ metadata }) => metadata)
      : [{ namespace, name }]) {
      const key = `${group}/${resource}/${each.namespace ?? ""}/${each.name}`;
      const before = this.#written.get(key)?.cause;
      const place = { group, version, resource, namespace: each.namespace ?? "", name: each.name };
      this.#written.set(key, { ...place, cause: cause ?? before });
    }
    const reconcile = isProgram ? currentReconcile.getStore() : undefined;
    if (!reconcile) return;
    const id = `${reconcile.controller} ${reconcile.key}`;
    const loop = this.#loops.get(id) ?? { count: 0, fields: [] };
    this.#loops.set(id, loop);
    if (!reconcile.isEffective) [loop.count, loop.fields] = [loop.count + 1, []];
    reconcile.isEffective = true;
    const base = old ?? this.#copy.base.get(`/${group || "core"}/${resource}/${namespace && `${namespace}/`}${name}`);
    const fields = object && base ? fieldChanges(base, object).map(({ path }) => path) : [call.verb];
    const changed = fields.slice(0, maxNamedFields).map((path) => `${path} of ${object ? keyOfObject(object) : name}`);
    loop.fields = [...new Set([...changed, ...loop.fields])].slice(0, maxNamedFields);
    if (loop.count >= maxReconciles) {
      const place = reconcile.key === "" ? reconcile.controller : `${reconcile.controller}/${reconcile.key}`;
      // Otherwise, a program that never waits would never end.
      if (this.#process) this.#fork.cluster.kill(this.#process);
      this.#looping ??= `does not settle: ${place} reconciled ${loop.count} times; fields changed last: ${loop.fields.join(", ")}`;
    }
  }

  #lastLoop(): string {
    const [most] = [...this.#loops.values()].toSorted((a, b) => b.count - a.count);
    return most?.fields.join(", ") ?? "none";
  }
}

const textOf = (kind: string, namespace: string | undefined, name: string): string =>
  textOfKey(kind, namespace === undefined ? name : `${namespace}/${name}`);

const textOfKey = (kind: string, key: string): string => `${kind} ${key}`.trim();

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
