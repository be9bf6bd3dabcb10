/** A planted bug. */
export interface PlantedBug {
  readonly times?: { readonly switchAfterMs: number } | undefined;
  readonly appliesBlindly?: boolean | undefined;
  readonly neverStale?: boolean | undefined;
}

/** Switches as soon as configurations contain the next authority, and waits afterwards. */
export const switchesAtOnce = (): PlantedBug => ({ times: { switchAfterMs: 1 } });

/** Writes bundles into configurations regardless of their version. */
export const appliesBlindly = (): PlantedBug => ({ appliesBlindly: true });

/** Is ready although it has not read the Secret for long. */
export const neverStale = (): PlantedBug => ({ neverStale: true });
