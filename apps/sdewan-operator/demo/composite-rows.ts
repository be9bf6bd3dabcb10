import { byKey, isControlledBy } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { CNFStatus } from "../src/api/cnf-status.ts";
import { State } from "../src/api/status.ts";
import { cnfPods } from "../src/cnf/cnf-pods.ts";
import type { CompositeKind } from "../src/composites/composite-kind.ts";
import { compositeKinds } from "../src/composites/composite-kinds.ts";
import { notAvailable } from "../src/status/cnf-report.ts";
import { statusName } from "../src/status/status-object.ts";
import { identityOf, type ObjectRow } from "./object-row.ts";

/** Returns the composites with their children. A composite without a message is in sync. */
export async function compositeRows(reader: Reader): Promise<ObjectRow[]> {
  const ofKinds = compositeKinds.map(async (kind: CompositeKind) => {
    const owned = await Promise.all(kind.owns.map(async (each) => (await reader.list(each)).toSorted(byKey)));
    return (await reader.list(kind.kind)).toSorted(byKey).map((object) => {
      const children = owned.flat().filter((child) => isControlledBy(child, object));
      const { message = "", ...facts } = object.status ?? {};
      const isExpanded = message === "" && children.length > 0 && Object.keys(facts).length > 0;
      return {
        ...identityOf(kind.kind.kind, object),
        state: isExpanded ? State.inSync : message && State.applying,
        message,
        children: children.map(({ kind: of, metadata }) => `${of} ${metadata.namespace}/${metadata.name}`),
      };
    });
  });
  return (await Promise.all(ofKinds)).flat();
}

/**
 * Returns the CNFStatus that the operator maintains, which is in sync when it has an entry for every CNF pod, and any others that users
 * created.
 */
export async function statusRows(reader: Reader): Promise<ObjectRow[]> {
  const [objects, pods] = await Promise.all([reader.list(CNFStatus), cnfPods(reader)]);
  return objects.toSorted(byKey).map((object) => {
    const identity = identityOf(CNFStatus.kind, object);
    const { information } = object.status ?? {};
    if (identity.name !== statusName)
      return {
        ...identity,
        state: State.idle,
        message: `The operator ignores this object: see the CNFStatus ${statusName}`,
      };
    const reported = new Set(
      information?.filter(({ status }) => status !== notAvailable).map((pod) => `${pod.namespace}/${pod.name}`),
    );
    const silent = pods
      .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
      .filter((pod) => !reported.has(pod));
    const state = silent.length === 0 ? State.inSync : State.applying;
    return { ...identity, state, message: silent.length === 0 ? "" : `${notAvailable}: ${silent.join(", ")}` };
  });
}
