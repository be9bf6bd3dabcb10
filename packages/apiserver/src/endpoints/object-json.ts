import { stringifyJson } from "@kubewright/apimachinery";
import type { ReadonlyObject } from "../registry/resource.ts";

const texts = new WeakMap<ReadonlyObject, string>();

/** The compact JSON of a frozen object, made once however often it is sent. */
export function objectJson(object: ReadonlyObject): string {
  let text = texts.get(object);
  if (text === undefined) {
    text = stringifyJson(object);
    texts.set(object, text);
  }
  return text;
}

const itemTexts = new WeakMap<ReadonlyObject, string>();

/** The same without `kind` and `apiVersion`, as items of typed lists are. */
export function itemJson(object: ReadonlyObject): string {
  let text = itemTexts.get(object);
  if (text === undefined) {
    const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
    text = stringifyJson(rest);
    itemTexts.set(object, text);
  }
  return text;
}
