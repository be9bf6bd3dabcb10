import type { JsonMembers } from "@kubewright/apimachinery";
import { KeptMember, type Unread } from "./deferred-body.ts";
import { textAt } from "./parsed-value.ts";

/** Where the members of one object are in its bytes. Used again for the next object. */
export class MemberTable {
  count = 0;
  /** How many of them are left unread. */
  deferred = 0;
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  readonly isDeferred: boolean[] = [];
  /** Of those that are left unread, by their place among these: what is as in the previous version, and what is to be kept. */
  readonly #known: (Unread | undefined)[] = [];
  readonly #keeps: boolean[] = [];
  readonly #nameStarts: number[] = [];
  readonly #nameEnds: number[] = [];

  clear(): void {
    this.count = 0;
    this.deferred = 0;
  }

  add(
    { nameStart, nameEnd, valueStart, valueEnd }: JsonMembers,
    isDeferred: boolean,
    known?: Unread,
    keeps = false,
  ): void {
    const index = this.count++;
    this.#nameStarts[index] = nameStart;
    this.#nameEnds[index] = nameEnd;
    this.starts[index] = valueStart;
    this.ends[index] = valueEnd;
    this.isDeferred[index] = isDeferred;
    if (!isDeferred) return;
    this.#known[this.deferred] = known;
    this.#keeps[this.deferred++] = keeps;
  }

  /** What was the same was another object's. */
  forgetWhatIsSame(): void {
    this.#known.fill(undefined);
  }

  /** The JSON of each member that is left unread. */
  textsOf(bytes: Buffer): readonly Unread[] {
    const texts: Unread[] = [];
    for (let i = 0; i < this.count; i++) {
      if (!this.isDeferred[i]) continue;
      const known = this.#known[texts.length];
      const text = known ?? textAt(bytes, this.starts[i] as number, this.ends[i] as number);
      texts.push(typeof text === "string" && this.#keeps[texts.length] ? new KeptMember(text) : text);
    }
    return texts;
  }

  /** The name as it is written. */
  nameOf(bytes: Buffer, index: number): string {
    return textAt(bytes, this.#nameStarts[index] as number, this.#nameEnds[index] as number);
  }

  hasName(bytes: Buffer, index: number, name: Buffer): boolean {
    return isName(bytes, this.#nameStarts[index] as number, this.#nameEnds[index] as number, name);
  }
}

/** Whether the bytes from `start` to `end` are a name. */
export function isName(bytes: Buffer, start: number, end: number, name: Buffer): boolean {
  if (end - start !== name.length) return false;
  for (let i = 0; i < name.length; i++) if (bytes[start + i] !== name[i]) return false;
  return true;
}
