import type { Directive, Tag } from "./tag.ts";

/** What a YAML text is made of. Where blocks begin and end by their indentation there are tokens of their own. */
export type Token = { readonly line: number } & (
  | { readonly type: "directive"; readonly directive: Directive }
  | { readonly type: "alias" | "anchor"; readonly name: string }
  | { readonly type: "tag"; readonly tag: Tag }
  | { readonly type: "scalar"; readonly text: string; readonly isPlain: boolean }
  | { readonly type: Mark }
);

/** Tokens without anything more to say. */
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
