import {
  type DeepReadonly,
  ignoreNotFound,
  isConflict,
  isNoMatch,
  isStatusError,
  keyOf,
} from "@kubewright/apimachinery";
import type { ReadWriter } from "@kubewright/client";
import { State } from "../api/status.ts";
import type { RuleObject } from "../uci/cnf-kind.ts";
import { childPatch, newChild } from "./child-patch.ts";
import type { Child, Composite, CompositeKind } from "./composite-kind.ts";
import { type ExistingChild, idOf } from "./existing-children.ts";

const maxNameLength = 253;

/** The reasons why children are not in the desired state, in the order of the children. Empty if all of them are. */
export type Problems = readonly string[];

/** Creates, updates and deletes the children of composites. */
export class ChildWriter {
  readonly #kind: CompositeKind;
  readonly #client: ReadWriter;

  constructor(kind: CompositeKind, client: ReadWriter) {
    this.#kind = kind;
    this.#client = client;
  }

  /**
   * Deletes surplus children, updates children that differ in place, and creates missing children.
   *
   * @throws {StatusError} for conflicts and for errors that may be temporary
   */
  async sync(object: Composite, desired: readonly Child[], existing: readonly ExistingChild[]): Promise<Problems> {
    const tooLong = desired.find(({ name }) => name.length > maxNameLength);
    if (tooLong)
      return [
        `Invalid name: the ${tooLong.kind.kind} ${tooLong.name} would have a name longer than ${maxNameLength} characters`,
      ];
    const ids = new Set(desired.map((child) => idOf(child, child.name)));
    const problems = await this.remove(existing.filter((each) => !ids.has(idOf(each, each.object.metadata.name))));
    const byId = new Map(existing.map((each) => [idOf(each, each.object.metadata.name), each]));
    const results = desired.map((child) => this.#write(object, child, byId.get(idOf(child, child.name))));
    return [...problems, ...(await allOf(results)).flatMap((problem) => problem ?? [])];
  }

  /**
   * Requests the deletion of children.
   *
   * @returns the children that still exist
   */
  async remove(children: readonly ExistingChild[]): Promise<Problems> {
    const deletions = children.map(async ({ kind, object }) => {
      if (object.metadata.deletionTimestamp) return waitingForDeletion(kind, object);
      const { uid } = object.metadata;
      return this.#refusal(kind, async () => {
        await this.#client.delete(kind, keyOf(object), { preconditions: { uid } }).catch(ignoreNotFound);
        return waitingForDeletion(kind, object);
      });
    });
    return (await allOf(deletions)).flatMap((problem) => problem ?? []);
  }

  async #write(object: Composite, child: Child, existing: ExistingChild | undefined): Promise<string | undefined> {
    const { kind } = child;
    if (existing?.object.metadata.deletionTimestamp) return waitingForDeletion(kind, existing.object);
    if (existing) {
      const patch = childPatch(object, child, existing.object);
      if (!patch) return waitingFor(kind, existing.object);
      return this.#refusal(kind, async () => {
        // This request fails if someone else has adopted the object, which had no owner, in the meantime.
        const optimisticLock = patch.metadata.ownerReferences !== undefined;
        await this.#client.patch(kind, existing.object, patch, { optimisticLock });
        return `waiting for ${kind.kind} ${child.name}`;
      });
    }
    const { namespace } = object.metadata;
    if (await this.#client.get(kind, { namespace, name: child.name }).catch(ignoreNotFound))
      return `${kind.kind} ${namespace}/${child.name} exists and does not belong to this ${this.#kind.kind.kind}`;
    return this.#refusal(kind, async () => {
      await this.#client.create(kind, newChild(object, child));
      return `waiting for ${kind.kind} ${child.name}`;
    });
  }

  /** Returns a permanent rejection by the API server as a message. Throws errors that may be temporary. */
  async #refusal(kind: Child["kind"], write: () => Promise<string>): Promise<string> {
    try {
      return await write();
    } catch (error) {
      if (isNoMatch(error)) return `waiting for the kind ${kind.kind}: install its CRD`;
      const code = isStatusError(error) ? (error.status.code ?? 0) : 0;
      if (isConflict(error) || code < 400 || code >= 500 || code === 429) throw error;
      return `${kind.kind} refused: ${error instanceof Error ? error.message : error}`;
    }
  }
}

/**
 * Waits until all promises have settled, and returns the results.
 *
 * @throws the first error
 */
async function allOf<T>(promises: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

type Rule = DeepReadonly<RuleObject>;

/** Returns the reason why a child is not in sync, or undefined if it is. */
function waitingFor({ kind }: Child["kind"], child: Rule): string | undefined {
  const { metadata, status } = child;
  if (status?.state === State.inSync && status.appliedGeneration === metadata.generation) return undefined;
  return `waiting for ${kind} ${metadata.name}${stateOf(child)}`;
}

/** Returns the message about a deleted child that still exists. */
const waitingForDeletion = ({ kind }: Child["kind"], child: Rule): string =>
  `waiting for ${kind} ${child.metadata.name} to be deleted${stateOf(child)}`;

/** Returns the child's own state and message if the child is not in sync. */
const stateOf = ({ status }: Rule): string =>
  status === undefined || status.state === State.inSync
    ? ""
    : [``, status.state, status.message].filter((text) => text !== undefined).join(": ");
