import {
  createMergePatch,
  type DeepReadonly,
  type KeyLike,
  type Kind,
  type KubeObject,
  type Stored,
  semanticEqual,
} from "@kubewright/apimachinery";
import type { Creatable, PatchBody, StatusOf } from "../contract/objects.ts";
import type { CallOptions } from "../contract/reader.ts";
import type { ReadWriter } from "../contract/writer.ts";
import type { OperationResult } from "./create-or-update.ts";
import { drafted, isSameVersion, type Mutate } from "./drafted.ts";

/**
 * The result of {@link createOrPatch}. `updatedStatus`: object and status; `updatedStatusOnly`: only the status.
 *
 * @see controller-runtime controllerutil OperationResult
 */
export type PatchOperationResult = OperationResult | "updatedStatus" | "updatedStatusOnly";

/**
 * Reads the object, lets `mutate` set the desired state, and creates the object, or sends the differences as merge patches: one of the
 * object, and one of its status. Nothing is sent if the states are semantically equal (see `createOrUpdate`). The status is not written on
 * creation.
 *
 * Patches contain no resource version: concurrent changes to other fields are kept, those to the same fields are overwritten.
 *
 * @throws {Error} if `mutate` changed the name or the namespace
 * @see controller-runtime pkg/controller/controllerutil CreateOrPatch
 */
export async function createOrPatch<T extends KubeObject>(
  client: ReadWriter,
  kind: Kind<T>,
  key: KeyLike,
  mutate: Mutate<NoInfer<T>>,
  options: CallOptions = {},
): Promise<Stored<DeepReadonly<T>>> {
  return (await createOrPatchWithResult(client, kind, key, mutate, options)).object;
}

/** Like {@link createOrPatch}, but returns the result in addition to the object. */
export async function createOrPatchWithResult<T extends KubeObject>(
  client: ReadWriter,
  kind: Kind<T>,
  key: KeyLike,
  mutate: Mutate<NoInfer<T>>,
  options: CallOptions = {},
): Promise<{ readonly object: Stored<DeepReadonly<T>>; readonly result: PatchOperationResult }> {
  const { present, draft } = await drafted("createOrPatch", { reader: client, kind, key }, mutate, options);
  if (!present) {
    const object = (await client.create(kind, draft as Creatable<T>, options)) as Stored<DeepReadonly<T>>;
    return { object, result: "created" };
  }
  const { object: patch, status } = differences(present, draft);
  let object = present;
  if (patch) object = (await client.patch(kind, key, patch as PatchBody<T>, options)) as Stored<DeepReadonly<T>>;
  const isUpdated = !isSameVersion(present, object);
  if (!status) return { object, result: isUpdated ? "updated" : "unchanged" };
  const before = object;
  const patched = await client.status.patch(kind, key, status as PatchBody<StatusOf<T>>, options);
  object = patched as Stored<DeepReadonly<T>>;
  if (isSameVersion(before, object)) return { object, result: isUpdated ? "updated" : "unchanged" };
  return { object, result: isUpdated ? "updatedStatus" : "updatedStatusOnly" };
}

/** Returns the required patches of the object without its status, and of its status. */
function differences(present: object, draft: object): { object: object | undefined; status: object | undefined } {
  const [before, after] = [withoutStatus(present), withoutStatus(draft)];
  return {
    object: semanticEqual(before.rest, after.rest) ? undefined : createMergePatch(before.rest, after.rest),
    status: semanticEqual(before.status, after.status) ? undefined : createMergePatch(before.status, after.status),
  };
}

function withoutStatus(object: object): { rest: object; status: object } {
  const { status, ...rest }: { status?: object } = object;
  return { rest, status: status ?? {} };
}
