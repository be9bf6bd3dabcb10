/** Tone of a value, shown as a symbol and a color. */
export type PanelTone = "good" | "bad" | "warning" | "neutral";

/**
 * A console page that a cell can link to: a panel, the page about a row in a panel, or the page about a controller's
 * object.
 */
export type PanelPlace =
  | { readonly panel: string; readonly row?: string | undefined }
  | { readonly controller: string; readonly key: string };

/** Text with an optional tone, time and link. */
export interface PanelText {
  readonly text: string;
  /** Tone, which is shown as a sign. Default: no sign. */
  readonly tone?: PanelTone | undefined;
  /** Time since which the state has lasted, in milliseconds since 1970. It is shown as a duration. */
  readonly sinceMs?: number | undefined;
  /** Time of the event, in milliseconds since 1970. It is shown as the time since then. */
  readonly atMs?: number | undefined;
  /** Page that the text links to. */
  readonly to?: PanelPlace | undefined;
}

/** Value of a cell. `null` is shown as an empty cell, and a boolean as `true` or `false`. */
export type PanelCell = string | number | boolean | null | PanelText;

/** Column of a table: its key in the rows, and its heading. */
export interface PanelColumn {
  readonly id: string;
  readonly title: string;
}

/** A table row: a map from column IDs to cells. */
export type PanelRow = Readonly<Record<string, PanelCell>>;

/** A box in a diagram. */
export interface PanelNode {
  /** ID by which edges refer to the box. */
  readonly id: string;
  readonly title: string;
  /** Second line of the box, such as the type. */
  readonly note?: string | undefined;
  readonly state?: PanelText | undefined;
  /** Shape of the box. `outside` draws a dashed frame, for objects that the program does not manage. Default `inside`. */
  readonly shape?: "inside" | "outside" | undefined;
  readonly to?: PanelPlace | undefined;
}

/** A line in a diagram: solid if its state is good, otherwise dashed. */
export interface PanelEdge {
  /** ID of the node at which the line starts. Lines go from left to right. */
  readonly from: string;
  readonly to: string;
  readonly state: PanelText;
}

/** A diagram of connections. It shows at most 60 boxes and 200 lines; the table contains all of them. */
export interface PanelPicture {
  readonly nodes: readonly PanelNode[];
  readonly edges: readonly PanelEdge[];
}

/** Content of a panel: its rows, and optional additional content. */
export interface PanelContent {
  readonly rows: readonly PanelRow[];
  /** Total number of rows, if `rows` contains only some of them. Default: the number of rows. */
  readonly total?: number | undefined;
  /** Text at the top of the panel. */
  readonly note?: PanelCell | undefined;
  readonly picture?: PanelPicture | undefined;
}

/** A part of a row's details page. */
export type PanelPart =
  | { readonly type: "facts"; readonly facts: readonly { readonly name: string; readonly value: PanelCell }[] }
  | {
      /** A sequence of boxes, in the order of their steps. */
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
      /** Text that is shown if there are no rows. */
      readonly none?: string | undefined;
    }
  | { readonly type: "text"; readonly text: PanelCell };

/** Content of the page about a table row. */
export interface PanelDetail {
  readonly title: string;
  readonly parts: readonly PanelPart[];
}

/** A kind, identified by its resource. */
export interface PanelKind {
  readonly group: string;
  readonly version: string;
  /** Plural name of the resource, such as `pods`. */
  readonly resource: string;
}

/** A request for a panel's content. */
export interface PanelQuestion {
  /** Text to search for; empty for all rows. */
  readonly search: string;
  /** Value of the form's text. Undefined until the viewer submits the form, and for a form without a text. */
  readonly text?: string | undefined;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /**
   * Reports whether the viewer may get an object. Check this before you show its data, because the program can usually read more than its
   * viewers may see.
   */
  readonly mayGet: (object: PanelKind & { readonly namespace: string; readonly name: string }) => Promise<boolean>;
  /** Reports whether the viewer may list a kind, in one namespace or in all namespaces. If not, show only the number of objects. */
  readonly mayList: (kind: PanelKind & { readonly namespace?: string | undefined }) => Promise<boolean>;
}

/** An item in a panel that needs attention. It is shown in the console's overview. */
export interface PanelAttention {
  readonly tone: "bad" | "warning";
  /** A sentence, such as `Tunnel north to hub is down`. */
  readonly text: string;
  /** Page with more details. Default: the panel. */
  readonly to?: PanelPlace | undefined;
}

/** A form field. Unless it is a text field, its value cannot contain spaces. */
export interface PanelField {
  readonly title: string;
  /** Example value that is shown in the empty field. */
  readonly example: string;
  /** True if the field may stay empty. Only the last fields of a form, and its text, can be optional. Default false. */
  readonly isOptional?: boolean | undefined;
  /**
   * Maximum size of the value in bytes, at most 1 MiB, for a text of several lines that viewers can also choose from files. A form has at
   * most one such field. Its value is {@link PanelQuestion.text}, not part of the search. Default: the value is a word.
   */
  readonly maxTextBytes?: number | undefined;
}

/** A page of the console that shows data from the application. */
export interface Panel {
  /** ID of the panel, which is part of its address. It consists of lower-case letters, digits and dashes. */
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
  /** True if `rows` applies the search itself. Default false: the console shows only rows that contain all words of the search. */
  readonly searches?: boolean | undefined;
  /**
   * Fields of a form that the screen shows instead of a search field. The search consists of the values of all fields except a text,
   * separated by single blanks, and is empty until the viewer submits the form. Requires `searches`. The screen of a form with a text shows
   * the result of each submission, and does not update it.
   */
  readonly form?: readonly PanelField[] | undefined;
  /** Returns the page about the row that a cell's `to` refers to, or undefined if the row does not exist. */
  readonly detail?:
    | ((row: string, question: PanelQuestion) => PanelDetail | undefined | Promise<PanelDetail | undefined>)
    | undefined;
  /** Returns the row about a controller's object. The object's page then links to that row. */
  readonly about?: ((object: { readonly controller: string; readonly key: string }) => string | undefined) | undefined;
  /**
   * Returns the items that need a person's attention. Called every five seconds while a browser shows the console. The
   * overview shows the items only if they are returned within two seconds.
   */
  readonly attention?:
    | ((question: Omit<PanelQuestion, "search">) => readonly PanelAttention[] | Promise<readonly PanelAttention[]>)
    | undefined;
  /** Columns for a diagram in which each row is a line between the values of two columns, with the tone of a third column. */
  readonly links?: { readonly from: string; readonly to: string; readonly state: string } | undefined;
}
