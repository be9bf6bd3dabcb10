const shortNames = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
] as const;

/** Formats access modes for tables, such as `RWO,ROX`. */
export function accessModesCell(modes: readonly string[] | undefined): string {
  return shortNames.flatMap(([mode, short]) => (modes?.includes(mode) ? [short] : [])).join(",");
}
