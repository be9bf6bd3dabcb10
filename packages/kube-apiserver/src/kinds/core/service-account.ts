import type { KubeObject } from "@kubewright/apimachinery";
import { defaultColumns } from "@kubewright/apiserver/registry";
import { defineStrategy } from "../define-strategy.ts";

/** @see pkg/registry/core/serviceaccount strategy.go */
export const serviceAccountStrategy = defineStrategy<KubeObject>({
  returnDeletedObject: true,
  columns: defaultColumns,
});
