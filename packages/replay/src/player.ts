import { inspect } from "node:util";
import {
  isRecord,
  jsonEqual,
  parseJsonNumbers,
  type Status,
  StatusError,
  stringifyJson,
} from "@kubewright/apimachinery";
import {
  aroundCalls,
  Client,
  type ConnectionSettings,
  kubeList,
  type ReadCall,
  type ReadWriter,
  type WriteCall,
} from "@kubewright/client";
import { type Clock, onNextTurn, sleepOn, systemClock } from "@kubewright/clock";
import { freezeParsed } from "@kubewright/lazy-json";
import { type Logger, silentLogger } from "@kubewright/log";
import type { ErrorRecord, StepRecord } from "./format.ts";
import { bodyOf, errorRecord, type StepCall, stepOf } from "./recorded-steps.ts";
import { type RecordedReconcile, Recording, RecordingError } from "./recording.ts";

export type { RecordingLimits } from "./recording.ts";
export { type RecordedReconcile, Recording, RecordingError };

/** Context of a replayed reconcile. Corresponds to `ReconcileContext` in `@kubewright/controller`. */
export interface ReplayContext {
  readonly client: ReadWriter;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly causes: readonly ReplayedCause[];
  readonly recorder: { event(): void };
  readonly reconcileID: string;
  readonly clock: Clock;
  observe<T>(name: string, ask: () => T | Promise<T>): Promise<T>;
}

/** A reason why the reconcile was queued. A `Cause` of `@kubewright/controller`. */
interface ReplayedCause {
  readonly source: string;
  readonly type: "create" | "update" | "delete" | "generic";
  readonly key: string;
  readonly resourceVersion?: string | undefined;
}

/** A reconcile function. Corresponds to `Reconciler` in `@kubewright/controller`. */
export type ReplayedReconciler = (request: never, context: ReplayContext) => unknown;

/** Options for {@link Player.replay}. */
export interface ReplayOptions {
  /** Logger of the reconcile. Default: silent. */
  readonly logger?: Logger | undefined;
  /** Maximum duration of the replay, in milliseconds of real time. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Calls the reconciler. Default: calls it directly. */
  readonly call?: ((reconcile: () => unknown) => unknown) | undefined;
}

/** Outcome of a replay. */
export interface Replayed {
  /** The first difference from the recording. Absent if the replay matched the recording. */
  readonly difference?: string | undefined;
  /** Reason why the reconcile cannot be replayed. */
  readonly skipped?: string | undefined;
}

/** ID of a reconcile that did not use its ID when it was recorded. */
const unusedID = "00000000-0000-4000-8000-000000000000";
const defaultTimeoutMs = 30_000;

/**
 * Runs reconcilers against a recording. Reads return the recorded results, and writes are compared with the recorded
 * writes. No requests are sent.
 *
 * The following count as differences: a read or write that was not recorded, a missing write, a different order of
 * writes, and a different outcome. A missing read does not count. In a Secret's data, only the keys are compared,
 * because recordings do not contain the values.
 */
export class Player {
  /** Shows the recorded time to code that reads it from a manager's clock. Its timers are real. */
  readonly clock: Clock;
  /** Connection for a manager's own clients. A request through it counts as a difference, because its response was not recorded. */
  readonly connection: ConnectionSettings;
  readonly #recording: Recording;
  #current: Replay | undefined;

  constructor(recording: Recording) {
    this.#recording = recording;
    this.clock = {
      ...systemClock,
      now: () => this.#current?.nowMs ?? 0,
      monotonic: () => this.#current?.nowMs ?? 0,
      sleep: (ms, signal) => sleepOn(systemClock, ms, signal),
    };
    this.connection = {
      server: "https://replay.invalid",
      handle: ({ method, path }) => {
        this.#current?.differ(
          `sends ${method} ${path.split("?")[0]} with a client other than the context's, so the response was not recorded`,
        );
        return Promise.reject(new Error("requests cannot be sent while a recording is replayed"));
      },
    };
  }

  /** Replays one reconcile. Reconciles must be replayed one after the other. */
  async replay(
    recorded: RecordedReconcile,
    reconcile: ReplayedReconciler,
    options: ReplayOptions = {},
  ): Promise<Replayed> {
    if (recorded.unusable !== undefined) return { skipped: recorded.unusable };
    const replay = new Replay(this.#recording, recorded, this.connection);
    this.#current = replay;
    try {
      const difference = await replay.run(reconcile, options);
      return difference === undefined ? {} : { difference };
    } finally {
      this.#current = undefined;
    }
  }
}

/** A call that waits for its response. */
interface Waiting {
  /** Position of the response in the recorded sequence of events. */
  readonly order: number;
  readonly proceed: () => void;
}

interface Step extends StepRecord {
  isUsed?: boolean;
}

/** A replay of one reconcile. */
class Replay {
  readonly #recording: Recording;
  readonly #recorded: RecordedReconcile;
  readonly #client: ReadWriter;
  readonly #steps: readonly Step[];
  readonly #difference = Promise.withResolvers<string>();
  readonly #waiting: Waiting[] = [];
  #isDifferent = false;
  #isScheduled = false;
  /** Position of the most recent answer in the recorded sequence of events. */
  #position = -1;
  #monotonicMs = 0;
  /** Time that the replayed code sees. */
  nowMs: number;

  constructor(recording: Recording, recorded: RecordedReconcile, connection: ConnectionSettings) {
    this.#recording = recording;
    this.#recorded = recorded;
    this.#steps = recorded.steps.map((step) => ({ ...step }));
    this.nowMs = recorded.atMs;
    this.#client = aroundCalls(new Client({ connection }), {
      read: <Result>(call: ReadCall) => this.#read(call) as Promise<Result>,
      write: <Result>(call: WriteCall) => this.#write(call) as Promise<Result>,
    });
  }

  /** Runs the reconciler. @returns the first difference */
  async run(reconcile: ReplayedReconciler, options: ReplayOptions): Promise<string | undefined> {
    const { timeoutMs = defaultTimeoutMs, logger = silentLogger, call = (one) => one() } = options;
    const { causes, reconcileID = unusedID, request } = this.#recorded;
    const context: ReplayContext = {
      ...{ client: this.#client, clock: this.#clock(), log: logger, reconcileID },
      signal: new AbortController().signal,
      causes: causes as readonly ReplayedCause[],
      recorder: { event: () => {} },
      observe: (name, ask) => this.#observe(name, ask),
    };
    const timer = Number.isFinite(timeoutMs)
      ? systemClock.after(timeoutMs, () =>
          this.differ("does not end, because it is waiting for something that was not recorded"),
        )
      : undefined;
    const outcome = (async () => call(() => reconcile(request as never, context)))().then(
      (result) => this.#afterwards({ result: result ?? {} }),
      (error: unknown) => this.#afterwards({ error: errorRecord(error) }),
    );
    try {
      return await Promise.race([this.#difference.promise, outcome]);
    } finally {
      timer?.cancel();
      this.#isDifferent = true; // whatever still runs is not part of the reconcile
    }
  }

  /** Records a difference. Only the first one counts. */
  differ(text: string): void {
    if (this.#isDifferent) return;
    this.#isDifferent = true;
    this.#difference.resolve(text);
  }

  /** Records a difference, and stops the replayed code at its current call. */
  #stop(text: string): Promise<never> {
    this.differ(text);
    return new Promise(() => {});
  }

  #afterwards(
    now: { readonly result: unknown } | { readonly error: ErrorRecord },
  ): string | undefined | Promise<string> {
    if (this.#isDifferent) return this.#difference.promise;
    const missing = this.#steps.find((step) => isWrite(step) && !step.isUsed);
    if (missing) return `does not ${described(missing)}`;
    const { error, result = {} } = this.#recorded;
    if ("error" in now) {
      if (!error) return `fails with ${shownError(now.error)}, but was recorded as successful`;
      if (now.error.name === error.name && now.error.message === error.message) return undefined;
      return `fails with ${shownError(now.error)}, but was recorded with ${shownError(error)}`;
    }
    if (error) return `succeeds, but was recorded with ${shownError(error)}`;
    if (jsonEqual(jsonOf(now.result), result)) return undefined;
    return `returns ${shown(now.result)}, but was recorded with ${shown(result)}`;
  }

  async #read(call: ReadCall): Promise<unknown> {
    if (this.#isDifferent) return new Promise(() => {});
    const asked = stepOf(call);
    const step = this.#take((one) => isSameCall(one, asked));
    if (!step) return this.#stop(`makes a read that was not recorded: ${described(asked)}`);
    return this.#answer(step);
  }

  async #write(call: WriteCall): Promise<unknown> {
    if (this.#isDifferent) return new Promise(() => {});
    const asked = stepOf(call);
    const body = bodyOf(call);
    const sent = body && masked(asked, jsonOf(body));
    const bodyIn = (step: StepRecord): unknown => step.body && masked(step, this.#recording.object(step.body));
    const step = this.#take((one) => isSameCall(one, asked) && jsonEqual(bodyIn(one) ?? null, sent ?? null));
    if (!step) return this.#stop(this.#unexpected(asked, sent, bodyIn));
    const late = this.#steps.find((one) => isWrite(one) && !one.isUsed && endOf(one) < step.at[0]);
    if (late)
      return this.#stop(`makes this write too early: ${described(step)}; it was recorded after: ${described(late)}`);
    return this.#answer(step);
  }

  /** Describes a write that was not recorded. */
  #unexpected(asked: StepCall, sent: unknown, bodyIn: (step: StepRecord) => unknown): string {
    const similar = this.#steps.find((one) => !one.isUsed && isWrite(one) && isSameTarget(one, asked));
    if (!similar) return `makes a write that was not recorded: ${described(asked)}`;
    const changes = [
      ...differencesOf(similar.options ?? {}, asked.options ?? {}, "options"),
      ...differencesOf(bodyIn(similar), sent, ""),
    ];
    return [`makes this write differently than recorded: ${described(asked)}`, ...changes].join("\n  ");
  }

  async #observe<T>(name: string, _ask: () => T | Promise<T>): Promise<T> {
    if (this.#isDifferent) return new Promise(() => {});
    const step = this.#take((one) => one.verb === "observe" && one.name === name);
    if (!step) return this.#stop(`makes an observation that was not recorded: observe(${JSON.stringify(name)})`);
    await this.#turnOf(step);
    if (step.error) throw errorOf(step.error);
    return step.value as T; // the recorded function returned this value
  }

  /** Marks the first matching step as used. */
  #take(matches: (step: StepRecord) => boolean): Step | undefined {
    const found = this.#steps.find((step) => !step.isUsed && matches(step));
    if (found) found.isUsed = true;
    return found;
  }

  async #answer(step: StepRecord): Promise<unknown> {
    await this.#turnOf(step);
    const { error, answer, value, isFrozen } = step;
    if (error) throw errorOf(error);
    if (answer === undefined) return value;
    const list = this.#recording.list(answer);
    if (!list) return frozenIf(isFrozen, this.#recording.object(answer));
    return kubeList(
      list.items.map((item) => frozenIf(isFrozen, item)),
      list.metadata,
    );
  }

  /** Waits until the response of a step is due in the recorded order. */
  #turnOf(step: StepRecord): Promise<void> {
    if (step.at[1] === undefined) return new Promise(() => {});
    return new Promise((proceed) => this.#wait({ order: endOf(step), proceed }));
  }

  #wait(waiting: Waiting): void {
    this.#waiting.push(waiting);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    onNextTurn(() => this.#proceed());
  }

  /**
   * Responds to the pending call whose response came first in the recording. Each turn delivers only one response, so that the code can
   * react to it before the next one arrives.
   */
  #proceed(): void {
    this.#isScheduled = false;
    const next = this.#waiting.reduce<Waiting | undefined>((a, b) => (a && a.order <= b.order ? a : b), undefined);
    if (!next) return;
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    if (Number.isFinite(next.order)) this.#position = Math.max(this.#position, next.order);
    next.proceed();
    if (this.#waiting.length === 0 || this.#isScheduled) return;
    this.#isScheduled = true;
    onNextTurn(() => this.#proceed());
  }

  /** Returns the context's clock. It shows the recorded times, in the order in which they were read between two answers. */
  #clock(): Clock {
    const clock: Clock = {
      now: () => {
        this.nowMs = this.#look("now") ?? this.nowMs;
        return this.nowMs;
      },
      monotonic: () => {
        this.#monotonicMs = this.#look("monotonic") ?? this.#monotonicMs;
        return this.#monotonicMs;
      },
      after: (_ms, callback) => {
        const step = this.#take((one) => one.verb === "sleep");
        const order = step ? endOf(step) : Number.POSITIVE_INFINITY;
        const waiting: Waiting = { order, proceed: callback };
        if (!step || step.at[1] !== undefined) this.#wait(waiting);
        const cancel = (): void => {
          const at = this.#waiting.indexOf(waiting);
          if (at >= 0) this.#waiting.splice(at, 1);
        };
        return { cancel };
      },
      sleep: (ms, signal) => sleepOn(clock, ms, signal),
    };
    return clock;
  }

  /** Returns the time that was read before the next answer, or the most recent known time. */
  #look(verb: "now" | "monotonic"): number | undefined {
    const next = this.#steps.reduce(
      (least, step) => (isLook(step) || endOf(step) <= this.#position ? least : Math.min(least, endOf(step))),
      Number.POSITIVE_INFINITY,
    );
    const looks = this.#steps.filter((step) => step.verb === verb && step.at[0] < next);
    const step = looks.find((one) => !one.isUsed && one.at[0] > this.#position) ?? looks.at(-1);
    if (!step) return undefined;
    (step as Step).isUsed = true;
    return Number(step.value);
  }
}

const endOf = ({ at: [, end] }: StepRecord): number => end ?? Number.POSITIVE_INFINITY;
const isLook = ({ verb }: StepRecord): boolean => verb === "now" || verb === "monotonic";

const notWrites: ReadonlySet<string> = new Set(["get", "list", "getText", "observe", "now", "monotonic", "sleep"]);
const isWrite = ({ verb }: Pick<StepRecord, "verb">): boolean => !notWrites.has(verb);

const isSameTarget = (a: StepCall, b: StepCall): boolean =>
  a.verb === b.verb &&
  a.kind === b.kind &&
  a.isPartial === b.isPartial &&
  a.subResource === b.subResource &&
  a.key === b.key;

const isSameCall = (a: StepCall, b: StepCall): boolean =>
  isSameTarget(a, b) && jsonEqual(a.options ?? {}, jsonOf(b.options ?? {}));

/** Returns a value as it is after serialization. */
const jsonOf = (value: unknown): unknown => parseJsonNumbers(stringifyJson(value));

const frozenIf = (isFrozen: true | undefined, value: unknown): unknown => (isFrozen ? freezeParsed(value) : value);

/** Returns a body without the values of a Secret, which a recording does not contain. */
function masked({ kind = "" }: StepCall, body: unknown): unknown {
  if (!kind.endsWith("/Secret")) return body;
  if (Array.isArray(body))
    return body.map((operation: unknown) =>
      isRecord(operation) && /^\/(?:data|stringData)\b/.test(String(operation.path))
        ? { ...operation, value: null }
        : operation,
    );
  if (!isRecord(body)) return body;
  const keysOnly = (values: unknown): unknown =>
    isRecord(values) ? Object.fromEntries(Object.keys(values).map((name) => [name, ""])) : values;
  const hidden = (["data", "stringData"] as const).filter((field) => field in body);
  return { ...body, ...Object.fromEntries(hidden.map((field) => [field, keysOnly(body[field])])) };
}

function errorOf({ name, message, code, status }: ErrorRecord): Error {
  if (status) return new StatusError(status as Status);
  const error = new Error(message);
  Object.defineProperty(error, "name", { value: name, configurable: true, writable: true });
  return code === undefined ? error : Object.assign(error, { code });
}

const longestShown = 500;
const maxLines = 10;
const longestValue = 200;

const shownError = ({ name, message }: ErrorRecord): string => `${name}: ${message.slice(0, longestShown)}`;

const shown = (value: unknown): string =>
  inspect(value, { breakLength: Number.POSITIVE_INFINITY }).slice(0, longestShown);

/** Describes a step, such as `update status of apps/v1/Deployment shop/north`. */
export function described({
  verb,
  kind = "",
  subResource,
  key,
  name,
  options,
  isPartial,
}: StepCall & { readonly name?: string | undefined }): string {
  if (verb === "observe") return `observe(${JSON.stringify(name)})`;
  const what = subResource === undefined ? verb : `${verb} ${subResource} of`;
  const of =
    verb === "deleteCollection" || verb === "list" ? (options ? ` ${JSON.stringify(options)}` : "") : ` ${key}`;
  return `${what} ${kind}${isPartial ? " (metadata)" : ""}${of}`;
}

/** Describes how a JSON value differs from a recorded one: a line for each field. @param path path of the value; empty for a whole body */
function differencesOf(recorded: unknown, now: unknown, path: string): readonly string[] {
  const lines: string[] = [];
  compare(recorded, now, path, lines);
  return lines.length > maxLines ? [...lines.slice(0, maxLines), `and ${lines.length - maxLines} more`] : lines;
}

function compare(recorded: unknown, now: unknown, path: string, lines: string[]): void {
  if (jsonEqual(recorded ?? null, now ?? null)) return;
  const inside = (name: string): string => (path === "" ? name : `${path}.${name}`);
  if (isRecord(recorded) && isRecord(now)) {
    for (const name of new Set([...Object.keys(recorded), ...Object.keys(now)]))
      compare(recorded[name], now[name], inside(name), lines);
  } else if (Array.isArray(recorded) && Array.isArray(now)) {
    for (let at = 0; at < Math.max(recorded.length, now.length); at++)
      compare(recorded[at], now[at], `${path}[${at}]`, lines);
  } else lines.push(`${path || "body"}: recorded ${shownJson(recorded)}, now ${shownJson(now)}`);
}

const shownJson = (value: unknown): string => {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
};
