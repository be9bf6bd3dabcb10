import { isRecord, type Kind, stringifyJson } from "@kubewright/apimachinery";
import { aroundCalls, type ReadCall, type ReadWriter, type WriteCall } from "@kubewright/client";
import { type Clock, sleepOn } from "@kubewright/clock";
import type { ErrorRecord, ReconcileLine, StepRecord } from "./format.ts";
import { bodyOf, errorRecord, keyOfCall, optionsOfCall } from "./recorded-steps.ts";

/** A reconcile that has started. Mirrors `RecordedCall` in `@kubewright/controller`. */
export interface BegunCall {
  readonly controller: string;
  readonly request: unknown;
  readonly causes: ReconcileLine["causes"];
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Outcome of a reconcile. Mirrors `RecordedOutcome` in `@kubewright/controller`. */
export type CallOutcome = { readonly reconcileID: string | undefined; readonly tookMs: number } & (
  | { readonly result: object }
  | { readonly error: Error; readonly isPanic: boolean; readonly isTerminal: boolean }
);

/**
 * An object that was read or written: its JSON or, if the object is frozen (as in a cache), the object itself. Frozen
 * objects are converted to JSON only when the recording is saved.
 */
export type Snapshot = string | object;

export interface ListSnapshot {
  readonly items: readonly Snapshot[];
  readonly metadata: object;
}

/** A step held in memory. Its values are JSON. */
export class MemoryStep {
  readonly verb: StepRecord["verb"];
  readonly start: number;
  kind: Kind | undefined;
  subResource: string | undefined;
  key: string | undefined;
  options: object | undefined;
  /** Name of an observation. */
  name: string | undefined;
  body: string | undefined;
  answer: Snapshot | undefined;
  list: ListSnapshot | undefined;
  value: string | undefined;
  error: ErrorRecord | undefined;
  end: number | undefined;

  constructor(verb: StepRecord["verb"], start: number) {
    this.verb = verb;
    this.start = start;
  }
}

/** Tracks the memory used by recordings in progress. */
export interface RecordingHost {
  /** Counts a frozen object as used. @returns its approximate size in bytes, if it was not used before */
  retain(object: object): number;
  /** Counts frozen objects as no longer used. */
  release(objects: readonly object[]): void;
  /** Maximum size of one recording, in bytes. */
  readonly maxCallBytes: number;
  ended(recording: CallRecording, isPanic: boolean): void;
}

/** Approximate size of a step and of a reconcile without their values, in bytes. */
const stepBytes = 160;
const callBytes = 400;
/** The same limit applies when a file is read. */
const maxSteps = 10_000;

/** A recording of one reconcile. Implements `ReconcileRecording` in `@kubewright/controller`. */
export class CallRecording {
  readonly begun: BegunCall;
  readonly atMs: number;
  /** Number of the reconcile. */
  readonly number: number;
  steps: MemoryStep[] = [];
  /** Approximate size in bytes, excluding frozen objects. */
  bytes: number = callBytes;
  outcome: (Omit<ReconcileLine, "steps"> & { readonly steps?: undefined }) | undefined;
  readonly #host: RecordingHost;
  /** Frozen objects that the steps refer to. The same object may occur several times. */
  readonly #objects: object[] = [];
  #events = 0;
  /** Total size of all objects to which the recording refers. */
  #size = 0;
  #clock: Clock | undefined;
  #unusable: string | undefined;

  constructor(host: RecordingHost, begun: BegunCall, number: number) {
    this.#host = host;
    this.begun = begun;
    this.number = number;
    this.atMs = begun.clock.now();
  }

  get clock(): Clock {
    this.#clock ??= this.#recordingClock(this.begun.clock);
    return this.#clock;
  }

  client(client: ReadWriter): ReadWriter {
    return aroundCalls(client, {
      read: (call, next) => this.#read(call, next),
      write: (call, next) => this.#write(call, next),
    });
  }

  async observe<T>(name: string, ask: () => T | Promise<T>): Promise<T> {
    const step = this.#begin("observe");
    if (step) step.name = name;
    try {
      const answer = await ask();
      if (step) this.#end(step, answer);
      return answer;
    } catch (error) {
      if (step) this.#fail(step, error);
      throw error;
    }
  }

  end(outcome: CallOutcome): void {
    if (this.outcome) return;
    const { controller, request, causes, signal } = this.begun;
    if (signal.aborted) this.#spoil("the reconcile was interrupted");
    const isError = "error" in outcome;
    this.bytes += 100 * causes.length;
    this.outcome = {
      reconcile: this.number,
      controller,
      request,
      causes,
      atMs: this.atMs,
      tookMs: outcome.tookMs,
      reconcileID: outcome.reconcileID,
      result: isError ? undefined : { ...outcome.result },
      error: isError ? errorRecord(outcome.error) : undefined,
      isTerminal: (isError && outcome.isTerminal) || undefined,
      unusable: this.#unusable,
    };
    this.#host.ended(this, isError && outcome.isPanic);
  }

  /** Releases the frozen objects. Called when the recording is dropped. */
  release(): void {
    this.#host.release(this.#objects.splice(0));
  }

  #read<Result>(call: ReadCall, next: () => Promise<Result>): Promise<Result> {
    const step = this.#beginCall(call);
    return step ? this.#answered(step, next()) : next();
  }

  #write<Result>(call: WriteCall, next: (call: WriteCall) => Promise<Result>): Promise<Result> {
    const step = this.#beginCall(call);
    return step ? this.#answered(step, next(call)) : next(call);
  }

  /** Adds a step for a call, unless the recording has ended or cannot be used. */
  #beginCall(call: ReadCall | WriteCall): MemoryStep | undefined {
    const step = this.#begin(call.verb);
    if (!step) return undefined;
    try {
      step.kind = call.kind;
      step.subResource = call.subResource;
      step.key = keyOfCall(call);
      step.options = optionsOfCall(call);
      const body = "key" in call || call.verb === "list" ? undefined : bodyOf(call);
      if (body) step.body = this.#sized(stringifyJson(body));
      return step;
    } catch (error) {
      // The call itself reports what is wrong with its arguments.
      this.#spoil(`a call could not be recorded: ${errorRecord(error).message}`);
      return undefined;
    }
  }

  /** Adds a step, unless the recording has ended or cannot be used. */
  #begin(verb: StepRecord["verb"]): MemoryStep | undefined {
    if (this.outcome || this.#unusable !== undefined) return undefined;
    const step = new MemoryStep(verb, this.#events++);
    this.steps.push(step);
    this.#grow(stepBytes);
    if (this.steps.length > maxSteps) this.#spoil(`the reconcile contained more than ${maxSteps} steps`);
    return step;
  }

  /** Records the end of a step, and what the step returned. */
  #end(step: MemoryStep, answer?: unknown): void {
    if (this.outcome || this.#unusable !== undefined) return;
    try {
      if (step.verb === "observe") this.#noteObserved(step, answer);
      else if (answer !== undefined) this.#note(step, answer);
      step.end = this.#events++;
    } catch (error) {
      this.#spoil(`an answer could not be recorded: ${errorRecord(error).message}`);
    }
  }

  #fail(step: MemoryStep, error: unknown): void {
    step.error = errorRecord(error);
    this.#end(step);
  }

  async #answered<Result>(step: MemoryStep, pending: Promise<Result>): Promise<Result> {
    try {
      const answer = await pending;
      this.#end(step, answer);
      return answer;
    } catch (error) {
      this.#fail(step, error);
      throw error;
    }
  }

  #noteObserved(step: MemoryStep, answer: unknown): void {
    if (!isJson(answer, 0))
      throw new Error(
        `observe("${step.name}") must return a JSON value: an object, an array, a string, a number, a boolean or null`,
      );
    if (answer !== undefined) step.value = this.#sized(stringifyJson(answer));
  }

  #note(step: MemoryStep, answer: unknown): void {
    if (typeof answer === "string") step.value = this.#sized(JSON.stringify(answer));
    else if (Array.isArray(answer)) {
      this.#grow(8 * answer.length);
      const { metadata } = answer as { readonly metadata?: unknown };
      const items = answer.map((item: unknown) => this.#snapshot(isRecord(item) ? item : {}));
      step.list = { items, metadata: isRecord(metadata) ? { ...metadata } : {} };
    } else if (typeof answer === "object" && answer !== null) step.answer = this.#snapshot(answer);
  }

  #snapshot(object: object): Snapshot {
    if (!isDeeplyFrozen(object)) return this.#sized(stringifyJson(object));
    this.#objects.push(object);
    this.#grow(this.#host.retain(object), 0);
    return object;
  }

  #sized(json: string): string {
    this.#grow(json.length);
    return json;
  }

  /** Adds to the size of this recording. `own` bytes are freed together with the recording; the host counts the bytes of frozen objects. */
  #grow(bytes: number, own = bytes): void {
    this.bytes += own;
    this.#size += bytes;
    if (this.#size > this.#host.maxCallBytes)
      this.#spoil(`the reconcile read and wrote more than ${this.#host.maxCallBytes} bytes`);
  }

  /** Drops everything except the fact that the reconcile took place. */
  #spoil(reason: string): void {
    this.#unusable ??= reason;
    this.steps = [];
    this.bytes = callBytes;
    this.release();
  }

  #recordingClock(clock: Clock): Clock {
    const look = (verb: "now" | "monotonic", ms: number): number => {
      const step = this.#begin(verb);
      if (step) {
        step.value = String(ms);
        this.#end(step);
      }
      return ms;
    };
    const recording: Clock = {
      now: () => look("now", clock.now()),
      monotonic: () => look("monotonic", clock.monotonic()),
      after: (ms, callback, options) => {
        const step = this.#begin("sleep");
        if (step) step.value = String(ms);
        return clock.after(
          ms,
          () => {
            if (step) this.#end(step);
            callback();
          },
          options,
        );
      },
      sleep: (ms, signal) => sleepOn(recording, ms, signal),
      ...(clock.onNextTurn ? { onNextTurn: clock.onNextTurn.bind(clock) } : {}),
    };
    return recording;
  }
}

/** Reports whether an object can no longer change. Caches freeze objects recursively. */
const isDeeplyFrozen = (object: { readonly metadata?: unknown }): boolean =>
  Object.isFrozen(object) && typeof object.metadata === "object" && Object.isFrozen(object.metadata);

const deepest = 64;

/** Reports whether JSON represents a value exactly. */
function isJson(value: unknown, depth: number): boolean {
  if (value === undefined) return depth === 0;
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || depth > deepest) return false;
  if (Array.isArray(value)) return value.every((item) => item !== undefined && isJson(item, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.values(value).every((member) => member === undefined || isJson(member, depth + 1));
}
