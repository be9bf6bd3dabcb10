/** Maximum size or cost. Larger values are reduced to this maximum. */
export const maxEstimate = 2 ** 64;

/** Lower and upper bounds of an unknown number. */
export interface Estimate {
  readonly min: number;
  readonly max: number;
}

const capped = (value: number): number => (Number.isNaN(value) ? 0 : Math.min(value, maxEstimate));

/** Functions that calculate with lower and upper bounds. @see cel-go checker/cost.go */
export const estimate = {
  unknown: { min: 0, max: maxEstimate } as Estimate,
  zero: { min: 0, max: 0 } as Estimate,
  of: (value: number): Estimate => ({ min: value, max: value }),
  add: (...parts: readonly Estimate[]): Estimate => ({
    min: capped(parts.reduce((sum, { min }) => sum + min, 0)),
    max: capped(parts.reduce((sum, { max }) => sum + max, 0)),
  }),
  multiply: (a: Estimate, b: Estimate): Estimate => ({ min: capped(a.min * b.min), max: capped(a.max * b.max) }),
  scale: ({ min, max }: Estimate, factor: number): Estimate => ({
    min: capped(Math.ceil(min * factor)),
    max: capped(Math.ceil(max * factor)),
  }),
  union: (a: Estimate, b: Estimate): Estimate => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) }),
};
