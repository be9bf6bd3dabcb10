/** Lifetimes and waiting times, in milliseconds. */
export interface CertificateTimes {
  /** Lifetime of a CA. The next CA is announced after two thirds of it. Default: 3 years. */
  readonly caLifetimeMs: number;
  /** Lifetime of a certificate. Default: 90 days. */
  readonly lifetimeMs: number;
  /** Age at which a certificate is renewed. Default: 60 days. */
  readonly renewAfterMs: number;
  /**
   * Time from when all configurations contain the next CA until this CA begins to issue certificates. The delay is
   * necessary because API servers see changes late. Default: 2 minutes.
   */
  readonly switchAfterMs: number;
  /** Time from when the next CA issues certificates until the old CA is no longer trusted. Default: an hour. */
  readonly retireAfterMs: number;
  /**
   * Time after which a replica that could not read the Secret fails its readiness check, because its certificate may no longer be trusted.
   * Default: 30 minutes.
   */
  readonly staleAfterMs: number;
  /** Interval between reads of the Secret and the configurations. Default: 30 s. */
  readonly intervalMs: number;
  /** Maximum difference between replicas' clocks. Default: 10 minutes. */
  readonly clockSkewMs: number;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

const defaults: CertificateTimes = {
  caLifetimeMs: 3 * 365 * dayMs,
  lifetimeMs: 90 * dayMs,
  renewAfterMs: 60 * dayMs,
  switchAfterMs: 2 * minuteMs,
  retireAfterMs: 60 * minuteMs,
  staleAfterMs: 30 * minuteMs,
  intervalMs: 30_000,
  clockSkewMs: 10 * minuteMs,
};

/**
 * Returns the times with defaults applied.
 *
 * @throws {RangeError} if an untrusted certificate could be served with these times
 */
export function certificateTimes(
  given: { readonly [K in keyof CertificateTimes]?: number | undefined } = {},
): CertificateTimes {
  const times: { -readonly [K in keyof CertificateTimes]: number } = { ...defaults };
  for (const name of Object.keys(defaults) as (keyof CertificateTimes)[]) {
    const value = given[name];
    if (value === undefined) continue;
    if (!(value > 0 && Number.isFinite(value)))
      throw new RangeError(`${name} must be a positive number of milliseconds, got ${value}`);
    times[name] = value;
  }
  const ordered = (lesser: keyof CertificateTimes, greater: keyof CertificateTimes): void => {
    if (times[lesser] >= times[greater])
      throw new RangeError(`${lesser} must be below ${greater}, got ${times[lesser]} and ${times[greater]}`);
  };
  ordered("staleAfterMs", "retireAfterMs"); // otherwise a replica serves a retired certificate
  ordered("intervalMs", "staleAfterMs");
  ordered("renewAfterMs", "lifetimeMs");
  ordered("lifetimeMs", "caLifetimeMs");
  if (times.switchAfterMs + times.retireAfterMs >= times.caLifetimeMs / 3)
    throw new RangeError("the sum of switchAfterMs and retireAfterMs must be less than a third of caLifetimeMs");
  return times;
}
