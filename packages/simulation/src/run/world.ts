import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { isRecord, type Permission } from "@kubewright/apimachinery";
import type { Cause, ControllerInspection } from "@kubewright/controller";
import type { Manager } from "@kubewright/manager";
import { refuserOf } from "@kubewright/manager/http";
import { neededAccess } from "@kubewright/rbac";
import type { FlightRecorder } from "@kubewright/replay";
import {
  type ApiCall,
  bodyOf,
  callOf,
  callText,
  type Handle,
  type InProcessRequest,
  type InProcessResponse,
  isWrite,
  resourceText,
} from "../cluster/api-call.ts";
import { startBuiltInControllers } from "../cluster/built-in-controllers.ts";
import { type AccessRule, Cluster, type ClusterUser, programUrl, type WriteRecord } from "../cluster/cluster.ts";
import { type ClusterObject, collectionPath, keyOfObject } from "../cluster/cluster-object.ts";
import { isPassing, RequestFaults } from "../cluster/request-faults.ts";
import type { AuthorModules } from "../program/author-modules.ts";
import {
  connectionError,
  currentReconcile,
  electionID,
  ProgramProcess,
  programDoor,
} from "../program/program-process.ts";
import type { Story, StoryLine } from "../story/story.ts";
import { Random } from "../time/random.ts";
import type { Actor } from "../time/virtual-time.ts";
import { currentActor, VirtualTime } from "../time/virtual-time.ts";
import type { Property } from "../users/properties.ts";
import { resourceOf, type UserKind } from "../users/user-kind.ts";
import { type Damage, damagesOf, sentPaths } from "../world/damage.ts";
import type { SimulationOptions } from "../world/simulation-options.ts";

/** State shared by all schedules of a simulation. */
export interface Simulation {
  readonly options: SimulationOptions;
  readonly modules: AuthorModules;
  /** Properties that users change, keyed by kind. */
  readonly properties: ReadonlyMap<string, readonly Property[]>;
  /** Properties that were changed in any schedule so far, as `Kind spec.path`. */
  readonly covered: Set<string>;
  /** Permissions recorded by the program's tests. */
  readonly observed: readonly Permission[];
  /** Writes of reconciles in any schedule so far, such as `before write 2 of site` and `after write 2 of site`. */
  readonly writes: Set<string>;
  /** The subset of these writes at which the program was killed. */
  readonly killedAt: Set<string>;
}

interface WorldSettings {
  /** True if the program has several replicas. Default false. */
  readonly isElected?: boolean | undefined;
  /** Records the reconciles of the program. Default: nothing is recorded. */
  readonly recorder?: FlightRecorder | undefined;
}

interface Running {
  readonly process: ProgramProcess;
  readonly faults: RequestFaults;
}

/** Interval at which the world checks whether the program must be restarted. */
const sliceMs = 500;
const restartDelayMs = 1_000;
/** Number of writes, and number of reconciles, after one step that count as an endless loop. */
const [maxWrites, maxReconciles] = [300, 3_000] as const;
/** Maximum number of steps by which an API server lags behind. */
const maxPastSteps = 3;
/** Number of times that the program may exit by itself before this counts as a problem. */
const maxCrashes = 5;
const programName = "simulated-program";

/** A message on {@link reconciles}. */
export interface ReconcileEvent {
  readonly event: "begins" | "ends";
  readonly controller: string;
  readonly request: unknown;
}

/**
 * Channel on which the beginning and end of each reconcile are published, in the context of the process that runs it.
 */
export const reconciles = "kubewright.controller.reconcile";

/** A simulated cluster with the program and all other actors. */
export class World {
  readonly simulation: Simulation;
  readonly cluster: Cluster;
  readonly time: VirtualTime;
  readonly story: Story;
  readonly neighbour: Actor;
  /** The program's requests and all writes, one per line. The same schedule always has the same trace. */
  readonly trace: string[] = [];
  /** Violations that were detected while the program was running. */
  readonly problems: string[] = [];
  /** Keys of the objects that the program created, such as `Deployment default/north`. */
  readonly made: Set<string> = new Set();
  readonly #seed: string;
  #running: Running[] = [];
  #processes = 0;
  #crashes = 0;
  #writesInStep = 0;
  #reconcilesBefore = 0;
  #isLooping = false;
  #stopControllers: (() => Promise<void>) | undefined;
  /** Paths of the values that the program sent, keyed by the objects' UIDs. */
  readonly #sent = new Map<string, Set<string>>();
  /** Versions of the world after the most recent steps. */
  readonly #versions: number[] = [];
  /** Records the reconciles of all processes. Undefined if nothing is recorded. */
  readonly #recorder: FlightRecorder | undefined;
  /** Receives the faults of the next process before it starts. */
  #prepare: ((faults: RequestFaults) => void) | undefined;
  /** Writes by reconciles in this schedule, such as `write 2 of site`, in the order in which they first occurred. */
  readonly reconcileWrites: Set<string> = new Set();
  /** Writes at which a step tried to kill the program, such as `before write 2 of site`. */
  readonly triedKills: Set<string> = new Set();
  /** Time at which the faults ended, in milliseconds since 1970. */
  healedMs = 0;
  /** Effective writes by the program since {@link World.forgetWrites}. */
  writes: WriteRecord[] = [];

  /** True if the API server calls the program's webhooks. */
  hasWebhooks = false;
  /** True if the program has several replicas, one of which leads. */
  readonly isElected: boolean;
  /** Identity of the process that holds the Lease. */
  #leader = "";
  readonly #user: ClusterUser;
  /** Permissions that were granted to the program, as text. */
  readonly #granted = new Set<string>();
  /** Processes by the controllers and requests that they are reconciling. */
  readonly #reconciling = new Map<string, Set<Actor>>();
  readonly #onReconcile = (message: unknown): void => this.#noteReconcile(message as ReconcileEvent); // the channel carries these

  private constructor(simulation: Simulation, cluster: Cluster, story: Story, seed: string, settings: WorldSettings) {
    this.isElected = settings.isElected ?? false;
    this.#recorder = settings.recorder;
    this.simulation = simulation;
    this.cluster = cluster;
    this.time = cluster.time;
    this.story = story;
    this.#seed = seed;
    this.neighbour = { ...cluster.users, name: "neighbour" };
    const hasRole = simulation.options.role !== undefined;
    this.#user = { name: programName, groups: hasRole ? [] : ["system:masters"] };
    subscribe(reconciles, this.#onReconcile);
    cluster.onWrite = (write) => this.#noteWrite(write);
    cluster.onLease = (holder) => {
      this.#leader = holder;
    };
  }

  static async create(
    simulation: Simulation,
    story: Story,
    seed: string,
    settings: WorldSettings = {},
  ): Promise<World> {
    const { kinds, crds = [], world = [], role, controllers = false } = simulation.options;
    for (const { reset } of world) reset?.();
    const cluster = await Cluster.start({
      time: new VirtualTime(),
      random: new Random(`${seed}/server`),
      crds: [...kinds.flatMap(({ crd }) => (crd ? [crd] : [])), ...crds],
      hasRoles: role !== undefined,
      ...(controllers ? { collected: false } : {}),
    });
    for (const kind of kinds) cluster.touch(resourceOf(kind), kind.kind);
    const created = new World(simulation, cluster, story, seed, settings);
    if (controllers) created.#stopControllers = await startBuiltInControllers(cluster, `${seed}/controllers`);
    return created;
  }

  /** The running process, and the replicas that are waiting for its Lease. */
  get processes(): readonly ProgramProcess[] {
    return this.#running.map(({ process }) => process);
  }

  /** Faults for the oldest process. */
  get faults(): RequestFaults | undefined {
    return this.#running[0]?.faults;
  }

  tell(who: StoryLine["who"], text: string): StoryLine {
    this.trace.push(`${this.time.elapsedMs} ${who} ${text}`);
    return this.story.add(this.time.elapsedMs, who, text);
  }

  /** Returns changes to individual values that the program sent to the API server for an object, in random order. */
  damagesOf(object: ClusterObject, random: Random): Damage[] {
    const sent = this.#sent.get(object.metadata.uid ?? "");
    return damagesOf(object, random, sent && ((path) => sent.has(path)));
  }

  /** Records the values that a write by the program sets. */
  #noteSent({ call, sent, object, old }: WriteRecord): void {
    const uid = object?.metadata.uid;
    if (uid === undefined || !isRecord(sent) || call.subresource !== "") return;
    const paths = this.#sent.get(uid) ?? new Set();
    this.#sent.set(uid, paths);
    // An update repeats what the program has read.
    for (const path of sentPaths(sent, call.verb === "update" ? old : undefined)) paths.add(path);
  }

  /** Starts a new process of the program. */
  async startProcess(): Promise<ProgramProcess> {
    const name = `program ${++this.#processes}`;
    const faults = new RequestFaults({
      note: (text) => this.tell("fault", text),
      pause: (ms) => new Promise((resolve) => void this.time.after(ms, this.neighbour, resolve)),
    });
    this.#prepare?.(faults);
    this.#prepare = undefined;
    const process = await ProgramProcess.start({
      name,
      modules: this.simulation.modules,
      time: this.time,
      random: new Random(`${this.#seed}/${name}`),
      isElected: this.isElected,
      fetch: (request) => {
        for (const { fetch } of this.simulation.options.world ?? []) {
          const response = fetch?.(request);
          if (response) return response;
        }
        return undefined;
      },
      admit: (manager) => this.#admit(manager),
      connect: (process) => {
        const handle = this.#handleOf(process.actor);
        return programDoor(process, handle, (request, call) => {
          const line = call ? callText(call) : `${request.method} ${request.path}`;
          this.trace.push(`${this.time.elapsedMs} ${name} ${line} ${request.body?.length ?? ""}`);
          return faults.handlerFor(call, handle, this.#nameOfWrite(call));
        });
      },
    });
    this.#running.push({ process, faults });
    process.askManagers((manager) => manager.inspect()); // from now on, reconciles are recorded
    await this.#deployWebhooks(process);
    return process;
  }

  /**
   * Makes the API server call the program's webhooks, as the deployed manifests would. This is done only once, so the calls fail while the
   * program is not running.
   */
  async #deployWebhooks(process: ProgramProcess): Promise<void> {
    if (this.hasWebhooks) return;
    const objects = process.askManagers(({ webhooks }) => webhooks.configurations({ url: programUrl })).flat();
    this.hasWebhooks = objects.length > 0;
    const handle = (request: InProcessRequest): Promise<InProcessResponse> => this.#callWebhook(request);
    if (this.hasWebhooks)
      await this.time.until(this.cluster.callProgram(objects, handle), 60_000, "the installation of the webhooks");
  }

  /** Calls one of the program's webhooks. @throws {Error} if no process serves it */
  async #callWebhook(request: InProcessRequest): Promise<InProcessResponse> {
    for (const process of this.processes)
      for (const handle of process.isAlive ? process.askManagers(({ webhooks }) => webhooks.handle) : []) {
        const response = handle && (await process.answer(handle, request));
        if (response && response.status !== 404) return response;
      }
    throw connectionError("connect: connection refused", "ECONNREFUSED");
  }

  /**
   * Records the program's reconciles, and grants the program its own permissions and the permissions for leader election in the simulation.
   */
  async #admit(manager: Manager): Promise<void> {
    if (this.#recorder) manager.recording.recorder = this.#recorder;
    const { options, observed } = this.simulation;
    const { role } = options;
    if (role === undefined) return;
    const description = manager.describe();
    const namespace = "default";
    const rules: AccessRule[] = [];
    if (role !== "generated") rules.push(...role.rules);
    else
      for (const { group, resource, subresource, verb, name, namespace: place } of neededAccess(
        description,
        namespace,
        { observed },
      ))
        rules.push({
          apiGroups: [group],
          resources: [subresource === undefined ? resource : `${resource}/${subresource}`],
          verbs: [verb],
          resourceNames: name === undefined ? undefined : [name],
          namespace: place,
        });
    if (description.leaderElection?.id === electionID)
      rules.push({
        apiGroups: ["coordination.k8s.io"],
        resources: ["leases"],
        verbs: ["create", "get", "update"],
        namespace,
      });
    const text = JSON.stringify(rules);
    if (this.#granted.has(text)) return;
    this.#granted.add(text);
    await this.cluster.grant(programName, rules);
  }

  /** Returns the function that handles the requests of one of the program's processes. */
  #handleOf(actor: Actor): Handle {
    const handle = this.cluster.handleAs(this.#user, actor);
    if (this.simulation.options.role === undefined) return handle;
    return async (request) => {
      const response = await handle(request);
      const call = response.status === 403 ? callOf(request) : undefined;
      if (!call) return response;
      const body = await bodyOf(response);
      this.#noteForbidden(call, body);
      return {
        ...response,
        body: (async function* () {
          yield body;
        })(),
      };
    };
  }

  /** Part of check 7: the program sends no requests that its role does not allow. */
  #noteForbidden(call: ApiCall, body: Buffer): void {
    const { role, without } = this.simulation.options;
    if (without?.clean !== undefined) return;
    const status: { readonly message?: unknown } = JSON.parse(body.toString());
    const message = String(status.message);
    const refuser = refuserOf(message);
    if (refuser === "admission") return;
    const resource = `${resourceText(call)}${call.subresource && `/${call.subresource}`}`;
    const isBinding = call.resource.endsWith("bindings");
    // Applying a new object requires two verbs.
    const [, named = call.verb] = /\bcannot (\S+) resource "/.exec(message) ?? [];
    const verb = refuser === "authorizer" ? named : isBinding ? "bind" : "escalate";
    const remedy =
      role === "generated"
        ? `declare it with .needs(<kind of ${call.resource}>, ["${verb}"]), or record it (KUBEWRIGHT_RBAC=record npm test)`
        : `its role lacks the verb ${verb} on ${resource}`;
    const problem = `clean: the program may not ${callText(call)}: ${remedy}`;
    if (!this.problems.includes(problem)) this.problems.push(problem);
  }

  /**
   * Attributes actions to the reconcile that performs them. Part of check 6: two processes never reconcile the same request at the same
   * time.
   */
  #noteReconcile({ event, controller, request }: ReconcileEvent): void {
    if (event === "begins") currentReconcile.enterWith({ controller, writes: 0 });
    if (!this.isElected) return;
    const actor = currentActor.getStore();
    const own = this.processes.find((process) => process.actor === actor);
    if (!own || !actor) return;
    const key = typeof request === "string" ? request : JSON.stringify(request);
    const id = `${controller} ${key}`;
    const actors = this.#reconciling.get(id) ?? new Set();
    this.#reconciling.set(id, actors);
    if (event === "ends") return void actors.delete(actor);
    // A stalled process does not reconcile. When it continues, it must not write.
    const other = this.processes.find(
      (process) =>
        process !== own &&
        process.isAlive &&
        actors.has(process.actor) &&
        process.actor.stalledUntilMs <= this.time.elapsedMs,
    );
    if (other && this.simulation.options.without?.fenced === undefined)
      this.problems.push(
        `fenced: ${other.actor.name} and ${actor.name} reconcile ${key} at the same time (controller ${controller})`,
      );
    actors.add(actor);
  }

  /** Names a write by the program after its position in the reconcile that sends it. */
  #nameOfWrite(call: ApiCall | undefined): string {
    if (!call || !isWrite(call) || isPassing(call)) return "";
    const reconcile = currentReconcile.getStore();
    const name = reconcile ? `write ${++reconcile.writes} of ${reconcile.controller}` : "write outside of reconciles";
    this.reconcileWrites.add(name);
    for (const when of ["before", "after"]) this.simulation.writes.add(`${when} ${name}`);
    return name;
  }

  /** Ends a program that loops, because otherwise the simulation would never end. */
  #endLoop(what: string): void {
    if (this.#isLooping) return;
    this.#isLooping = true;
    this.problems.push(`quiet: the program does not stop: ${what}`);
    for (const process of [...this.processes]) this.kill(process);
  }

  #reconciles(): number {
    return this.controllers().reduce((sum, { state }) => sum + state.totals.reconciles, 0);
  }

  /** Must be called before each step. Resets the counters of the program's writes and reconciles. */
  beginStep(): void {
    this.#writesInStep = 0;
    this.#versions.push(this.cluster.newestVersion);
    if (this.#versions.length > maxPastSteps) this.#versions.shift();
    this.#reconcilesBefore = this.#reconciles();
  }

  /** Version of the world a few steps ago, which a lagging API server may still return. 0 before the first steps. */
  get pastVersion(): number {
    return this.#versions.find((version) => version > 0) ?? 0;
  }

  /** Kills a process immediately. @param prepare receives the faults of the next process before it starts */
  kill(process: ProgramProcess, prepare?: (faults: RequestFaults) => void): void {
    if (prepare) this.#prepare = prepare;
    this.cluster.kill(process);
    this.#running = this.#running.filter((each) => each.process !== process);
  }

  /** Ends all faults, except that a stalled event loop stays stalled until its set time. One process of the program remains. */
  heal(): void {
    this.healedMs = this.time.nowMs;
    this.#prepare = undefined;
    const others = this.processes.slice(1);
    if (others.length > 0) this.tell("fault", `${others.map(({ actor }) => actor.name).join(", ")} is killed`);
    for (const process of others) this.kill(process);
    for (const { heal } of this.simulation.options.world ?? []) heal?.();
    for (const { process, faults } of this.#running) {
      faults.heal();
      this.time.resume(process.actor);
    }
  }

  /** Advances the virtual time. A program that has ended is restarted, as the kubelet would do. */
  async pass(ms: number): Promise<void> {
    const endMs = this.time.elapsedMs + ms;
    let idleMs = 0;
    do {
      await this.time.advance(Math.min(idleMs + sliceMs, Math.max(0, endMs - this.time.elapsedMs)));
      const reconciles = this.#reconciles() - this.#reconcilesBefore;
      if (reconciles > maxReconciles) this.#endLoop(`it reconciled ${reconciles} times`);
      await this.#restart();
      await this.time.drain();
      // Nothing happens in slices in which no timer is due, so they pass together with the next one.
      const idleSlices = Math.ceil((this.time.nextMs - this.time.elapsedMs) / sliceMs) - 1;
      idleMs = Math.max(0, idleSlices) * sliceMs;
    } while (this.time.elapsedMs < endMs && !this.#isLooping);
  }

  async #restart(): Promise<void> {
    for (const { process } of [...this.#running]) {
      if (process.isAlive) continue;
      if (process.ended) {
        const { error } = process.ended;
        this.tell("program", `ends: ${error instanceof Error ? error.message : String(error ?? "without an error")}`);
        const isDeposed = error instanceof Error && error.name === "NotLeadingError"; // as intended
        if (!isDeposed && ++this.#crashes > maxCrashes)
          this.problems.push(`clean: the program ended ${this.#crashes} times: ${String(error)}`);
      }
      this.kill(process);
    }
    if (this.#running.length > 0 || this.#crashes > maxCrashes || this.#isLooping) return;
    await this.time.advance(restartDelayMs);
    this.tell("cluster", "restarts the program");
    await this.startProcess();
  }

  /** Sends a request on behalf of users or a neighbour, and advances the time if necessary. */
  async ask(method: string, path: string, body?: object, options: { contentType?: string; by?: Actor } = {}) {
    const manager = `fieldManager=${options.by?.name ?? "user"}`;
    const full = method === "GET" || method === "DELETE" ? path : `${path}${path.includes("?") ? "&" : "?"}${manager}`;
    return this.time.until(this.cluster.request(method, full, body, options), 120_000, `${method} ${path}`);
  }

  /** Returns all objects in the world. */
  objects(): Promise<ClusterObject[]> {
    return this.time.until(this.cluster.objects(), 120_000, "listing the world");
  }

  /** Returns the state of the fakes, as objects whose kind is the fake's name. */
  outside(): ClusterObject[] {
    return (this.simulation.options.world ?? []).flatMap(({ name: kind, state }) =>
      Object.entries(state?.() ?? {}).map(([name, value]) => ({
        apiVersion: "outside",
        kind,
        metadata: { name },
        value: structuredClone(value),
      })),
    );
  }

  /** Returns the objects of the kinds that users create. */
  async userObjects(): Promise<ClusterObject[]> {
    const kinds = this.simulation.options.kinds.map(resourceOf);
    const objects = await this.time.until(this.cluster.objects(kinds), 120_000, "listing the users' objects");
    return objects.filter((object) => !this.made.has(keyOfObject(object)));
  }

  collectionPath(kind: UserKind, namespace: string): string {
    const resource = resourceOf(kind);
    return collectionPath(resource, resource.isNamespaced ? namespace : undefined);
  }

  forgetWrites(): void {
    this.writes = [];
  }

  async close(): Promise<void> {
    for (const process of [...this.processes]) this.kill(process);
    unsubscribe(reconciles, this.#onReconcile);
    await this.#stopControllers?.();
    await this.cluster.stop();
  }

  /** Returns the state of the program's controllers. */
  controllers(): readonly { readonly name: string; readonly state: ControllerInspection }[] {
    return this.processes.flatMap((process) => process.askManagers(controllersOf).flat());
  }

  #noteWrite(write: WriteRecord): void {
    const { by, call, name, status, object, isEffective } = write;
    const isProgram = by.name.startsWith("program");
    this.trace.push(
      `${write.atMs} ${by.name} ${callText(call, name)} → ${status} ${object?.metadata.resourceVersion ?? ""}`,
    );
    if (isProgram && isEffective) this.writes.push(write);
    if (isProgram) this.#noteSent(write);
    if (isProgram && this.isElected) this.#checkFence(write);
    if (isProgram && ++this.#writesInStep > maxWrites)
      this.#endLoop(`it sent ${maxWrites} writes after one step, the last of them: ${callText(call, name)}`);
    if (isProgram && (isEffective || status >= 400))
      this.tell("program", `${callText(call, name)}${status >= 300 ? ` → ${status}` : ""}${this.#causeText(by)}`);
    if (isProgram && object && (status === 201 || (call.verb === "create" && status < 300)))
      this.made.add(keyOfObject(object));
    if (!isProgram && by !== this.cluster.users && isEffective && by.name === "garbage collector")
      this.tell("cluster", `garbage collector: ${callText(call, name)}`);
    try {
      this.simulation.options.always?.({
        by: isProgram ? "program" : by.name,
        verb: call.verb,
        resource: `${resourceText(call)}${call.subresource && `/${call.subresource}`}`,
        object,
        old: write.old,
      });
    } catch (error) {
      this.problems.push(`always: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** Check 6: only the process that holds the Lease writes. */
  #checkFence({ by, call, name }: WriteRecord): void {
    if (this.simulation.options.without?.fenced !== undefined) return;
    const leading = this.processes.filter((process) =>
      process.askManagers(({ leadership }) => leadership.leads).includes(true),
    );
    if (this.#leader !== "" && this.#leader !== by.name)
      this.problems.push(`fenced: ${by.name} writes although ${this.#leader} leads: ${callText(call, name)}`);
    else if (leading.length > 1) this.problems.push(`fenced: ${leading.length} processes lead at the same time`);
  }

  /** Describes the cause of the reconcile in progress, if there is exactly one. */
  #causeText(by: Actor): string {
    const running = this.#running.find(({ process }) => process.actor === by)?.process;
    const rows = (running?.askManagers(controllersOf) ?? [])
      .flat()
      .flatMap(({ name, state }) =>
        (state.queue?.rows ?? []).filter((row) => row.state === "running").map((row) => ({ name, row })),
      );
    const [first] = rows;
    if (!first || rows.length > 1) return "";
    const causes = first.row.causes.map(causeText).join(", ");
    return `   (reconcile ${first.row.key}${causes && `: ${causes}`})`;
  }
}

const causeText = ({ source, type, key }: Cause): string => `${type} ${source} ${key}`;

const isController = (state: object): state is ControllerInspection =>
  "queueLength" in state && "hasSynced" in state && "totals" in state;

/** Returns the names and states of a manager's controllers, including the rows of their queues. */
export function controllersOf(manager: Manager): { readonly name: string; readonly state: ControllerInspection }[] {
  const names = new Set(manager.inspect().flatMap(({ name, state }) => (isController(state) ? [name] : [])));
  return [...names].flatMap((name) =>
    manager.inspect({ name, limit: 500 }).flatMap(({ state }) => (isController(state) ? [{ name, state }] : [])),
  );
}
