/** Everything that can go wrong. Each name is a row of the table that a run prints. */
export const faultNames = [
  // in the bytes of a watch
  "cutMidLine",
  "cutMidCharacter",
  "tornCharacter",
  "corruptedLine",
  "garbageLine",
  "duplicatedBookmark",
  "lateBookmark",
  "earlyBookmark",
  "goneMidWatch",
  "internalErrorMidWatch",
  // to a watch that is open
  "endOfStream",
  "connectionReset",
  "stalledStream",
  // to the next request of a kind
  "goneOnWatch",
  "tooManyRequestsOnWatch",
  "internalErrorOnWatch",
  "unavailableOnWatch",
  "refusedWatch",
  "stalledWatchRequest",
  "goneOnList",
  "goneOnNextPage",
  "tooManyRequestsOnList",
  "internalErrorOnList",
  "unavailableOnList",
  "refusedList",
  "stalledListRequest",
  "cutList",
  "garbageList",
  "staleList",
  // to the server
  "compaction",
  "restart",
  "restartWithLowerVersions",
] as const;

export type FaultName = (typeof faultNames)[number];

export interface Fault {
  readonly name: FaultName;
  /** Where in a line, in thousandths of it. */
  readonly at: number;
  /** Which of the forms that this fault has. */
  readonly variant: number;
}

/** Faults that wait for their opportunity, and how often each has struck. */
export class FaultPlan {
  readonly struck = new Map<FaultName, number>();
  #armed: Fault[] = [];

  arm(fault: Fault): void {
    this.#armed.push(fault);
  }

  isArmed(name: FaultName): boolean {
    return this.#armed.some((fault) => fault.name === name);
  }

  /** The oldest waiting fault of a name, which strikes now. */
  take(name: FaultName): Fault | undefined {
    const index = this.#armed.findIndex((fault) => fault.name === name);
    if (index < 0) return undefined;
    this.noteStruck(name);
    return this.#armed.splice(index, 1)[0];
  }

  noteStruck(name: FaultName): void {
    this.struck.set(name, (this.struck.get(name) ?? 0) + 1);
  }

  /** What has not struck yet never will. */
  disarm(): void {
    this.#armed = [];
  }
}
