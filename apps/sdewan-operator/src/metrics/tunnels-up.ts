/** No CNF has more; what says so is not believed. */
const mostTunnels = 100_000;

/** How many tunnels stand, by what the ipsec module of a CNF says; nothing if it does not say it. */
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
