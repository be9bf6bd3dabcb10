import type { FieldSelector, LabelSelector } from "@kubewright/apimachinery";

/** `{ app: "shop" }`, `"app=shop,tier in (web)"`, or a parsed selector. */
export type LabelSelectorInput = string | Readonly<Record<string, string>> | LabelSelector;

/** `{ "spec.nodeName": "node-1" }`, `"status.phase!=Running"`, or a parsed selector. */
export type FieldSelectorInput = string | Readonly<Record<string, string>> | FieldSelector;

/** Which objects of a kind a call is about. Default: all of them. */
export interface SelectionOptions {
  /** Default: all namespaces. */
  readonly namespace?: string | undefined;
  readonly labels?: LabelSelectorInput | undefined;
  /** Only what the server can select by: name and namespace of any kind, and a few fields of some. */
  readonly fields?: FieldSelectorInput | undefined;
}
