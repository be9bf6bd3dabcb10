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

/**
 * Label of the ConfigMaps in the hub that are copied to the members. Its value
 * does not matter.
 */
export const wanted = "hub.example.com/copy";
/** Label of the copies. The program ignores all other objects in a member. */
export const copied = "hub.example.com/copied";

const has = (
  label: string,
  object: DeepReadonly<KubeObject> | undefined,
): boolean => object?.metadata.labels?.[label] !== undefined;
/** Passes events of objects that have a label, or had it before. */
const labelled =
  (label: string): Predicate =>
  (event) =>
    has(label, event.object) ||
    (event.type === "update" && has(label, event.old));

/**
 * Adds a controller that copies labeled ConfigMaps from the manager's own
 * cluster, the hub, to `member`.
 */
export function addCopyController(manager: Manager, member: Cluster): void {
  manager.add(member);
  const copies = kindSource(member.cache, ConfigMap, {
    handler: enqueueRequestForObject(),
    predicates: [labelled(copied)],
  });
  controllerManagedBy(manager)
    .named("copy")
    .for(ConfigMap, { predicates: [labelled(wanted)] })
    .watchesRawSource(copies)
    .complete(async (request, { client: hub, log }) => {
      const key = splitKey(request);
      const original = await hub.get(ConfigMap, key).catch(ignoreNotFound);
      const copy = await member.client
        .get(ConfigMap, key)
        .catch(ignoreNotFound);
      if (copy && !has(copied, copy))
        return log.warn(
          {},
          "not copied: the member has its own object with this name",
        );
      if (
        original &&
        has(wanted, original) &&
        !original.metadata.deletionTimestamp
      ) {
        const { data, binaryData } = original;
        const metadata = { ...key, labels: { [copied]: "yes" } };
        // The apply is forced only for a known copy, because the cache may not
        // yet contain an object that someone else has just created.
        const force = copy !== undefined;
        await member.client.apply(
          ConfigMap,
          { metadata, data, binaryData },
          { force },
        );
      } else if (copy) {
        await member.client.delete(ConfigMap, key).catch(ignoreNotFound);
        log.info({}, "deleted the copy");
      }
    });
}
