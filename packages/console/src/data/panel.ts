/** Tone of a value, shown as a sign and a color. */
export type PanelTone = "good" | "bad" | "warning" | "neutral";

/** Page of the console: a panel, the page of a panel's row, or an object of a controller. */
export type PanelPlace =
  | { readonly panel: string; readonly row?: string | undefined }
  | { readonly controller: string; readonly key: string };

/** Text with an optional tone, time and link. */
export interface PanelText {
  readonly text: string;
  /** Default: no sign. */
  readonly tone?: PanelTone | undefined;
  /** Start of the state, in ms since 1970. Shown as duration. */
  readonly sinceMs?: number | undefined;
  /** Time of the event, in ms since 1970. Shown as elapsed time. */
  readonly atMs?: number | undefined;
  /** Target of a link. */
  readonly to?: PanelPlace | undefined;
}

/** Value of a cell. `null` is shown as an empty cell, a boolean as `true` or `false`. */
export type PanelCell = string | number | boolean | null | PanelText;

/** Column of a table: its key in rows, and its heading. */
export interface PanelColumn {
  readonly id: string;
  readonly title: string;
}

/** Cells by column id. */
export type PanelRow = Readonly<Record<string, PanelCell>>;

/** A box of a diagram. */
export interface PanelNode {
  /** Name of the box in edges. */
  readonly id: string;
  readonly title: string;
  /** Second line, such as the type. */
  readonly note?: string | undefined;
  readonly state?: PanelText | undefined;
  /** `outside` draws a dashed frame, for objects that the program does not manage. Default `inside`. */
  readonly shape?: "inside" | "outside" | undefined;
  readonly to?: PanelPlace | undefined;
}

/** A line of a diagram: solid if its state is good, otherwise dashed. */
export interface PanelEdge {
  /** Ids of nodes. Lines go from left to right. */
  readonly from: string;
  readonly to: string;
  readonly state: PanelText;
}

/** A diagram of connections. Shows at most 60 boxes and 200 lines; the table is complete. */
export interface PanelPicture {
  readonly nodes: readonly PanelNode[];
  readonly edges: readonly PanelEdge[];
}

/** Rows of a panel, with optional additional content. */
export interface PanelContent {
  readonly rows: readonly PanelRow[];
  /** Total number of rows, if `rows` contains only some. Default: number of rows. */
  readonly total?: number | undefined;
  /** Text at the top of the panel. */
  readonly note?: PanelCell | undefined;
  readonly picture?: PanelPicture | undefined;
}

/** A part of the page of a panel's row. */
export type PanelPart =
  | { readonly type: "facts"; readonly facts: readonly { readonly name: string; readonly value: PanelCell }[] }
  | {
      /** A sequence of boxes. */
      readonly type: "way";
      readonly title: string;
      readonly steps: readonly {
        readonly name: string;
        readonly value: PanelCell;
        readonly note?: string | undefined;
      }[];
    }
  | {
      readonly type: "table";
      readonly title: string;
      readonly columns: readonly PanelColumn[];
      readonly rows: readonly PanelRow[];
      /** Text if there are no rows. */
      readonly none?: string | undefined;
    }
  | { readonly type: "text"; readonly text: PanelCell };

/** Page of a panel's row. */
export interface PanelDetail {
  readonly title: string;
  readonly parts: readonly PanelPart[];
}

/** A kind, by its resource. */
export interface PanelKind {
  readonly group: string;
  readonly version: string;
  /** Plural name: `pods`. */
  readonly resource: string;
}

/** Request to a panel. */
export interface PanelQuestion {
  /** Search text; empty for all rows. */
  readonly search: string;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Returns true if the viewer may get an object. A program can usually read more than its viewers may see. */
  readonly mayGet: (object: PanelKind & { readonly namespace: string; readonly name: string }) => Promise<boolean>;
  /** Returns true if the viewer may list a kind, in one or all namespaces. Otherwise, show only the number of objects. */
  readonly mayList: (kind: PanelKind & { readonly namespace?: string | undefined }) => Promise<boolean>;
}

/** Screen with data of the application. */
export interface Panel {
  /** ID of lower-case letters, digits and dashes. It is part of the panel's address. */
  readonly id: string;
  readonly title: string;
  readonly columns: readonly PanelColumn[];
  /**
   * Returns the rows. Called only while a browser shows the panel. A response contains at most 1,000 rows, and a browser shows 200 at a
   * time.
   */
  readonly rows: (
    question: PanelQuestion,
  ) => readonly PanelRow[] | PanelContent | Promise<readonly PanelRow[] | PanelContent>;
  /** True if `rows` applies the search itself. Default false: the console shows only rows that contain all words. */
  readonly searches?: boolean | undefined;
  /** Returns the page of a row, named by a cell's `to`. Return undefined if the row does not exist. */
  readonly detail?:
    | ((row: string, question: PanelQuestion) => PanelDetail | undefined | Promise<PanelDetail | undefined>)
    | undefined;
  /** Returns the row about an object of a controller. The object's page links to it. */
  readonly about?: ((object: { readonly controller: string; readonly key: string }) => string | undefined) | undefined;
  /** Column IDs for a diagram that draws each row as a line between the values of two columns, with the tone of a third. */
  readonly links?: { readonly from: string; readonly to: string; readonly state: string } | undefined;
}
