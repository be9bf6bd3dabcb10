/** Data of one tick. The types in this file contain the parts of the server's responses that the front end shows. */
export interface Tick {
  readonly atMs: number;
  readonly leadership: { readonly isElected: boolean; readonly leads: boolean; readonly leader: string };
  readonly controllers: readonly Numbers[];
  readonly caches: readonly Cached[];
}

export interface Numbers {
  readonly name: string;
  readonly queueLength: number;
  readonly running: number;
  readonly held: number;
  readonly failing: number;
  readonly maxConcurrentReconciles: number;
  readonly hasStarted: boolean;
  readonly hasSynced: boolean;
  readonly gaveUp: number;
  readonly paused: number;
  readonly hung: number;
  readonly p99Ms?: number;
  readonly unsynced: readonly string[];
  readonly totals: { readonly reconciles: number; readonly errors: number; readonly busyMs: number };
}

export interface Cached {
  readonly name: string;
  readonly hasSynced: boolean;
  readonly ageMs?: number;
  readonly objects: number;
  readonly lastError?: string;
  readonly isUnserved?: boolean;
}

export interface Overview extends Tick {
  readonly attention: {
    readonly items: readonly {
      readonly tone: "bad" | "warning";
      readonly text: string;
      readonly to?: readonly string[];
    }[];
    readonly total: number;
  };
  readonly name: string;
  readonly startedMs: number;
  readonly certificates: readonly { readonly name: string; readonly notAfter: string }[];
  readonly panels: readonly { readonly id: string; readonly title: string }[];
  readonly counts: { readonly webhooks: number };
  readonly isSharded?: boolean;
  readonly lease?: { readonly id: string; readonly namespace?: string };
  /** True if reconciles are recorded, and this viewer may save the recording. */
  readonly maySaveRecording?: boolean;
}

interface History {
  readonly atMs: readonly number[];
  readonly depth: readonly number[];
  readonly failing: readonly number[];
  readonly reconciles: readonly number[];
  readonly errors: readonly number[];
  readonly meanMs: readonly number[];
}

export interface Controller extends Numbers {
  readonly for?: { readonly kind: string; readonly group: string };
  readonly owns: readonly string[];
  readonly watches: readonly string[];
  readonly history: History;
}

export interface Cause {
  readonly source: string;
  readonly type: string;
  readonly key: string;
  readonly resourceVersion?: string;
  /** Fields that the update changed. */
  readonly changes?: {
    readonly fields: readonly { readonly path: string; readonly before?: string; readonly after?: string }[];
    readonly isCut: boolean;
  };
}

export interface Row {
  readonly key: string;
  readonly state: "running" | "held" | "ready" | "delayed" | "failing" | "paused";
  readonly forMs?: number;
  readonly priority?: number;
  readonly causes: readonly Cause[];
  readonly requeues: number;
  readonly unseen?: readonly string[];
  readonly pausedBy?: string;
  readonly failure?: {
    readonly error: string;
    readonly times: number;
    readonly sinceMs: number;
    readonly lastMs: number;
    readonly isTerminal: boolean;
  };
}

export interface Queue extends Numbers {
  /** Reason why the rows are not shown. */
  readonly refused?: string;
  readonly queue: { readonly rows: readonly Row[]; readonly total: number; readonly isWhole: boolean };
  readonly history: History;
}

export interface Reconcile {
  readonly number: number;
  readonly key: string;
  readonly causes: readonly Cause[];
  readonly atMs: number;
  readonly tookMs: number;
  readonly result: string;
  readonly error?: string;
  readonly reconcileID?: string;
  readonly traceID?: string;
  readonly lines: readonly { readonly level: string; readonly text: string }[];
  readonly writes: readonly {
    readonly verb: string;
    readonly resource: string;
    readonly key: string;
    readonly error?: string;
  }[];
}

export interface Reconciles {
  readonly verdict?: { readonly tone: Tone; readonly text: string };
  /** Address of a trace, in which `{traceId}` stands for its ID. */
  readonly traceUrl?: string;
  readonly reconciles: readonly Reconcile[];
  readonly queue: readonly Row[];
}

export interface Keys {
  readonly kind: string;
  readonly rows: readonly { readonly key: string; readonly state?: Row["state"] }[];
  readonly total: number;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

export interface ObjectView {
  readonly mayAct: boolean;
  readonly panels?: readonly { readonly id: string; readonly title: string; readonly row: string }[];
  readonly object?: { readonly status?: { readonly conditions?: readonly Condition[] } };
  readonly events?: readonly {
    readonly atMs: number;
    readonly type: string;
    readonly reason: string;
    readonly message: string;
    readonly count: number;
  }[];
}

export interface Permissions {
  readonly checked: readonly {
    readonly role: string;
    readonly group: string;
    readonly resource: string;
    readonly verb: string;
    readonly namespace: string;
    readonly names: readonly string[];
    readonly isAllowed?: boolean;
  }[];
  readonly left: number;
  readonly error?: string;
}

export interface Webhooks {
  readonly server?: {
    readonly port?: number;
    readonly callsInFlight: number;
    readonly certificate?: { readonly notAfter: string };
  };
  readonly webhooks: readonly {
    readonly type: string;
    readonly path: string;
    readonly operations: readonly string[];
    readonly resource: { readonly kind: string; readonly group: string; readonly version: string };
  }[];
}

export interface Shards {
  readonly identity: string;
  readonly replicas: readonly string[];
  readonly shards: readonly Shard[];
  readonly moves: { readonly acquired: number; readonly released: number; readonly lost: number };
  readonly listedMs?: number;
  readonly error?: string;
}

export interface Shard {
  readonly shard: number;
  readonly holder: string;
  readonly state: "held" | "releasing" | "acquiring" | "elsewhere" | "free";
  readonly forMs?: number;
  readonly running: number;
  readonly next?: string;
  readonly transitions: number;
}

export type Tone = "good" | "bad" | "warning" | "neutral";

export type Place =
  | { readonly panel: string; readonly row?: string }
  | { readonly controller: string; readonly key: string };

export interface TextCell {
  readonly text: string;
  readonly tone?: Tone;
  readonly sinceMs?: number;
  readonly atMs?: number;
  readonly to?: Place;
}

export type Cell = string | number | boolean | null | TextCell;

type PanelRow = Readonly<Record<string, Cell>>;

interface PanelColumn {
  readonly id: string;
  readonly title: string;
}

export interface PictureNode {
  readonly id: string;
  readonly title: string;
  readonly note?: string;
  readonly state?: TextCell;
  readonly shape?: "inside" | "outside";
  readonly to?: Place;
}

export interface PictureEdge {
  readonly from: string;
  readonly to: string;
  readonly state: TextCell;
}

export interface Picture {
  readonly nodes: readonly PictureNode[];
  readonly edges: readonly PictureEdge[];
}

export interface Panel {
  readonly id: string;
  readonly title: string;
  readonly columns: readonly PanelColumn[];
  readonly rows: readonly PanelRow[];
  readonly total: number;
  readonly error?: string;
  readonly note?: Cell;
  readonly picture?: Picture;
  readonly form?: readonly Field[];
}

/** A field of a form. */
export interface Field {
  readonly title: string;
  readonly example: string;
  readonly isOptional?: boolean;
  /** Maximum size in bytes of a text of several lines. Absent for a word. */
  readonly maxTextBytes?: number;
}

interface NamedCell {
  readonly name: string;
  readonly value: Cell;
  readonly note?: string;
}

export type PanelPart =
  | { readonly type: "facts"; readonly facts: readonly NamedCell[] }
  | { readonly type: "way"; readonly title: string; readonly steps: readonly NamedCell[] }
  | {
      readonly type: "table";
      readonly title: string;
      readonly columns: readonly PanelColumn[];
      readonly rows: readonly PanelRow[];
      readonly none?: string;
    }
  | { readonly type: "text"; readonly text: Cell };

export interface PanelDetail {
  readonly title: string;
  readonly panel: { readonly id: string; readonly title: string };
  readonly parts: readonly PanelPart[];
}
