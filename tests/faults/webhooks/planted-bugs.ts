/** A bug put in on purpose. */
export interface PlantedBug {
  readonly times?: { readonly switchAfterMs: number } | undefined;
  readonly appliesBlindly?: boolean | undefined;
  readonly neverStale?: boolean | undefined;
}

/** Switches as soon as configurations were seen with the next authority, and waits afterwards. */
export const switchesAtOnce = (): PlantedBug => ({ times: { switchAfterMs: 1 } });

/** Puts bundles into configurations whatever version they have. */
export const appliesBlindly = (): PlantedBug => ({ appliesBlindly: true });

/** Is ready although it has not read the Secret for long. */
export const neverStale = (): PlantedBug => ({ neverStale: true });
