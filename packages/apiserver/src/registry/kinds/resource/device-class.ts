import { fieldPath, type KubeObject } from "@kubewright/apimachinery";
import { defineStrategy } from "../define-strategy.ts";
import { configurationErrors, type DeviceConfiguration, type DeviceSelector, selectorErrors } from "./device-claim.ts";

interface DeviceClass extends KubeObject {
  spec?: { selectors?: DeviceSelector[]; config?: DeviceConfiguration[] };
}

/** @see pkg/registry/resource/deviceclass strategy.go */
export const deviceClassStrategy = defineStrategy<DeviceClass>({
  countsGeneration: true,
  returnDeletedObject: true,
  validate: ({ spec }) => [
    ...selectorErrors(spec?.selectors ?? [], fieldPath("spec", "selectors")),
    ...(spec?.config ?? []).flatMap((each, i) => configurationErrors(each, fieldPath("spec", "config").index(i))),
  ],
});
