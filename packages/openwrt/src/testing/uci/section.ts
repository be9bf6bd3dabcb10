/** An option, or a list. */
export type UciValue = string | readonly string[];

/** A section of a UCI file. */
export interface UciSection {
  /** The section's name, or `cfg...` for an anonymous one. */
  readonly id: string;
  readonly type: string;
  readonly anonymous: boolean;
  /** In the order of the file. */
  readonly options: ReadonlyMap<string, UciValue>;
}

/** Returns the id that UCI assigns to the anonymous section at this position: position and a hash of the type. */
export function anonymousId(type: string, position: number): string {
  let hash = 5381;
  for (const char of type) hash = (Math.imul(hash, 33) + char.charCodeAt(0)) >>> 0;
  return `cfg${position.toString(16).padStart(2, "0")}${(hash & 0xffff).toString(16).padStart(4, "0")}`;
}

/** Reports whether UCI can store a section with this name. */
export function isSectionName(name: string): boolean {
  return /^\w+$/.test(name);
}
