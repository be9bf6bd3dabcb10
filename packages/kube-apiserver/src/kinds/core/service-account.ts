import type { KubeObject } from "@kubewright/apimachinery";
import { defaultColumns } from "@kubewright/apiserver/registry";
import { defineStrategy } from "../define-strategy.ts";

/** Strategy for ServiceAccounts. @see pkg/registry/core/serviceaccount strategy.go */
export const serviceAccountStrategy = defineStrategy<KubeObject>({
  returnDeletedObject: true,
  columns: defaultColumns,
});
