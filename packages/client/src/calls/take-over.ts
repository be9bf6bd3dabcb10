import {
  isRecord,
  type JsonPatchOperation,
  type Kind,
  type KubeObject,
  type ManagedFieldsEntry,
  type Stored,
} from "@kubewright/apimachinery";
import type { ApplyConfiguration } from "../contract/objects.ts";
import type { ApplyOptions, Writer } from "../contract/writer.ts";

/** Options for {@link applyAndTakeOver}: the new owner of the fields, and the former owners. */
export interface TakeOverOptions extends Omit<ApplyOptions, "force"> {
  /** New owner of the fields. */
  readonly fieldOwner: string;
  /**
   * Former owners, as in `manager` of `metadata.managedFields`. The name of a Go program's binary is usually its owner's name. Do not list
   * an owner whose fields must remain, such as `kubectl-edit`.
   */
  readonly from: readonly string[];
}

/**
 * Applies a configuration server-side with `force`, and takes ownership of all fields that the former owners wrote with
 * create, update or patch. Fields that only former owners wrote are removed if the configuration does not contain them,
 * as if the new owner had applied them before. Otherwise, the former owners would keep those fields, and no later apply
 * would remove them.
 *
 * The first call for an object sends three requests. Later calls send one request, like `client.apply`, until a former
 * owner writes the object again. Ignores fields of subresources, such as the status, and fields that former owners
 * applied server-side.
 *
 * @throws {StatusError} `Conflict` if the object changes between the requests; reconcile again
 * @see client-go util/csaupgrade UpgradeManagedFieldsPatch
 */
export async function applyAndTakeOver<T extends KubeObject>(
  client: Pick<Writer, "apply" | "patch">,
  kind: Kind<T>,
  configuration: ApplyConfiguration<NoInfer<T>>,
  { from, ...options }: TakeOverOptions,
): Promise<Stored<T>> {
  const apply = (): Promise<Stored<T>> => client.apply(kind, configuration, { ...options, force: true });
  const applied = await apply();
  const { managedFields = [], resourceVersion } = applied.metadata;
  const entries = withoutFormer(managedFields, options.fieldOwner, new Set(from));
  if (entries.length === managedFields.length || options.dryRun) return applied;
  const patch: JsonPatchOperation[] = [
    { op: "replace", path: "/metadata/managedFields", value: entries },
    // A test operation would fail with Invalid instead of Conflict.
    { op: "replace", path: "/metadata/resourceVersion", value: resourceVersion },
  ];
  await client.patch(kind, applied, patch, { ...options, type: "json" });
  return apply();
}

/**
 * Returns the entries without those of the former owners, whose fields are added to the entry of the new owner. Fields that a former owner
 * wrote in another API version are not added, because they may have other names there.
 */
function withoutFormer(
  entries: readonly ManagedFieldsEntry[],
  owner: string,
  from: ReadonlySet<string>,
): ManagedFieldsEntry[] {
  const isFormer = ({ manager = "", operation, subresource }: ManagedFieldsEntry): boolean =>
    operation === "Update" && !subresource && from.has(manager);
  const former = entries.filter(isFormer);
  return entries
    .filter((entry) => !isFormer(entry))
    .map((entry) => {
      if (entry.manager !== owner || entry.operation !== "Apply" || entry.subresource) return entry;
      const same = former.filter(({ apiVersion }) => apiVersion === entry.apiVersion);
      const fieldsV1 = same.reduce((fields, one) => union(fields, one.fieldsV1 ?? {}), entry.fieldsV1 ?? {});
      return { ...entry, fieldsV1 };
    });
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the union of two sets of fields. Each set is a tree, in which `{}` is a field without fields of its own. A field that has
 * fields in the tree is in the set itself only if it also contains `.`.
 */
function union(one: Fields, other: Fields): Record<string, unknown> {
  const all: Record<string, unknown> = Object.assign(Object.create(null), one);
  for (const [name, fields] of Object.entries(other)) all[name] = unionOfField(all[name], fields);
  return all;
}

function unionOfField(one: unknown, other: unknown): unknown {
  if (!isRecord(one)) return other;
  if (!isRecord(other)) return one;
  const isLeaf = (fields: Fields): boolean => Object.keys(fields).length === 0;
  if (isLeaf(one) && isLeaf(other)) return one;
  return { ...(isLeaf(one) || isLeaf(other) ? { ".": {} } : {}), ...union(one, other) };
}
