import type { JsonMembers } from "@kubewright/apimachinery";
import { KeptMember, type UnreadMember } from "./deferred-members.ts";
import { isName, textAt } from "./parsed-value.ts";

/** Positions of an object's members in its bytes. One table is reused for one object after another. */
export class MemberTable {
  count = 0;
  /** Number of deferred members. */
  deferred = 0;
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  readonly isDeferred: boolean[] = [];
  /** By position among the deferred members: the member of the previous version if it is the same. */
  readonly #same: (UnreadMember | undefined)[] = [];
  /** By position among the deferred members: true if the text must be kept when the member is read. */
  readonly #keepsText: boolean[] = [];
  readonly #nameStarts: number[] = [];
  readonly #nameEnds: number[] = [];

  clear(): void {
    this.count = 0;
    this.deferred = 0;
  }

  add(
    { nameStart, nameEnd, valueStart, valueEnd }: JsonMembers,
    isDeferred: boolean,
    same?: UnreadMember,
    keepsText = false,
  ): void {
    const index = this.count++;
    this.#nameStarts[index] = nameStart;
    this.#nameEnds[index] = nameEnd;
    this.starts[index] = valueStart;
    this.ends[index] = valueEnd;
    this.isDeferred[index] = isDeferred;
    if (!isDeferred) return;
    this.#same[this.deferred] = same;
    this.#keepsText[this.deferred++] = keepsText;
  }

  /** Called when the previous version turns out to belong to another object. */
  forgetPrevious(): void {
    this.#same.fill(undefined);
  }

  /** Returns the deferred members in the order in which the object has them. */
  deferredOf(bytes: Buffer): readonly UnreadMember[] {
    const members: UnreadMember[] = [];
    for (let i = 0; i < this.count; i++) {
      if (!this.isDeferred[i]) continue;
      const place = members.length;
      const member = this.#same[place] ?? textAt(bytes, this.starts[i] as number, this.ends[i] as number);
      members.push(typeof member === "string" && this.#keepsText[place] ? new KeptMember(member) : member);
    }
    return members;
  }

  /** Returns the name between its quotes, with escapes unresolved. */
  nameOf(bytes: Buffer, index: number): string {
    return textAt(bytes, this.#nameStarts[index] as number, this.#nameEnds[index] as number);
  }

  hasName(bytes: Buffer, index: number, name: Buffer): boolean {
    return isName(bytes, this.#nameStarts[index] as number, this.#nameEnds[index] as number, name);
  }
}
