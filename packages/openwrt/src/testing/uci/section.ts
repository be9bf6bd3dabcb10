/** An option, or a list. */
export type UciValue = string | readonly string[];

export interface UciSection {
  /** The section's name, or `cfg...` for one without. */
  readonly id: string;
  readonly type: string;
  readonly anonymous: boolean;
  /** In the order of the file. */
  readonly options: ReadonlyMap<string, UciValue>;
}

/** The id that UCI gives to the section without a name at this place: position, and a hash of the type. */
export function anonymousId(type: string, position: number): string {
  let hash = 5381;
  for (const char of type) hash = (Math.imul(hash, 33) + char.charCodeAt(0)) >>> 0;
  return `cfg${position.toString(16).padStart(2, "0")}${(hash & 0xffff).toString(16).padStart(4, "0")}`;
}

/** Whether UCI can hold a section of this name. */
export function isSectionName(name: string): boolean {
  return /^\w+$/.test(name);
}
