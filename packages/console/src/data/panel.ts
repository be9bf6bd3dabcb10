/** How good something is: shown by a sign and a colour. */
export type PanelTone = "good" | "bad" | "warning" | "neutral";

/** A place within the console: a panel, what a panel tells of one row, or an object that a controller is for. */
export type PanelPlace =
  | { readonly panel: string; readonly row?: string | undefined }
  | { readonly controller: string; readonly key: string };

/** Text that says how good it is, since when it is so, when it happened, or where one reads more of it. */
export interface PanelText {
  readonly text: string;
  /** Default: no sign. */
  readonly tone?: PanelTone | undefined;
  /** It has been so since then, in milliseconds since 1970: shown as how long. */
  readonly sinceMs?: number | undefined;
  /** It happened then, in milliseconds since 1970: shown as how long ago. */
  readonly atMs?: number | undefined;
  /** Makes a link of it. */
  readonly to?: PanelPlace | undefined;
}

/** What stands in a field of a row. `null` is an empty field, a boolean is `true` or `false`. */
export type PanelCell = string | number | boolean | null | PanelText;

/** A column of a table: what rows call it, and what stands above it. */
export interface PanelColumn {
  readonly id: string;
  readonly title: string;
}

/** By the id of the column. */
export type PanelRow = Readonly<Record<string, PanelCell>>;

/** A box of a picture. */
export interface PanelNode {
  /** What edges call it. */
  readonly id: string;
  readonly title: string;
  /** A second line, such as what it is. */
  readonly note?: string | undefined;
  readonly state?: PanelText | undefined;
  /** `outside`, with a broken frame: what the program does not look after. Default `inside`. */
  readonly shape?: "inside" | "outside" | undefined;
  readonly to?: PanelPlace | undefined;
}

/** A line of a picture: whole where its state is good, broken otherwise. */
export interface PanelEdge {
  /** Ids of nodes. Boxes that lines come from stand left of those they go to. */
  readonly from: string;
  readonly to: string;
  readonly state: PanelText;
}

/** What is connected with what. At most 60 boxes and 200 lines are drawn; the table says all of it. */
export interface PanelPicture {
  readonly nodes: readonly PanelNode[];
  readonly edges: readonly PanelEdge[];
}

/** Rows with what else is to be shown of them. */
export interface PanelContent {
  readonly rows: readonly PanelRow[];
  /** How many there are, where `rows` is only a part. Default: as many as there are rows. */
  readonly total?: number | undefined;
  /** A sentence above all else. */
  readonly note?: PanelCell | undefined;
  readonly picture?: PanelPicture | undefined;
}

/** A part of what a panel tells of one row. */
export type PanelPart =
  | { readonly type: "facts"; readonly facts: readonly { readonly name: string; readonly value: PanelCell }[] }
  | {
      /** What leads to what, one box after the other. */
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
      /** Instead of no rows. */
      readonly none?: string | undefined;
    }
  | { readonly type: "text"; readonly text: PanelCell };

/** What a panel tells of one row, on a page of its own. */
export interface PanelDetail {
  readonly title: string;
  readonly parts: readonly PanelPart[];
}

/** A kind of objects, by its resource. */
export interface PanelKind {
  readonly group: string;
  readonly version: string;
  /** The plural: `pods`. */
  readonly resource: string;
}

/** Who asks a panel what. */
export interface PanelQuestion {
  /** What was typed into the panel's search; empty for everything. */
  readonly search: string;
  /** Aborts when whoever asked went away. */
  readonly signal: AbortSignal;
  /** Whether whoever asks may see an object of the cluster. What a program can read is more than those may who look at it. */
  readonly mayGet: (object: PanelKind & { readonly namespace: string; readonly name: string }) => Promise<boolean>;
  /** Reports whether the viewer may list a kind, in one namespace or everywhere: without this, show how many objects there are, and no more. */
  readonly mayList: (kind: PanelKind & { readonly namespace?: string | undefined }) => Promise<boolean>;
}

type Later<T> = T | Promise<T>;

/** A screen of the application's own: data, which the console shows as it shows its own. */
export interface Panel {
  /** Lowercase letters, digits and dashes: part of its address. */
  readonly id: string;
  readonly title: string;
  readonly columns: readonly PanelColumn[];
  /** Asked whenever somebody looks, and never else. At most 1,000 rows leave the process, and 200 are shown at a time. */
  readonly rows: (question: PanelQuestion) => Later<readonly PanelRow[] | PanelContent>;
  /** Whether `rows` minds the search itself. Default: of its rows those are shown that have all words of it. */
  readonly searches?: boolean | undefined;
  /** What there is to say of one row, by what a cell's `to` calls it. Nothing: there is none such. */
  readonly detail?: ((row: string, question: PanelQuestion) => Later<PanelDetail | undefined>) | undefined;
  /** The row that tells of an object which a controller is for: the object's page links there. */
  readonly about?: ((object: { readonly controller: string; readonly key: string }) => string | undefined) | undefined;
  /** Draws each row as a line between what two columns name, in the tone of a third. By the ids of columns. */
  readonly links?: { readonly from: string; readonly to: string; readonly state: string } | undefined;
}
