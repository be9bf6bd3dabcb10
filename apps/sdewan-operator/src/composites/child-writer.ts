import { ignoreNotFound, isConflict, isNoMatch, isStatusError, keyOf } from "@kubewright/apimachinery";
import type { ReadWriter } from "@kubewright/client";
import { childPatch, newChild } from "./child-patch.ts";
import type { Child, Composite, CompositeKind } from "./composite-kind.ts";
import { type ExistingChild, idOf } from "./existing-children.ts";
import { waitingFor, waitingForGone } from "./waiting.ts";

const longestName = 253;

/** Why children are not as wanted, if they are not; in the order of the children. */
export type Complaints = readonly string[];

/** Makes the children of composites what they shall be. */
export class ChildWriter {
  readonly #kind: CompositeKind;
  readonly #client: ReadWriter;

  constructor(kind: CompositeKind, client: ReadWriter) {
    this.#kind = kind;
    this.#client = client;
  }

  /**
   * Deletes surplus children, changes in place those that differ, creates what is missing.
   *
   * @throws {StatusError} a conflict, if somebody else was quicker, or what may be over at the next try
   */
  async sync(object: Composite, wanted: readonly Child[], existing: readonly ExistingChild[]): Promise<Complaints> {
    const tooLong = wanted.find(({ name }) => name.length > longestName);
    if (tooLong)
      return [
        `Invalid name: the ${tooLong.kind.kind} ${tooLong.name} would have a name longer than ${longestName} characters`,
      ];
    const ids = new Set(wanted.map((child) => idOf(child, child.name)));
    const complaints = await this.remove(existing.filter((each) => !ids.has(idOf(each, each.object.metadata.name))));
    const byId = new Map(existing.map((each) => [idOf(each, each.object.metadata.name), each]));
    const results = wanted.map((child) => this.#write(object, child, byId.get(idOf(child, child.name))));
    return [...complaints, ...(await allOf(results)).flatMap((complaint) => complaint ?? [])];
  }

  /** Asks for the deletion of children. @returns which are still there */
  async remove(children: readonly ExistingChild[]): Promise<Complaints> {
    const deletions = children.map(async ({ kind, object }) => {
      if (object.metadata.deletionTimestamp) return waitingForGone(kind, object);
      const { uid } = object.metadata;
      return this.#refusal(kind, async () => {
        await this.#client.delete(kind, keyOf(object), { preconditions: { uid } }).catch(ignoreNotFound);
        return waitingForGone(kind, object);
      });
    });
    return (await allOf(deletions)).flatMap((complaint) => complaint ?? []);
  }

  async #write(object: Composite, child: Child, existing: ExistingChild | undefined): Promise<string | undefined> {
    const { kind } = child;
    if (existing?.object.metadata.deletionTimestamp) return waitingForGone(kind, existing.object);
    if (existing) {
      const patch = childPatch(object, child, existing.object);
      if (!patch) return waitingFor(kind, existing.object);
      return this.#refusal(kind, async () => {
        // Whoever else makes one without an owner his own must not have done so meanwhile.
        const optimisticLock = patch.metadata.ownerReferences !== undefined;
        await this.#client.patch(kind, existing.object, patch, { optimisticLock });
        return `waiting for ${kind.kind} ${child.name}`;
      });
    }
    const { namespace } = object.metadata;
    if (await this.#client.get(kind, { namespace, name: child.name }).catch(ignoreNotFound))
      return `${kind.kind} ${namespace}/${child.name} exists and is not of this ${this.#kind.kind.kind}`;
    return this.#refusal(kind, async () => {
      await this.#client.create(kind, newChild(object, child));
      return `waiting for ${kind.kind} ${child.name}`;
    });
  }

  /** What the API server refuses for good is a complaint; what may be over at the next try is thrown. */
  async #refusal(kind: Child["kind"], write: () => Promise<string>): Promise<string> {
    try {
      return await write();
    } catch (error) {
      if (isNoMatch(error)) return `waiting for the kind ${kind.kind} to be served: its definition is missing`;
      const code = isStatusError(error) ? (error.status.code ?? 0) : 0;
      if (isConflict(error) || code < 400 || code >= 500 || code === 429) throw error;
      return `${kind.kind} refused: ${error instanceof Error ? error.message : error}`;
    }
  }
}

/** All results, once all have settled. @throws what the first that failed threw */
async function allOf<T>(promises: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
