/** Value of an option, or of a list. */
export type UciValue = string | readonly string[];

/** A section of a UCI file. */
export interface UciSection {
  /** Name of the section, or `cfg...` if the section is anonymous. */
  readonly id: string;
  readonly type: string;
  readonly anonymous: boolean;
  /** Options of the section, in the order of the file. */
  readonly options: ReadonlyMap<string, UciValue>;
}

/** Returns the ID that UCI assigns to the anonymous section at a position. The ID contains the position and a hash of the type. */
export function anonymousId(type: string, position: number): string {
  let hash = 5381;
  for (const char of type) hash = (Math.imul(hash, 33) + char.charCodeAt(0)) >>> 0;
  return `cfg${position.toString(16).padStart(2, "0")}${(hash & 0xffff).toString(16).padStart(4, "0")}`;
}

/** Reports whether UCI can store a section with the given name. */
export function isSectionName(name: string): boolean {
  return /^\w+$/.test(name);
}
