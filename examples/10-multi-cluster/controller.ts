import {
  type Cluster,
  controllerManagedBy,
  type DeepReadonly,
  enqueueRequestForObject,
  ignoreNotFound,
  type KubeObject,
  kindSource,
  type Manager,
  type Predicate,
  splitKey,
} from "kubewright";
import { ConfigMap } from "kubewright/kinds";

/** On ConfigMaps of the hub, whatever its value: members get a copy. */
export const wanted = "hub.example.com/copy";
/** On the copies: what else is in a member is nobody's business here. */
export const copied = "hub.example.com/copied";

const has = (label: string, object: DeepReadonly<KubeObject> | undefined): boolean =>
  object?.metadata.labels?.[label] !== undefined;
/** Events of objects that have a label, or had it until now. */
const labelled =
  (label: string): Predicate =>
  (event) =>
    has(label, event.object) || (event.type === "update" && has(label, event.old));

/** Keeps copies in `member` of what is marked in the manager's own cluster, the hub. */
export function addCopyController(manager: Manager, member: Cluster): void {
  manager.add(member);
  const copies = kindSource(member.cache, ConfigMap, {
    handler: enqueueRequestForObject(),
    predicates: [labelled(copied)],
  });
  controllerManagedBy(manager)
    .named("copy")
    .for(ConfigMap, { predicates: [labelled(wanted)] })
    .watchesSource(copies)
    .complete(async (request, { client: hub, log }) => {
      const key = splitKey(request);
      const original = await hub.get(ConfigMap, key).catch(ignoreNotFound);
      const copy = await member.client.get(ConfigMap, key).catch(ignoreNotFound);
      if (copy && !has(copied, copy)) return log.warn({}, "not copied: the member has one of its own");
      if (original && has(wanted, original) && !original.metadata.deletionTimestamp) {
        const { data, binaryData } = original;
        const metadata = { ...key, labels: { [copied]: "yes" } };
        // Forced only where it is known to be a copy: the cache may not show yet what somebody else has just made.
        const force = copy !== undefined;
        await member.client.apply(ConfigMap, { metadata, data, binaryData }, { force });
      } else if (copy) {
        await member.client.delete(ConfigMap, key).catch(ignoreNotFound);
        log.info({}, "deleted the copy");
      }
    });
}
