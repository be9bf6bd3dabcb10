/** How requests are divided into shards: by their whole key, or by the namespace in it. */
export type ShardBy = "key" | "namespace";

/**
 * Returns the shard of a key, from 0 to `shards - 1`.
 *
 * The result must never change between versions: otherwise, replicas of two versions could work on the same object
 * during an upgrade. The shard is computed from the 64-bit FNV-1a hash of the UTF-8 text, which the API server also
 * uses for sharded lists and watches. The two halves of the hash are combined by exclusive or and passed through the
 * 32-bit finalizer of MurmurHash3, because the hash alone would put most names that differ only in a trailing number
 * into a few shards.
 *
 * @param key `namespace/name`, or `name` for a cluster-scoped object
 * @param by `namespace` puts all keys in a namespace into the same shard. Keys without a namespace are then divided by
 * name.
 * @see apimachinery pkg/sharding HashField (KEP-5866)
 */
export function shardOf(key: string, shards: number, by: ShardBy = "key"): number {
  const slash = by === "namespace" ? key.indexOf("/") : -1;
  const [high, low] = fnv1a(slash < 0 ? key : key.slice(0, slash));
  let mixed = high ^ low;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return Math.floor((((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32) * shards);
}

/**
 * Returns the two halves of the 64-bit FNV-1a hash of a text in UTF-8. Two numbers are several times faster than a
 * `bigint`.
 */
function fnv1a(text: string): readonly [high: number, low: number] {
  const bytes = isAscii.test(text) ? undefined : new TextEncoder().encode(text);
  const { length } = bytes ?? text;
  let high = 0xcbf2_9ce4;
  let low = 0x8422_2325;
  for (let at = 0; at < length; at++) {
    low = (low ^ (bytes?.[at] ?? text.charCodeAt(at))) >>> 0;
    // The prime is 2 ** 40 + 0x1b3. Products with 0x1b3 have at most 41 bits, so they are exact.
    const product = low * 0x1b3;
    high = (Math.imul(high, 0x1b3) + Math.floor(product / 2 ** 32) + (low << 8)) >>> 0;
    low = product >>> 0;
  }
  return [high, low];
}

const isAscii = /^[\0-\x7f]*$/;

/** Namespaces per shard below which ranges of hashes would not divide later namespaces evenly. */
const leastPerShard = 10;
/** Maximum number of ranges in a selector, which is part of a URL. */
const maxRanges = 64;

/**
 * Division of namespaces into shards by ranges of their FNV-1a hashes, which an API server with the feature `ShardedListAndWatch` can select.
 * Hashes of similar names are close together, so equal ranges would be uneven. The boundaries are the quantiles of the namespaces that
 * existed when the ranges were made.
 *
 * @see apiserver pkg/sharding (KEP-5866)
 */
export class ShardRanges {
  /** First hash of each shard but the first, as hexadecimal digits. */
  readonly #starts: readonly string[];
  readonly #parsed: readonly (readonly [high: number, low: number])[];

  private constructor(starts: readonly string[]) {
    this.#starts = starts;
    this.#parsed = starts.map((digits) => [
      Number.parseInt(digits.slice(0, 8), 16),
      Number.parseInt(digits.slice(8), 16),
    ]);
  }

  /** Returns ranges with equal numbers of namespaces. `undefined` if there are fewer than 10 namespaces for each shard. */
  static of(namespaces: readonly string[], shards: number): ShardRanges | undefined {
    const hashes = [...new Set(namespaces.map(digitsOf))].sort();
    if (hashes.length < leastPerShard * shards) return undefined;
    const starts = Array.from(
      { length: shards - 1 },
      (_, at) => hashes[Math.round(((at + 1) * hashes.length) / shards)],
    );
    return new ShardRanges(starts.filter((start) => start !== undefined));
  }

  /** Parses {@link text}. Returns `undefined` if it does not contain ranges for this number of shards. */
  static parse(text: string, shards: number): ShardRanges | undefined {
    const starts = text === "" ? [] : text.split(" ");
    const isValid = starts.every((start, at) => /^[0-9a-f]{16}$/.test(start) && start > (starts[at - 1] ?? ""));
    return isValid && starts.length === shards - 1 ? new ShardRanges(starts) : undefined;
  }

  get text(): string {
    return this.#starts.join(" ");
  }

  /** Returns the shard of a namespace. */
  shardOf(namespace: string): number {
    const [high, low] = fnv1a(namespace);
    let [from, to] = [0, this.#parsed.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      const [ofHigh = 0, ofLow = 0] = this.#parsed[middle] ?? [];
      if (high > ofHigh || (high === ofHigh && low >= ofLow)) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /**
   * Returns the selector of the namespaces of some shards. If they consist of more than 64 ranges, it also selects the smallest gaps between
   * them.
   *
   * @param shards numbers of the shards, in ascending order; at least one
   */
  selectorOf(shards: readonly number[]): string {
    const ranges: { from: number; to: number }[] = [];
    for (const shard of shards) {
      const last = ranges.at(-1);
      if (last?.to === shard) last.to++;
      else ranges.push({ from: shard, to: shard + 1 });
    }
    const gapAfter = (at: number): number => (ranges[at + 1]?.from ?? Number.POSITIVE_INFINITY) - (ranges[at]?.to ?? 0);
    while (ranges.length > maxRanges) {
      const least = ranges.reduce((best, _, at) => (gapAfter(at) < gapAfter(best) ? at : best), 0);
      const [next] = ranges.splice(least + 1, 1);
      const range = ranges[least];
      if (range && next) range.to = next.to;
    }
    const start = (shard: number): string =>
      shard === 0 ? "0".repeat(16) : (this.#starts[shard - 1] ?? `1${"0".repeat(16)}`);
    return ranges
      .map(({ from, to }) => `shardRange(object.metadata.namespace, '0x${start(from)}', '0x${start(to)}')`)
      .join(" || ");
  }
}

/** Returns the FNV-1a hash of a text as 16 hexadecimal digits. */
export const digitsOf = (text: string): string =>
  fnv1a(text)
    .map((half) => half.toString(16).padStart(8, "0"))
    .join("");

/**
 * Assigns every shard to a member, so that the numbers of shards that two members hold differ by at most one, and as
 * few shards as possible change holders. Members that know the same holders and members compute the same result.
 *
 * @param holders current holder of each shard, if any. A holder that is not a member loses its shards.
 * @returns the new holder of each shard, or `undefined` for all shards if there are no members
 */
export function assignShards(
  holders: readonly (string | undefined)[],
  members: Iterable<string>,
): readonly (string | undefined)[] {
  const held = new Map(Array.from(members, (member) => [member, 0]));
  for (const holder of holders) {
    const count = holder === undefined ? undefined : held.get(holder);
    if (holder !== undefined && count !== undefined) held.set(holder, count + 1);
  }
  // Members that hold more shards come first, because they keep the shards that cannot be divided evenly.
  const ordered = [...held].sort(([a, ofA], [b, ofB]) => ofB - ofA || (a < b ? -1 : 1)).map(([member]) => member);
  const share = Math.floor(holders.length / ordered.length);
  const rest = holders.length % ordered.length;
  const room = new Map(ordered.map((member, at) => [member, share + (at < rest ? 1 : 0)]));
  const take = (member: string | undefined): string | undefined => {
    const left = member === undefined ? 0 : (room.get(member) ?? 0);
    if (member === undefined || left === 0) return undefined;
    room.set(member, left - 1);
    return member;
  };
  const kept = holders.map(take);
  return kept.map((member) => member ?? take(ordered.find((other) => (room.get(other) ?? 0) > 0)));
}
