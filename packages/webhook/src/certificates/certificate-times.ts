/** How long things last and are waited for, in ms. */
export interface CertificateTimes {
  /** Of a certificate authority; the next one is announced at two thirds of it. Default: 3 years. */
  readonly caLifetimeMs: number;
  /** Of a certificate. Default: 90 days. */
  readonly lifetimeMs: number;
  /** How old a certificate gets. Default: 60 days. */
  readonly renewAfterMs: number;
  /** From when configurations were seen with the next authority until it issues: API servers hear of them late. Default: 2 minutes. */
  readonly switchAfterMs: number;
  /** From then until the old authority is no longer trusted. Default: an hour. */
  readonly retireAfterMs: number;
  /** A replica that has not read the Secret for so long does not pass its check: it may serve what is no longer trusted. Default: 30 minutes. */
  readonly staleAfterMs: number;
  /** How often Secret and configurations are read. Default: 30 s. */
  readonly intervalMs: number;
  /** What clocks of replicas differ by at most. Default: 10 minutes. */
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

/** @throws {RangeError} for times with which a certificate could be served that is not trusted */
export function certificateTimes(
  given: { readonly [K in keyof CertificateTimes]?: number | undefined } = {},
): CertificateTimes {
  const times: { -readonly [K in keyof CertificateTimes]: number } = { ...defaults };
  for (const name of Object.keys(defaults) as (keyof CertificateTimes)[]) {
    const value = given[name];
    if (value === undefined) continue;
    if (!(value > 0 && Number.isFinite(value)))
      throw new RangeError(`${name} must be a positive number of ms, got ${value}`);
    times[name] = value;
  }
  const ordered = (lesser: keyof CertificateTimes, greater: keyof CertificateTimes): void => {
    if (times[lesser] >= times[greater])
      throw new RangeError(`${lesser} must be below ${greater}, got ${times[lesser]} and ${times[greater]}`);
  };
  ordered("staleAfterMs", "retireAfterMs"); // else a replica serves what has been retired
  ordered("intervalMs", "staleAfterMs");
  ordered("renewAfterMs", "lifetimeMs");
  ordered("lifetimeMs", "caLifetimeMs");
  if (times.switchAfterMs + times.retireAfterMs >= times.caLifetimeMs / 3)
    throw new RangeError("switchAfterMs and retireAfterMs must fit into the last third of caLifetimeMs");
  return times;
}
