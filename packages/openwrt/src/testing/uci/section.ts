/** The value of an option or list. */
export type UciValue = string | readonly string[];

/** A section in a UCI file. */
export interface UciSection {
  /** Name of the section, or `cfg...` if the section is anonymous. */
  readonly id: string;
  readonly type: string;
  readonly anonymous: boolean;
  /** Options of the section, in the order of the file. */
  readonly options: ReadonlyMap<string, UciValue>;
}

/**
 * Returns the ID that UCI assigns to an anonymous section. It contains the section's position and a hash of its type.
 */
export function anonymousId(type: string, position: number): string {
  let hash = 5381;
  for (const char of type) hash = (Math.imul(hash, 33) + char.charCodeAt(0)) >>> 0;
  return `cfg${position.toString(16).padStart(2, "0")}${(hash & 0xffff).toString(16).padStart(4, "0")}`;
}

/** Reports whether UCI can store a section with the given name. */
export function isSectionName(name: string): boolean {
  return /^\w+$/.test(name);
}
