/** All possible faults. Each name is a row of the printed table. */
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
  // on an open watch
  "endOfStream",
  "connectionReset",
  "stalledStream",
  // on the next request of a kind
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
  // on the server
  "compaction",
  "restart",
  "restartWithLowerVersions",
] as const;

export type FaultName = (typeof faultNames)[number];

export interface Fault {
  readonly name: FaultName;
  /** Position in a line, in thousandths. */
  readonly at: number;
  /** The variant of the fault. */
  readonly variant: number;
}

/** The faults that wait for an opportunity, and the number of occurrences of each. */
export class FaultPlan {
  readonly struck = new Map<FaultName, number>();
  #armed: Fault[] = [];

  arm(fault: Fault): void {
    this.#armed.push(fault);
  }

  isArmed(name: FaultName): boolean {
    return this.#armed.some((fault) => fault.name === name);
  }

  /** Takes the oldest waiting fault of a name, which occurs now. */
  take(name: FaultName): Fault | undefined {
    const index = this.#armed.findIndex((fault) => fault.name === name);
    if (index < 0) return undefined;
    this.noteStruck(name);
    return this.#armed.splice(index, 1)[0];
  }

  noteStruck(name: FaultName): void {
    this.struck.set(name, (this.struck.get(name) ?? 0) + 1);
  }

  /** Drops all waiting faults. */
  disarm(): void {
    this.#armed = [];
  }
}
