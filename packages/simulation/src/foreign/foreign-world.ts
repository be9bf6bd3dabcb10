import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isErrorWithCode, isRecord, type KubeObject, KubewrightError } from "@kubewright/apimachinery";
import { systemClock } from "@kubewright/clock";
import { type RunningControllers, startControllers } from "@kubewright/controller-manager";
import { ApiServer } from "@kubewright/kube-apiserver";
import { type ApiCall, bodyOf, callText } from "../cluster/api-call.ts";
import type { RequestFaults } from "../cluster/request-faults.ts";
import type { Story, StoryLine } from "../story/story.ts";
import { apiVersionOfKind, resourceOf, type UserKind } from "../users/user-kind.ts";
import { ProgramInstance, type ProgramWrite, writeText } from "./program-instance.ts";

/** The program, and the objects that it requires in the cluster. */
export interface ForeignProgram {
  /** Program and its arguments. It finds the cluster through the environment variable `KUBECONFIG`. */
  readonly command: readonly string[];
  /** Folder in which the program runs. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** CRDs to serve. */
  readonly crds: readonly object[];
  /** Kinds whose objects users create. */
  readonly kinds: readonly UserKind[];
  /** Objects that exist before the program starts, such as roles and namespaces. */
  readonly objects: readonly KubeObject[];
  /** User name of the program. Default: an administrator. */
  readonly user?: string | undefined;
  /**
   * True to run all built-in controllers and a simulated node. By default, only the controllers that delete dependents and namespaces run.
   */
  readonly controllers?: boolean | undefined;
}

/** A resource that users or the program wrote to, so that its objects belong to the world. */
export interface TouchedResource extends Pick<ApiCall, "group" | "version" | "resource"> {
  readonly isNamespaced: boolean;
}

/** A response to a request by the simulation. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Time for the program to open its first watch, in milliseconds. */
const startTimeoutMs = 60_000;
/** Time without writes and changes after which the world counts as settled, in milliseconds. */
const shortestQuietMs = 1_000;
/**
 * Time without changes after which the world counts as settled even if the program no longer watches all resources that
 * it watched before.
 */
const silentMs = 10_000;
const pollMs = 100;
const restartDelayMs = 300;
const maxCrashes = 5;
/** Maximum number of steps by which an API server lags behind. */
const maxPastSteps = 3;

const admin = { name: "admin", groups: ["system:masters"] };
const collectors = ["garbage-collector-controller", "namespace-controller"];

/** Thrown if a program cannot be simulated because it does not start or watches no resource. */
export class ProgramStartError extends KubewrightError {
  override readonly name = "ProgramStartError";
  override readonly code = "ERR_PROGRAM_START";
}

/** Reports whether an error is a {@link ProgramStartError}, including one from another copy of this package. */
export const isProgramStartError = isErrorWithCode<ProgramStartError>("ERR_PROGRAM_START");

/** A cluster in this process, with a program that runs in a separate process, in real time. */
export class ForeignWorld implements AsyncDisposable {
  readonly program: ForeignProgram;
  readonly story: Story;
  readonly #server: ApiServer;
  readonly #controllers: RunningControllers;
  readonly #token: string;
  readonly #folder = mkdtempSync(join(tmpdir(), "kubewright-simulate-"));
  readonly #beganMs = systemClock.monotonic();
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  readonly #touched = new Map<string, TouchedResource>();
  /** Resources by API version and kind. */
  readonly #kinds = new Map<string, TouchedResource>();
  /** Field managers under which the program wrote. */
  readonly #managers = new Set<string>();
  /** Resources that any of the program's processes has watched. */
  readonly #watched = new Set<string>();
  readonly #problems = new Set<string>();
  readonly #ended: ProgramInstance[] = [];
  /** Versions of the world after each of the most recent steps. */
  readonly #versions: number[] = [];
  #instance: ProgramInstance | undefined;
  #restarting: Promise<void> | undefined;
  #startMs = 0;
  #crashes = 0;
  #lastWriteMs = 0;
  /** Writes since {@link ForeignWorld.forgetWrites}, as text. */
  readonly writes: string[] = [];
  /** True once the program has sent a write. */
  hasWritten = false;
  /** True while injected faults may cause the program to exit. */
  isFaulty = false;

  private constructor(
    program: ForeignProgram,
    story: Story,
    server: ApiServer,
    controllers: RunningControllers,
    signal: AbortSignal,
  ) {
    this.program = program;
    this.story = story;
    this.#server = server;
    this.#controllers = controllers;
    this.#signal = AbortSignal.any([signal, this.#stop.signal]);
    const { user: name } = program;
    const user = name === undefined ? { ...admin, name: "simulated-program" } : { name, groups: groupsOf(name) };
    this.#token = server.addUser(user).token;
    for (const kind of program.kinds) this.#touch(resourceOf(kind), apiVersionOfKind(kind), kind.kind);
  }

  /** Starts a cluster. The program is started separately. */
  static async start(program: ForeignProgram, story: Story, signal: AbortSignal): Promise<ForeignWorld> {
    const server = await ApiServer.start({
      listen: false,
      crds: program.crds,
      authorization: ["RBAC"],
      disableAdmissionPlugins: program.controllers ? [] : ["ServiceAccount"],
    });
    let controllers: RunningControllers | undefined;
    try {
      controllers = await startControllers({
        connection: { server: server.url, handle: (request) => server.handle(request, admin) },
        controllers: program.controllers ? ["*"] : collectors,
      });
      const world = new ForeignWorld(program, story, server, controllers, signal);
      for (const object of program.objects) await world.#install(object);
      return world;
    } catch (error) {
      await controllers?.stop();
      await server.stop();
      throw error;
    }
  }

  get elapsedMs(): number {
    return systemClock.monotonic() - this.#beganMs;
  }

  /** Violations that were detected while the program was running. */
  get problems(): readonly string[] {
    return [...this.#problems];
  }

  /** Faults for the running process; undefined if no process is running. */
  get faults(): RequestFaults | undefined {
    return this.#instance?.faults;
  }

  /** A recent version of the world, which lagging API servers still return. */
  get version(): number {
    return this.#versions[0] ?? 0;
  }

  /** Records the current version, so that it can later serve as a past version. */
  async noteVersion(): Promise<void> {
    const { body } = await this.request("GET", "/api/v1/namespaces?limit=1");
    const { metadata } = body;
    if (isRecord(metadata)) this.#versions.push(Number(metadata.resourceVersion));
    if (this.#versions.length > maxPastSteps) this.#versions.shift();
  }

  get touched(): readonly TouchedResource[] {
    return [...this.#touched.values()];
  }

  tell(who: StoryLine["who"], text: string): StoryLine {
    return this.story.add(this.elapsedMs, who, text);
  }

  /** Waits for the given time. @throws the signal's reason if the simulation ends */
  async sleep(ms: number): Promise<void> {
    await systemClock.sleep(ms, this.#signal);
    this.#signal.throwIfAborted();
  }

  /** Returns the last lines of the program's output. */
  lastLines(count: number): readonly string[] {
    return (this.#instance ?? this.#ended.at(-1))?.lastLines(count) ?? [];
  }

  /**
   * Starts a process of the program, and waits until it watches something.
   *
   * @throws {ProgramStartError} if the process exits first, or does not watch any resource within a minute
   */
  async startProcess(): Promise<void> {
    const beganMs = this.elapsedMs;
    const instance = await this.#start();
    for (;;) {
      if (instance.watched.length > 0) break;
      if (!instance.isAlive) throw this.#startError("the program ended before it watched any resource", instance);
      if (this.elapsedMs - beganMs > startTimeoutMs)
        throw this.#startError(`the program did not watch any resource within ${startTimeoutMs / 1_000} s`, instance);
      await this.sleep(pollMs);
    }
    this.#startMs = Math.max(this.#startMs, this.elapsedMs - beganMs);
  }

  #startError(text: string, instance: ProgramInstance): ProgramStartError {
    const lines = instance.lastLines(10).join("\n");
    const problem = this.problems.find((each) => each.includes(" may not "));
    if (problem !== undefined) return new ProgramStartError(`${text}: ${problem}`);
    return new ProgramStartError(
      `${text}; it must use the kubeconfig that the environment variable KUBECONFIG names${lines ? `. It printed:\n${lines}` : ""}`,
    );
  }

  async #start(prepare?: (faults: RequestFaults) => void): Promise<ProgramInstance> {
    const { command, cwd, env } = this.program;
    const instance: ProgramInstance = await ProgramInstance.start({
      ...{ command, cwd, env, token: this.#token, signal: this.#signal },
      folder: this.#folder,
      handle: (request) => this.#server.handle(request),
      onFault: (text) => this.tell("fault", text),
      onWrite: (write) => this.#noteWrite(write),
      onForbidden: (call) => void this.#problems.add(`clean: the program may not ${callText(call)}`),
      onWatch: (resource) => void this.#watched.add(resource),
      onEnd: (how) => this.#noteEnd(instance, how),
      prepare,
    });
    this.#instance = instance;
    return instance;
  }

  /**
   * Kills the program, and starts it again shortly afterwards. @param prepare receives the faults of the new process
   * before it starts
   */
  restart(prepare?: (faults: RequestFaults) => void): void {
    const instance = this.#instance;
    if (!instance) return;
    this.#forget(instance);
    this.#restarting ??= this.#startAgain(prepare);
  }

  /** Kills the program, and waits until it has exited. */
  async stopProcess(): Promise<void> {
    await this.#restarting;
    const instance = this.#instance;
    if (instance) this.#forget(instance);
    await instance?.stop();
    await this.#releaseLeases();
  }

  #forget(instance: ProgramInstance): void {
    instance.kill();
    this.#ended.push(instance);
    if (this.#instance === instance) this.#instance = undefined;
    void instance.stop();
  }

  async #startAgain(prepare?: (faults: RequestFaults) => void): Promise<void> {
    try {
      await this.sleep(restartDelayMs);
      await this.#releaseLeases();
      this.tell("cluster", "restarts the program");
      await this.#start(prepare);
    } catch (error) {
      if (!this.#signal.aborted) this.#problems.add(`clean: the program cannot be restarted: ${String(error)}`);
    } finally {
      this.#restarting = undefined;
    }
  }

  #noteEnd(instance: ProgramInstance, how: string): void {
    if (this.#signal.aborted) return;
    this.tell("program", how);
    const words = instance.lastLines(40).find((line) => crash.test(line));
    if (words !== undefined) this.#problems.add(`clean: the program crashed: ${words}`);
    else if (!this.isFaulty) this.#problems.add(`clean: the program ${how} although nothing was wrong`);
    else if (++this.#crashes > maxCrashes)
      this.#problems.add(`clean: the program ended ${this.#crashes} times by itself`);
    if (this.#instance !== instance) return;
    this.#forget(instance);
    if (this.#crashes <= maxCrashes && this.isFaulty) this.#restarting ??= this.#startAgain();
  }

  #noteWrite(write: ProgramWrite): void {
    const { call, status, manager } = write;
    const text = writeText(write);
    this.#lastWriteMs = this.elapsedMs;
    this.writes.push(text);
    this.hasWritten = true;
    this.tell("program", text);
    if (status >= 300) return;
    this.#managers.add(manager);
    const isObject = call.subresource === "" || call.subresource === "status";
    if (isObject) this.#touch({ ...call, isNamespaced: call.namespace !== "" });
  }

  /** Deletes Leases that a killed process still holds, so that the next process need not wait until they expire. */
  async #releaseLeases(): Promise<void> {
    const { body } = await this.request("GET", "/apis/coordination.k8s.io/v1/leases");
    for (const { metadata } of itemsOf(body)) {
      const { namespace = "", name = "" } = metadata;
      if (namespace === "kube-node-lease" || name.startsWith("apiserver-")) continue;
      await this.request("DELETE", `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}`);
    }
  }

  forgetWrites(): void {
    this.writes.length = 0;
  }

  /** Ends all faults. */
  heal(): void {
    this.#instance?.faults.heal();
  }

  /**
   * Waits until there have been no writes or changes for a short time, and the program watches all resources that it
   * watched before.
   *
   * @returns false if this takes longer than `maxMs`
   */
  async settle(maxMs: number): Promise<boolean> {
    // A machine that is slow to start the program is slow to run it.
    const quietMs = Math.max(shortestQuietMs, Math.min(3_000, this.#startMs));
    const endMs = this.elapsedMs + maxMs + quietMs;
    let state = "";
    let sinceMs = this.elapsedMs;
    while (this.elapsedMs < endMs) {
      const now = (await this.objects())
        .map(({ metadata: { uid, resourceVersion } }) => `${uid} ${resourceVersion}`)
        .join();
      if (now !== state || this.#restarting) [state, sinceMs] = [now, this.elapsedMs];
      const quietFor = this.elapsedMs - Math.max(sinceMs, this.#lastWriteMs);
      const watched = this.#instance?.watched ?? [];
      const isWatching = [...this.#watched].every((resource) => watched.includes(resource));
      if (quietFor >= (isWatching ? quietMs : silentMs)) return true;
      if (!this.#instance && !this.#restarting) return false;
      await this.sleep(pollMs);
    }
    return false;
  }

  /** Sends a request as an administrator. */
  async request(method: string, path: string, body?: object, contentType = "application/json"): Promise<Answer> {
    const response = await this.#server.handle(
      {
        method,
        path,
        headers: { accept: "application/json", ...(body ? { "content-type": contentType } : {}) },
        ...(body ? { body: Buffer.from(JSON.stringify(body)) } : {}),
      },
      admin,
    );
    const answer: unknown = JSON.parse((await bodyOf(response)).toString() || "{}");
    return { status: response.status, body: isRecord(answer) ? answer : {} };
  }

  /** Returns all objects of the world, ordered by kind and key. */
  async objects(): Promise<KubeObject[]> {
    const found: KubeObject[] = [];
    for (const resource of this.#touched.values()) {
      const { status, body } = await this.request("GET", collectionPath(resource));
      if (status !== 200) continue;
      const [apiVersion, kind] = [String(body.apiVersion), String(body.kind).replace(/List$/, "")];
      this.#kinds.set(`${apiVersion} ${kind}`, resource);
      for (const item of itemsOf(body)) found.push({ ...item, apiVersion, kind });
    }
    return found;
  }

  /** Returns the objects that users or the program wrote, without the cluster's own objects. */
  async ownObjects(): Promise<KubeObject[]> {
    const writers = ["user", ...this.#managers];
    return (await this.objects()).filter((object) => writers.some((writer) => isWrittenBy(object, writer)));
  }

  /** Returns the objects that users created. */
  async userObjects(): Promise<KubeObject[]> {
    const isUsers = (object: KubeObject): boolean =>
      this.program.kinds.some((kind) => kind.kind === object.kind && apiVersionOfKind(kind) === object.apiVersion) &&
      isWrittenBy(object, "user");
    return (await this.objects()).filter(isUsers);
  }

  /** Returns the objects that the program created, except those that are being deleted. */
  async madeObjects(): Promise<KubeObject[]> {
    const isMade = (object: KubeObject): boolean =>
      object.metadata.deletionTimestamp === undefined &&
      !isWrittenBy(object, "user") &&
      [...this.#managers].some((manager) => isWrittenBy(object, manager));
    return (await this.objects()).filter(isMade);
  }

  /** Returns the path of an object in the world. */
  pathOf(object: KubeObject): string {
    return `${this.collectionOf(object)}/${object.metadata.name}`;
  }

  /** Returns the path of the collection that contains an object. */
  collectionOf({ apiVersion, kind, metadata: { namespace } }: KubeObject): string {
    const resource = this.#kinds.get(`${apiVersion} ${kind}`);
    if (!resource) throw new Error(`${apiVersion} ${kind} does not belong to the simulated world`);
    return collectionPath(resource, namespace);
  }

  /** Adds resources to the world. */
  touch(resources: readonly TouchedResource[]): void {
    for (const resource of resources) this.#touch(resource);
  }

  #touch({ group, version, resource, isNamespaced }: TouchedResource, apiVersion?: string, kind?: string): void {
    const touched = { group, version, resource, isNamespaced };
    this.#touched.set(`${resource}.${group}`, touched);
    if (kind !== undefined) this.#kinds.set(`${apiVersion} ${kind}`, touched);
  }

  async #install(object: KubeObject): Promise<void> {
    const { apiVersion, kind, metadata } = object;
    const { body: list } = await this.request(
      "GET",
      apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`,
    );
    const resources = Array.isArray(list.resources) ? list.resources.filter(isRecord) : [];
    const found = resources.find(({ kind: each, name }) => each === kind && !String(name).includes("/"));
    if (!found) throw new Error(`${kind} ${metadata.name}: the API server does not serve ${apiVersion} ${kind}`);
    const namespace = found.namespaced === true ? (metadata.namespace ?? "default") : undefined;
    const [group = "", version = ""] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
    const resource = { group, version, resource: String(found.name), isNamespaced: namespace !== undefined };
    if (namespace !== undefined) await this.ensureNamespace(namespace);
    const { status, body } = await this.request("POST", collectionPath(resource, namespace), object);
    if (status >= 300 && status !== 409) throw new Error(`${kind} ${metadata.name}: ${String(body.message)}`);
  }

  /** Creates a namespace if it does not exist. */
  async ensureNamespace(name: string): Promise<void> {
    if (name === "default") return;
    await this.request("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#restarting;
    await Promise.all([this.#instance, ...this.#ended].map((each) => each?.stop()));
    await this.#controllers.stop();
    await this.#server.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** First lines of the reports that Go, Rust, Java and Node.js print when a program crashes. */
const crash =
  /^panic: |^fatal error: |^thread '.*' panicked at|^Exception in thread|^Uncaught |UnhandledPromiseRejection|^SIGSEGV/;

const isWrittenBy = ({ metadata }: KubeObject, manager: string): boolean =>
  metadata.managedFields?.some((entry) => entry.manager === manager) ?? false;

const itemsOf = ({ items }: Answer["body"]): KubeObject[] => (Array.isArray(items) ? items : []);

function collectionPath({ group, version, resource, isNamespaced }: TouchedResource, namespace?: string): string {
  const base = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${base}${isNamespaced && namespace !== undefined ? `/namespaces/${namespace}` : ""}/${resource}`;
}

/** Returns the groups of a user. @see apiserver pkg/authentication/serviceaccount MakeGroupNames */
function groupsOf(user: string): string[] {
  const [, namespace] = /^system:serviceaccount:([^:]+):[^:]+$/.exec(user) ?? [];
  return namespace === undefined ? [] : ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}
