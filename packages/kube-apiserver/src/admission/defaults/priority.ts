import { forbidden, isRecord } from "@kubewright/apimachinery";
import type { AdmissionPlugin } from "@kubewright/apiserver/admission";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";

type ReadClasses = () => Promise<readonly ReadonlyObject[]>;

const isPod = ({ group, resource }: { readonly group: string; readonly resource: string }): boolean =>
  group === "" && resource === "pods";

/**
 * Resolves a pod's priority class to its number.
 *
 * @see kubernetes plugin/pkg/admission/priority
 */
export function priority(classes: ReadClasses): AdmissionPlugin {
  return {
    name: "Priority",
    resources: ["pods"],
    handles: (operation) => operation === "CREATE" || operation === "UPDATE",
    async admit({ operation, resource, subresource, object, oldObject, name }) {
      if (!isPod(resource) || subresource !== "" || !object || !isRecord(object.spec)) return;
      const { spec } = object;
      if (operation === "UPDATE") {
        const old = isRecord(oldObject?.spec) ? oldObject.spec : {};
        for (const member of ["priority", "preemptionPolicy"])
          if (spec[member] === undefined && old[member] !== undefined) spec[member] = old[member];
        return;
      }
      const all = await classes();
      const wanted = typeof spec.priorityClassName === "string" ? spec.priorityClassName : "";
      const found =
        wanted === ""
          ? all.find(({ globalDefault }) => globalDefault === true)
          : all.find(({ metadata }) => metadata.name === wanted);
      if (wanted !== "" && !found) throw forbidden(resource, name, `no PriorityClass with name ${wanted} was found`);
      if (found && wanted === "") spec.priorityClassName = found.metadata.name;
      spec.priority = typeof found?.value === "number" ? found.value : 0;
      spec.preemptionPolicy ??= found?.preemptionPolicy ?? "PreemptLowerPriority";
    },
  };
}
