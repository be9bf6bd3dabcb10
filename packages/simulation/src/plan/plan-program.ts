import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRecord } from "@kubewright/apimachinery";
import { systemClock } from "@kubewright/clock";
import { startControllers } from "@kubewright/controller-manager";
import { ApiServer } from "@kubewright/kube-apiserver";
import { bodyOf, callOf, type Handle, isWrite, resourceText } from "../cluster/api-call.ts";
import { inCopy } from "../cluster/built-in-controllers.ts";
import type { Answer } from "../cluster/cluster-object.ts";
import { GarbageCollector } from "../cluster/garbage-collector.ts";
import { ProgramInstance } from "../foreign/program-instance.ts";
import { Random } from "../time/random.ts";
import { type Actor, VirtualTime } from "../time/virtual-time.ts";
import { admin, applyToCopy, servedVersions } from "./apply-manifests.ts";
import { confirmChanges } from "./confirm-changes.ts";
import { fieldChanges } from "./field-changes.ts";
import { ForkStorage } from "./fork-storage.ts";
import { forkView, type Requests } from "./fork-view.ts";
import { admissionHost, conversionHost, LiveCopy } from "./live-copy.ts";
import { LiveLimits } from "./live-limits.ts";
import { defaultMaxBytes, liveCluster, type PlanOptions } from "./plan.ts";
import { PlanError, type PlanReport } from "./plan-report.ts";
import { plannedChanges, type WrittenObject } from "./planned-changes.ts";

/** Options for {@link planProgram}. */
export interface ProgramPlanOptions extends PlanOptions {
  /** Program and its arguments. It finds the copy of the cluster through the environment variable `KUBECONFIG`. */
  readonly command: readonly string[];
  /** Folder in which the program runs. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Time without requests after which the program counts as settled, in milliseconds. Default 10,000. */
  readonly quietMs?: number | undefined;
}

const pollMs = 100;
/** Time for the program to send its first request, and for it to settle, in milliseconds. */
const [startMs, maxMs] = [60_000, 600_000] as const;
/** Number of writes of one object that counts as a loop. */
const maxWrites = 100;
const shownLines = 10;
const maxNamedFields = 3;
/** Requests that do not show that the program is working. */
const passing: ReadonlySet<string> = new Set(["events", "leases"]);

/**
 * Determines what a program, in any language, would do in a cluster. The program runs in real time as a separate
 * process, until it has sent no requests for a while. Its kubeconfig points to a copy of the cluster in this process.
 * Neither its child processes nor its connections to other servers are blocked.
 *
 * @throws {PlanError} if the cluster cannot be copied, a manifest is rejected, or the program fails or does not settle
 * @throws the signal's reason if it aborts
 */
export async function planProgram(options: ProgramPlanOptions): Promise<PlanReport> {
  const copy = new LiveCopy(liveCluster(options), (work) => work(), options.maxBytes ?? defaultMaxBytes);
  let storage: ForkStorage | undefined;
  const folder = mkdtempSync(join(tmpdir(), "kubewright-plan-"));
  try {
    const server = await ApiServer.start({
      listen: false,
      disableAdmissionPlugins: ["ServiceAccount"],
      compactionIntervalMs: false,
      storage: async (parts) => {
        storage = await ForkStorage.open(parts, copy);
        return storage;
      },
    }).catch((error: unknown) => {
      throw copy.failure ?? error;
    });
    try {
      if (!storage) throw new Error("the API server has not opened its storage");
      const plan = new ProgramPlan(options, copy, storage, server, folder);
      const handle: Handle = (request) => server.handle(request, admin);
      await using _controllers = options.settle ? await startControllers(inCopy(handle)) : undefined;
      return await plan.report();
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

class ProgramPlan {
  readonly #options: ProgramPlanOptions;
  readonly #copy: LiveCopy;
  readonly #storage: ForkStorage;
  readonly #server: ApiServer;
  readonly #folder: string;
  readonly #limits = new LiveLimits(new Set());
  readonly #collector: GarbageCollector;
  readonly #startVersion: number;
  /** Resources that the program has read or written, in the form of storage prefixes. */
  readonly #asked = new Set<string>();
  readonly #writtenResources = new Set<string>();
  /** Manifest files that were applied, keyed by the objects' storage keys. */
  readonly #sources = new Map<string, string>();
  #lastMs = systemClock.monotonic();
  #hasAsked = false;
  #ended: string | undefined;

  constructor(options: ProgramPlanOptions, copy: LiveCopy, storage: ForkStorage, server: ApiServer, folder: string) {
    this.#options = options;
    this.#copy = copy;
    this.#storage = storage;
    this.#server = server;
    this.#folder = folder;
    server.connectInProcess(admissionHost, this.#limits.admit);
    server.connectInProcess(conversionHost, this.#limits.convert);
    copy.versionsOf = (group) => servedVersions((path) => this.#request("GET", path), group);
    storage.isOpen = true;
    this.#startVersion = storage.currentResourceVersion();
    const time: Requests["time"] = { after: (ms, _owner, callback) => systemClock.after(ms, callback) };
    const view = forkView(() => storage, {
      time,
      request: (method, path, body, { contentType } = {}) => this.#request(method, path, body, contentType),
    });
    this.#collector = new GarbageCollector(view, collector);
  }

  async report(): Promise<PlanReport> {
    const { command, cwd, env, signal, manifests = [], connection, confirm, settle } = this.#options;
    await this.#apply(manifests);
    const instance = await ProgramInstance.start({
      ...{ command, cwd, env, signal, folder: this.#folder },
      token: this.#server.addUser(admin).token,
      handle: this.#handle,
      onFault: () => {},
      onWrite: () => {},
      onForbidden: () => {},
      onWatch: () => {},
      onEnd: (how) => {
        this.#ended = how;
      },
    });
    try {
      await this.#settle(() => instance.lastLines(shownLines));
    } finally {
      await instance.stop();
      this.#collector.stop();
    }
    const changed = await plannedChanges({
      copy: this.#copy,
      startVersion: this.#startVersion,
      read: (path) => this.#request("GET", path),
      written: this.#written(),
    });
    const live = liveCluster({ connection, confirm, signal });
    return {
      changes: changed.map(({ change }) => change),
      unknown: confirm ? await confirmChanges(live, changed) : [],
      unchanged: this.#written().length - changed.length,
      revision: this.#copy.revision,
      limits: [
        ...(await this.#limits.texts(this.#copy, { isConfirmed: confirm === true, isSettled: settle === true })),
        "the program's child processes and its connections to other systems were not refused, and its webhooks were not called",
      ],
    };
  }

  async #apply(manifests: NonNullable<PlanOptions["manifests"]>): Promise<void> {
    const handle: Handle = (request) => this.#server.handle(request, admin);
    await applyToCopy(handle, manifests, {
      clock: systemClock,
      explain: (group) => this.#limits.missingText(this.#copy, group),
      onApplied: (source, { kind, metadata: { uid } }) => {
        // The server also writes objects of its own.
        for (const [key, { after }] of this.#storage.changed)
          if (after.kind === kind && after.metadata.uid === uid) this.#sources.set(key, source);
      },
    });
    for (const key of this.#sources.keys()) this.#writtenResources.add(prefixOf(key));
  }

  readonly #handle: Handle = async (request) => {
    const call = callOf(request);
    this.#hasAsked = true;
    if (!call || passing.has(call.resource)) return this.#server.handle(request);
    this.#lastMs = systemClock.monotonic();
    this.#asked.add(resourceText(call));
    const response = await this.#server.handle(request);
    this.#lastMs = systemClock.monotonic();
    if (!isWrite(call) || response.status >= 300) return response;
    this.#writtenResources.add(`/${call.group || "core"}/${call.resource}/`);
    if (call.verb.startsWith("delete") || this.#storage.removed.size > 0) this.#collector.wake();
    return response;
  };

  /** Waits until the program sends no more requests. */
  async #settle(lastLines: () => readonly string[]): Promise<void> {
    const { quietMs = 10_000, signal } = this.#options;
    const beganMs = systemClock.monotonic();
    for (;;) {
      await systemClock.sleep(pollMs, signal);
      signal.throwIfAborted();
      if (this.#copy.failure) throw this.#copy.failure;
      for (const [resource, message] of this.#copy.denied)
        if (this.#asked.has(resource))
          throw new PlanError("cluster", `the program needs ${resource}, but you may not list them: ${message}`);
      if (this.#ended !== undefined)
        throw new PlanError("program", [`the program ${this.#ended}. It printed:`, ...lastLines()].join("\n"));
      const nowMs = systemClock.monotonic();
      if (!this.#hasAsked && nowMs - beganMs > startMs)
        throw new PlanError(
          "program",
          `the program sent no request within ${startMs / 1_000} s; it must use the kubeconfig that the environment variable KUBECONFIG names`,
        );
      for (const [key, { count, before, after }] of this.#storage.changed)
        if (count >= maxWrites && this.#writtenResources.has(prefixOf(key))) {
          const fields = before ? fieldChanges(before, after).map(({ path }) => path) : [];
          const { namespace, name } = after.metadata;
          const object = `${after.kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
          throw new PlanError(
            "loop",
            `does not settle: ${object} was written ${count} times; fields changed last: ${fields.slice(0, maxNamedFields).join(", ")}`,
          );
        }
      if (nowMs - beganMs > maxMs) throw new PlanError("loop", `does not settle within ${maxMs / 60_000} minutes`);
      if (this.#hasAsked && nowMs - this.#lastMs >= quietMs) return;
    }
  }

  /** Returns the objects that were written, with the controllers that own them as causes. */
  #written(): WrittenObject[] {
    return [...this.#storage.changed].flatMap(([key, { after }]) => {
      const prefix = prefixOf(key);
      if (!this.#writtenResources.has(prefix)) return [];
      const [, group = "", resource = ""] = prefix.split("/");
      const { namespace = "", name, ownerReferences = [] } = after.metadata;
      const owner = ownerReferences.find(({ controller }) => controller === true);
      const cause =
        this.#sources.get(key) ?? (owner && `${owner.kind} ${namespace === "" ? "" : `${namespace}/`}${owner.name}`);
      const version = after.apiVersion.slice(after.apiVersion.lastIndexOf("/") + 1);
      return [{ group: group === "core" ? "" : group, version, resource, namespace, name, cause }];
    });
  }

  async #request(method: string, path: string, body?: object, contentType = "application/json"): Promise<Answer> {
    const response = await this.#server.handle(
      {
        method,
        path,
        headers: { accept: "application/json", ...(body ? { "content-type": contentType } : {}) },
        ...(body ? { body: Buffer.from(JSON.stringify(body)) } : {}),
      },
      admin,
    );
    const text = (await bodyOf(response)).toString();
    const answer: unknown = text.startsWith("{") ? JSON.parse(text) : {};
    return { status: response.status, body: isRecord(answer) ? answer : {} };
  }
}

/** Runs the garbage collector in real time. */
const collector: Actor = {
  name: "garbage collector",
  time: new VirtualTime(),
  random: new Random("plan"),
  isDead: false,
  skewMs: 0,
  stalledUntilMs: 0,
  onRefused: () => {},
  onOutput: () => {},
};

const prefixOf = (key: string): string => key.slice(0, key.indexOf("/", key.indexOf("/", 1) + 1) + 1);
