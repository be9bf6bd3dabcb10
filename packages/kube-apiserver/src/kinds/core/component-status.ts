import type { KubeObject } from "@kubewright/apimachinery";
import { nameColumn } from "@kubewright/apiserver/registry";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";

interface ComponentStatus extends KubeObject {
  conditions?: { type: string; status: string; message?: string; error?: string }[];
}

const healthy = ({ conditions = [] }: ComponentStatus) => conditions.find(({ type }) => type === "Healthy");

/** Strategy for ComponentStatuses. @see pkg/printers/internalversion printComponentStatus */
export const componentStatusStrategy = defineStrategy<ComponentStatus>({
  columns: [
    nameColumn,
    {
      ...column<ComponentStatus>("Status", (object) => {
        const status = healthy(object)?.status;
        return status === undefined ? "Unknown" : status === "True" ? "Healthy" : "Unhealthy";
      }),
      description: "Status of the component conditions",
    },
    {
      ...column<ComponentStatus>("Message", (object) => healthy(object)?.message ?? ""),
      description: "Message of the component conditions",
    },
    {
      ...column<ComponentStatus>("Error", (object) => healthy(object)?.error ?? ""),
      description: "Error of the component conditions",
    },
  ],
});
