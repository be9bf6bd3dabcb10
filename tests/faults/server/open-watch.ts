import type { Clock, Timer } from "@kubewright/clock";
import {
  bookmarkLine,
  corruptedLine,
  eventLine,
  garbageLine,
  goneLine,
  internalErrorLine,
  placeInCharacter,
  placeInLine,
} from "./event-lines.ts";
import type { Fault, FaultName, FaultPlan } from "./fault-plan.ts";
import { networkError } from "./responses.ts";
import type { Change } from "./server-state.ts";
import { WatchBody } from "./watch-body.ts";

const bookmarkMs = 60_000;

interface OpenWatchOptions {
  /** Changes up to this version are not sent. */
  readonly after: bigint;
  readonly timeoutMs: number;
  readonly isTypeFirst: boolean;
  readonly clock: Clock;
  readonly faults: FaultPlan;
  readonly signal: AbortSignal | undefined;
  readonly now: () => bigint;
  readonly onClosed: (watch: OpenWatch) => void;
}

/** The server's end of one watch: writes events and bookmarks, and corrupts them as planned. */
export class OpenWatch {
  readonly body: WatchBody;
  readonly #options: OpenWatchOptions;
  readonly #end: Timer;
  #bookmarks: Timer;
  #outbox: Buffer[] = [];
  #silentAtMs: number | undefined;
  #isClosed = false;

  constructor(options: OpenWatchOptions) {
    this.#options = options;
    this.body = new WatchBody(options.signal, () => this.#closed());
    this.#end = options.clock.after(options.timeoutMs, () => this.end());
    this.#bookmarks = options.clock.after(bookmarkMs, () => this.#bookmarkAgainAndAgain());
  }

  /** Time for which the reader has tolerated silence; `undefined` if nothing was withheld. */
  get silentMs(): number | undefined {
    return this.#silentAtMs === undefined ? undefined : this.#options.clock.monotonic() - this.#silentAtMs;
  }

  /** Sends new changes. They arrive together. */
  deliver(changes: readonly Change[]): void {
    const { after, faults } = this.#options;
    for (const { type, version, object } of changes) {
      if (version <= after || !this.body.isOpen) continue;
      // A client cannot notice that events before a bookmark were lost, so the two arrive together.
      if (faults.take("earlyBookmark")) this.#outbox.push(bookmarkLine(version), this.#lineOf(type, object));
      else this.#writeEvent(type, object);
    }
    this.#flush();
  }

  /** Sends existing objects. `isSynthetic` additions do not change the version of the watch. */
  deliverObjects(objects: Iterable<object>): void {
    for (const object of objects) if (this.body.isOpen) this.#writeEvent("ADDED", object);
    this.#flush();
  }

  bookmark(version: bigint, annotations?: Readonly<Record<string, string>>): void {
    const line = bookmarkLine(version, annotations);
    if (this.body.isOpen && this.#options.faults.take("duplicatedBookmark")) this.#outbox.push(line);
    this.#outbox.push(line);
    this.#flush();
  }

  /**
   * Applies planned faults that need only an open watch.
   *
   * @param versionBack returns the server's version before the given number of changes
   */
  strike(versionBack: (changes: number) => bigint): void {
    const { faults } = this.#options;
    const take = (name: FaultName): Fault | undefined => (this.body.isOpen ? faults.take(name) : undefined);
    if (faults.isArmed("duplicatedBookmark")) this.bookmark(versionBack(0));
    const late = take("lateBookmark");
    if (late) this.bookmark(versionBack(1 + late.variant));
    const garbage = take("garbageLine");
    if (garbage) {
      this.#outbox.push(garbageLine(garbage.variant));
      this.#flush();
    }
    if (take("endOfStream")) this.end();
    if (take("connectionReset")) this.end(networkError("ECONNRESET"));
    if (take("stalledStream")) this.fallSilent();
  }

  end(error?: Error): void {
    this.#flush();
    this.body.end(error);
    if (!this.body.isSilent) this.#closed();
  }

  fallSilent(): void {
    this.#flush();
    this.body.fallSilent();
    this.#silentAtMs = this.#options.clock.monotonic();
  }

  #lineOf(type: string, object: object): Buffer {
    return eventLine(type, object, this.#options.isTypeFirst);
  }

  #writeEvent(type: string, object: object): void {
    const line = this.#lineOf(type, object);
    if (!this.#spoil(line)) this.#outbox.push(line);
  }

  /** Reports whether a planned fault has replaced the line. */
  #spoil(line: Buffer): boolean {
    const { faults } = this.#options;
    const midCharacter = faults.take("cutMidCharacter");
    const cut = midCharacter ?? faults.take("cutMidLine");
    if (cut) {
      const place = (midCharacter ? placeInCharacter : placeInLine)(line, cut.at);
      this.#outbox.push(line.subarray(0, place));
      if (cut.variant % 3 === 0) this.end();
      else if (cut.variant % 3 === 1) this.end(networkError("ECONNRESET"));
      else this.fallSilent();
      return true;
    }
    const corrupted = faults.take("corruptedLine");
    if (corrupted) {
      this.#outbox.push(corruptedLine(line, corrupted));
      return true;
    }
    if (faults.take("goneMidWatch")) {
      this.#outbox.push(goneLine());
      this.end();
      return true;
    }
    if (faults.take("internalErrorMidWatch")) {
      this.#outbox.push(internalErrorLine());
      this.end();
      return true;
    }
    const torn = faults.take("tornCharacter");
    if (torn) {
      this.#flush();
      for (const piece of pieces(line, torn.variant % 2 === 0 ? placeInCharacter(line, torn.at) : 1))
        this.body.push(piece);
    }
    return torn !== undefined;
  }

  #flush(): void {
    if (this.#outbox.length > 0) this.body.push(Buffer.concat(this.#outbox));
    this.#outbox = [];
  }

  #bookmarkAgainAndAgain(): void {
    this.bookmark(this.#options.now());
    this.#bookmarks = this.#options.clock.after(bookmarkMs, () => this.#bookmarkAgainAndAgain());
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#end.cancel();
    this.#bookmarks.cancel();
    this.#options.onClosed(this);
  }
}

function pieces(line: Buffer, size: number): Buffer[] {
  const all: Buffer[] = [];
  for (let start = 0; start < line.length; start += size) all.push(line.subarray(start, start + size));
  return all;
}
