import { expired, StatusError } from "@kubewright/apimachinery";
import { initialEventsEndAnnotation } from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import type { Fault, FaultPlan } from "./fault-plan.ts";
import { pageOf } from "./list-page.ts";
import { OpenWatch } from "./open-watch.ts";
import {
  networkError,
  plannedRefusal,
  refused,
  type SimulatedResponse,
  type StreamedResponse,
  streamingListsUnknown,
  tooLarge,
} from "./responses.ts";
import type { Change, Moment, ServerState } from "./server-state.ts";

/** Maximum number of requests of an informer in one schedule. */
export const mostRequests = 500;

export interface ServerTraits {
  /** True if it supports streaming lists; otherwise it refuses them. */
  readonly knowsWatchList: boolean;
  /** True if a list at version 0 is paginated; servers that answer it from memory send everything at once. */
  readonly pagesListsAtZero: boolean;
  /** True if the last state of a deleted object has its former version, as in old servers. */
  readonly deletesKeepVersion: boolean;
  /** True if events begin with the type, as in API servers. */
  readonly isTypeFirst: boolean;
  readonly latencyMs: number;
}

/** Timeout of a client for the headers of an answer. */
const headersTimeoutMs = 300_000;

/** An API server of one resource: lists, pages, watches and streaming lists, as bytes, with all faults. */
export class SimulatedServer {
  readonly state: ServerState;
  /** Longest time for which a reader has tolerated a silent stream, or a request without an answer. */
  longestSilenceMs = 0;
  /** Number of requests. */
  requests = 0;
  /** Length of the log of changes at the last complete answer. */
  answeredAt = 0;
  readonly #clock: Clock;
  readonly #faults: FaultPlan;
  readonly #traits: ServerTraits;
  readonly #watches = new Set<OpenWatch>();
  #downUntilMs = 0;

  constructor(state: ServerState, faults: FaultPlan, clock: Clock, traits: ServerTraits) {
    this.state = state;
    this.#faults = faults;
    this.#clock = clock;
    this.#traits = traits;
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  deliver(...changes: (Change | undefined)[]): void {
    const made = changes.filter((change) => change !== undefined);
    for (const watch of [...this.#watches]) watch.deliver(made);
  }

  /** Applies a fault, now or at its next opportunity. */
  strike(fault: Fault): void {
    const faults = this.#faults;
    if (fault.name === "compaction") this.state.compact();
    else if (fault.name === "restart") {
      faults.noteStruck("restart");
      this.#restart(fault);
    } else if (fault.name === "restartWithLowerVersions") {
      if (!this.state.restore(1 + fault.variant)) return;
      faults.noteStruck("restartWithLowerVersions");
      this.#restart(fault);
    } else {
      faults.arm(fault);
      this.#strikeOpenWatches();
    }
  }

  /** Ends all faults. Silent streams stay silent. */
  heal(): void {
    this.#faults.disarm();
    this.#downUntilMs = 0;
  }

  async list(query: URLSearchParams, signal: AbortSignal | undefined): Promise<SimulatedResponse> {
    await this.#arrive("List", signal);
    const answer = this.#listResponse(query);
    await this.#clock.sleep(this.#traits.latencyMs, signal);
    signal?.throwIfAborted();
    return answer;
  }

  async watch(query: URLSearchParams, signal: AbortSignal | undefined): Promise<SimulatedResponse | StreamedResponse> {
    await this.#arrive("Watch", signal);
    const answer = this.#watchResponse(query, signal);
    await this.#clock.sleep(this.#traits.latencyMs, signal);
    signal?.throwIfAborted();
    return answer;
  }

  async #arrive(what: "List" | "Watch", signal: AbortSignal | undefined): Promise<void> {
    if (++this.requests > mostRequests) await this.#clock.sleep(headersTimeoutMs, signal); // let time pass anyway
    const isDown = this.#clock.monotonic() < this.#downUntilMs;
    if (isDown || this.#faults.take(`refused${what}`)) throw networkError("ECONNREFUSED");
    if (!this.#faults.take(`stalled${what}Request`)) return;
    const startedMs = this.#clock.monotonic();
    await this.#clock.sleep(headersTimeoutMs, signal);
    if (what === "Watch") this.#noteSilence(this.#clock.monotonic() - startedMs);
    signal?.throwIfAborted();
    throw networkError("UND_ERR_HEADERS_TIMEOUT");
  }

  #listResponse(query: URLSearchParams): SimulatedResponse {
    const faults = this.#faults;
    const refusal = plannedRefusal("List", faults);
    if (refusal) return refused(refusal);
    if (query.get("continue") && faults.take("goneOnNextPage")) return refused(expired("the token is too old"));
    const moment = this.#momentFor(query);
    if (moment instanceof StatusError) return refused(moment);
    const { body, isLast } = pageOf(moment, query, this.#traits.pagesListsAtZero);
    if (faults.take("cutList")) throw networkError("ECONNRESET");
    const garbage = faults.take("garbageList");
    if (garbage) return { status: 200, body: body.subarray(0, Math.floor((body.length * garbage.at) / 1_000)) };
    if (isLast) this.answeredAt = Math.max(this.answeredAt, moment.logLength);
    return { status: 200, body };
  }

  /** Returns the state for a list or the beginning of a streaming list. */
  #momentFor(query: URLSearchParams): Moment | StatusError {
    const { state } = this;
    const token = query.get("continue");
    if (token) {
      const moment = state.momentOf(BigInt(token.split("|")[0] ?? ""));
      if (!moment) this.#faults.noteStruck("compaction");
      return moment ?? expired("The provided continue parameter is too old to display a consistent list result.");
    }
    const wanted = query.get("resourceVersion") ?? "";
    if (wanted === "") return state.now;
    if (BigInt(wanted) > state.now.version) return tooLarge(BigInt(wanted), state.now.version);
    // A client that saw a deletion without its version cannot ask for a state that includes it.
    if (this.#traits.deletesKeepVersion) return state.now;
    return this.#olderThanNow(BigInt(wanted)) ?? state.now;
  }

  /** Returns a recent moment, not before `least`, if a lagging server is planned. */
  #olderThanNow(least: bigint): Moment | undefined {
    const { state } = this;
    const older = [3, 2, 1].map((changes) => state.back(changes)).find(({ version }) => version >= least);
    return older && older !== state.now && this.#faults.take("staleList") ? older : undefined;
  }

  #watchResponse(query: URLSearchParams, signal: AbortSignal | undefined): SimulatedResponse | StreamedResponse {
    const refusal = plannedRefusal("Watch", this.#faults);
    if (refusal) return refused(refusal);
    return query.get("sendInitialEvents") === "true"
      ? this.#streamedList(query, signal)
      : this.#resumedWatch(query, signal);
  }

  #streamedList(query: URLSearchParams, signal: AbortSignal | undefined): SimulatedResponse | StreamedResponse {
    if (!this.#traits.knowsWatchList) return refused(streamingListsUnknown());
    const wanted = BigInt(query.get("resourceVersion") ?? "");
    const { now, compactedTo } = this.state;
    if (wanted > now.version) return refused(tooLarge(wanted, now.version));
    const moment = this.#olderThanNow(compactedTo) ?? now;
    const changes = this.state.changesAfter(moment.version) ?? [];
    const watch = this.#open(moment.version, query, signal);
    watch.deliverObjects(moment.objects.values());
    watch.deliver(changes); // changes since that moment come before the end of the initial state
    watch.bookmark(now.version, { [initialEventsEndAnnotation]: "true" });
    if (watch.body.isOpen) this.answeredAt = Math.max(this.answeredAt, now.logLength);
    return this.#opened(watch, []);
  }

  #resumedWatch(query: URLSearchParams, signal: AbortSignal | undefined): SimulatedResponse | StreamedResponse {
    const wanted = query.get("resourceVersion") ?? "";
    const isAnywhere = wanted === "" || wanted === "0";
    const after = isAnywhere ? this.state.now.version : BigInt(wanted);
    const changes = this.state.changesAfter(after);
    if (!changes) return this.#compacted();
    const watch = this.#open(after, query, signal);
    if (isAnywhere) watch.deliverObjects(this.state.now.objects.values());
    return this.#opened(watch, changes);
  }

  #open(after: bigint, query: URLSearchParams, signal: AbortSignal | undefined): OpenWatch {
    const watch = new OpenWatch({
      after,
      timeoutMs: Number(query.get("timeoutSeconds")) * 1_000,
      isTypeFirst: this.#traits.isTypeFirst,
      clock: this.#clock,
      faults: this.#faults,
      signal,
      now: () => this.state.now.version,
      onClosed: (closed) => {
        this.#watches.delete(closed);
        this.#noteSilence(closed.silentMs ?? 0);
      },
    });
    this.#watches.add(watch);
    return watch;
  }

  #opened(watch: OpenWatch, changes: readonly Change[]): StreamedResponse {
    watch.deliver(changes);
    this.#strikeOpenWatches();
    return { status: 200, chunks: watch.body };
  }

  #compacted(): SimulatedResponse {
    this.#faults.noteStruck("compaction");
    return refused(expired("too old resource version"));
  }

  #restart({ at, variant }: Fault): void {
    for (const watch of [...this.#watches]) watch.end(variant % 2 === 0 ? undefined : networkError("ECONNRESET"));
    this.#downUntilMs = this.#clock.monotonic() + at * 5;
  }

  #strikeOpenWatches(): void {
    for (const watch of [...this.#watches]) watch.strike((changes) => this.state.back(changes).version);
  }

  #noteSilence(ms: number): void {
    this.longestSilenceMs = Math.max(this.longestSilenceMs, ms);
  }
}
