import type { JsonMembers } from "@kubewright/apimachinery";

/** Where the members of one object are in its bytes. Used again for the next object. */
export class MemberTable {
  count = 0;
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  readonly #nameStarts: number[] = [];
  readonly #nameEnds: number[] = [];

  clear(): void {
    this.count = 0;
  }

  add({ nameStart, nameEnd, valueStart, valueEnd }: JsonMembers): void {
    const index = this.count++;
    this.#nameStarts[index] = nameStart;
    this.#nameEnds[index] = nameEnd;
    this.starts[index] = valueStart;
    this.ends[index] = valueEnd;
  }

  /** The name as it is written. */
  nameOf(bytes: Buffer, index: number): string {
    return bytes.toString("utf8", this.#nameStarts[index], this.#nameEnds[index]);
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
