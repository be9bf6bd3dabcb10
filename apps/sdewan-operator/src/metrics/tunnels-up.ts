/** Maximum plausible number of tunnels of a CNF. A larger number is ignored. */
const mostTunnels = 100_000;

/** Returns the number of tunnels that are up, according to the ipsec module of a CNF; undefined if the module does not report it. */
export function tunnelsUp(status: unknown): number | undefined {
  if (typeof status !== "object" || status === null || !("details" in status)) return undefined;
  const { details } = status;
  if (!Array.isArray(details)) return undefined;
  const counts = details.flatMap((detail: unknown) =>
    typeof detail === "object" && detail !== null && "up" in detail ? [Number(detail.up)] : [],
  );
  const sum = counts.reduce((total, count) => total + count, 0);
  return Number.isSafeInteger(sum) && sum >= 0 && sum <= mostTunnels ? sum : undefined;
}
