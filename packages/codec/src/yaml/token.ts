import type { Directive, Tag } from "./tag.ts";

/** A token in a YAML text. Blocks defined by indentation have start and end tokens. */
export type Token = { readonly line: number } & (
  | { readonly type: "directive"; readonly directive: Directive }
  | { readonly type: "alias" | "anchor"; readonly name: string }
  | { readonly type: "tag"; readonly tag: Tag }
  | { readonly type: "scalar"; readonly text: string; readonly isPlain: boolean }
  | { readonly type: Mark }
);

/** Tokens without a value. */
export type Mark =
  | "stream end"
  | "document start"
  | "document end"
  | "block sequence"
  | "block mapping"
  | "block end"
  | "flow sequence"
  | "flow mapping"
  | "flow sequence end"
  | "flow mapping end"
  | "flow entry"
  | "entry"
  | "key"
  | "value";
