const shortNames = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
] as const;

/** Access modes as tables show them: `RWO,ROX`. */
export function accessModesCell(modes: readonly string[] | undefined): string {
  return shortNames.flatMap(([mode, short]) => (modes?.includes(mode) ? [short] : [])).join(",");
}
