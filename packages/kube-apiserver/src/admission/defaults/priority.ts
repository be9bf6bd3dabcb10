import { type GroupVersionResource, isRecord } from "@kubewright/apimachinery";
import type { AdmissionAttributes, AdmissionPlugin } from "@kubewright/apiserver/admission";
import { admissionForbidden } from "@kubewright/apiserver/admission";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";

type ReadClasses = () => Promise<readonly ReadonlyObject[]>;

const isPod = ({ group, resource }: GroupVersionResource): boolean => group === "" && resource === "pods";
const isPriorityClass = ({ group, resource }: GroupVersionResource): boolean =>
  group === "scheduling.k8s.io" && resource === "priorityclasses";

/**
 * Sets a pod's priority to that of its priority class. Rejects pods with a different priority, and a second default
 * class.
 *
 * @see kubernetes plugin/pkg/admission/priority
 */
export function priority(classes: ReadClasses): AdmissionPlugin {
  return {
    name: "Priority",
    resources: ["pods", "priorityclasses.scheduling.k8s.io"],
    handles: (operation) => operation === "CREATE" || operation === "UPDATE",

    async admit(attributes) {
      const { operation, resource, subresource, object, oldObject } = attributes;
      if (!isPod(resource) || subresource !== "" || !object || !isRecord(object.spec)) return;
      if (operation === "UPDATE") keepResolved(object.spec, isRecord(oldObject?.spec) ? oldObject.spec : {});
      else resolve(attributes, object.spec, await classes());
    },

    async validate(attributes) {
      const { operation, resource, subresource, object, name } = attributes;
      if (!isPriorityClass(resource) || subresource !== "" || object?.globalDefault !== true) return;
      const known = defaultOf(await classes());
      if (known && (operation === "CREATE" || known.metadata.name !== name))
        throw admissionForbidden(
          attributes,
          `PriorityClass ${known.metadata.name} is already marked as default. Only one default can exist`,
        );
    },
  };
}

type Members = Record<string, unknown>;

function keepResolved(spec: Members, old: Readonly<Members>): void {
  for (const member of ["priority", "preemptionPolicy"])
    if (spec[member] === undefined && old[member] !== undefined) spec[member] = old[member];
}

function resolve(attributes: AdmissionAttributes, spec: Members, classes: readonly ReadonlyObject[]): void {
  const wanted = typeof spec.priorityClassName === "string" ? spec.priorityClassName : "";
  const found = wanted === "" ? defaultOf(classes) : classes.find(({ metadata }) => metadata.name === wanted);
  if (wanted !== "" && !found) throw admissionForbidden(attributes, `no PriorityClass with name ${wanted} was found`);
  if (found) spec.priorityClassName = found.metadata.name;
  const refuseOther = (member: "priority" | "preemptionPolicy", what: string, computed: unknown): void => {
    const given = spec[member];
    if (given !== undefined && given !== null && given !== computed)
      throw admissionForbidden(
        attributes,
        `the ${what} (${given}) must not be provided in pod spec; priority admission controller computed ${computed} from the given PriorityClass name`,
      );
    spec[member] = computed;
  };
  refuseOther("priority", "integer value of priority", numberOf(found));
  const policy = found?.preemptionPolicy ?? "PreemptLowerPriority";
  refuseOther("preemptionPolicy", "string value of PreemptionPolicy", policy);
}

const numberOf = (found: ReadonlyObject | undefined): number => (typeof found?.value === "number" ? found.value : 0);

/** Returns the default class. If there are several, returns the one with the lowest value. */
const defaultOf = (classes: readonly ReadonlyObject[]): ReadonlyObject | undefined =>
  classes
    .filter(({ globalDefault }) => globalDefault === true)
    .reduce<ReadonlyObject | undefined>(
      (least, one) => (least && numberOf(least) <= numberOf(one) ? least : one),
      undefined,
    );
