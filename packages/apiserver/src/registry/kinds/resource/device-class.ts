import { fieldPath, type KubeObject } from "@kubewright/apimachinery";
import { defineStrategy } from "../define-strategy.ts";
import { type DeviceSelector, selectorErrors } from "./device-claim.ts";

interface DeviceClass extends KubeObject {
  spec?: { selectors?: DeviceSelector[] };
}

/** @see pkg/registry/resource/deviceclass strategy.go */
export const deviceClassStrategy = defineStrategy<DeviceClass>({
  countsGeneration: true,
  returnDeletedObject: true,
  validate: ({ spec }) => selectorErrors(spec?.selectors ?? [], fieldPath("spec", "selectors")),
});
