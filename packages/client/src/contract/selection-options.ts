import type { FieldSelector, LabelSelector } from "@kubewright/apimachinery";

/** A label selector: `{ app: "shop" }`, `"app=shop,tier in (web)"`, or a parsed selector. */
export type LabelSelectorInput = string | Readonly<Record<string, string>> | LabelSelector;

/** A field selector: `{ "spec.nodeName": "node-1" }`, `"status.phase!=Running"`, or a parsed selector. */
export type FieldSelectorInput = string | Readonly<Record<string, string>> | FieldSelector;

/** Selects objects of a kind. Default: all. */
export interface SelectionOptions {
  /** Default: all namespaces. */
  readonly namespace?: string | undefined;
  readonly labels?: LabelSelectorInput | undefined;
  /** Field selector. A server supports only name and namespace for any kind, and a few fields of some kinds. */
  readonly fields?: FieldSelectorInput | undefined;
}
