import { fieldPath, type KubeObject } from "@kubewright/apimachinery";
import { defineStrategy } from "../define-strategy.ts";
import { configurationErrors, type DeviceConfiguration } from "./device-claim.ts";
import { type DeviceSelector, deviceSelectorErrors } from "./device-selector.ts";

interface DeviceClass extends KubeObject {
  spec?: { selectors?: DeviceSelector[]; config?: DeviceConfiguration[] };
}

/** Strategy for DeviceClasses. @see pkg/registry/resource/deviceclass strategy.go */
export const deviceClassStrategy = defineStrategy<DeviceClass>({
  countsGeneration: true,
  returnDeletedObject: true,
  validate: ({ spec }) => [
    ...deviceSelectorErrors(spec?.selectors ?? [], fieldPath("spec", "selectors")),
    ...(spec?.config ?? []).flatMap((each, i) => configurationErrors(each, fieldPath("spec", "config").index(i))),
  ],
});
