import { type Network, networkOf } from "../uci/networks.ts";

/** A condition on a packet's mark: `(mark & mask) === value`, or the opposite if `inverted`. */
export interface Mark {
  readonly value: number;
  readonly mask: number;
  readonly inverted: boolean;
}

/**
 * A condition on a packet's ICMP type, with codes from `minCode` to `maxCode`. The type is a number, or a name whose
 * number is unknown.
 */
export interface IcmpType {
  readonly type: number | string;
  readonly minCode: number;
  readonly maxCode: number;
}

/** The set of packets that have all of these properties. An undefined property does not restrict the set. */
export interface PacketSet {
  readonly family: 4 | 6;
  readonly protocol?: number | undefined;
  readonly source?: Network | undefined;
  readonly destination?: Network | undefined;
  readonly sourcePort?: number | undefined;
  readonly destinationPort?: number | undefined;
  readonly icmp?: IcmpType | undefined;
  readonly mac?: string | undefined;
  readonly mark?: Mark | undefined;
  readonly incoming?: string | undefined;
  readonly outgoing?: string | undefined;
}

/** Reports whether all packets in the inner set are also in the outer set. Returns false if this is uncertain. */
export const contains = (outer: PacketSet, inner: PacketSet): boolean =>
  outer.family === inner.family &&
  equals(outer.destinationPort, inner.destinationPort) &&
  equals(outer.protocol, inner.protocol) &&
  equals(outer.incoming, inner.incoming) &&
  equals(outer.outgoing, inner.outgoing) &&
  within(containsNetwork, outer.source, inner.source) &&
  within(containsNetwork, outer.destination, inner.destination) &&
  equals(outer.sourcePort, inner.sourcePort) &&
  equals(outer.mac, inner.mac) &&
  within(containsIcmp, outer.icmp, inner.icmp) &&
  within(containsMark, outer.mark, inner.mark);

/** Reports whether a packet may be in both sets. Returns true if this is uncertain. */
export const overlaps = (a: PacketSet, b: PacketSet): boolean =>
  a.family === b.family &&
  mayEqual(a.protocol, b.protocol) &&
  mayEqual(a.destinationPort, b.destinationPort) &&
  mayEqual(a.sourcePort, b.sourcePort) &&
  mayEqual(a.incoming, b.incoming) &&
  mayEqual(a.outgoing, b.outgoing) &&
  mayEqual(a.mac, b.mac) &&
  mayMeet((one, other) => containsNetwork(one, other) || containsNetwork(other, one), a.source, b.source) &&
  mayMeet((one, other) => containsNetwork(one, other) || containsNetwork(other, one), a.destination, b.destination) &&
  mayMeet(haveCommonCodes, a.icmp, b.icmp) &&
  mayMeet((one, other) => !containsMark(inverse(one), other), a.mark, b.mark);

function mayMeet<T>(meet: (a: T, b: T) => boolean, a: T | undefined, b: T | undefined): boolean {
  return a === undefined || b === undefined || meet(a, b);
}

const mayEqual = (a: number | string | undefined, b: number | string | undefined): boolean =>
  a === undefined || b === undefined || a === b;

const haveCommonCodes = (a: IcmpType, b: IcmpType): boolean =>
  a.type === b.type && a.minCode <= b.maxCode && b.minCode <= a.maxCode;

const inverse = (mark: Mark): Mark => ({ ...mark, inverted: !mark.inverted });

function within<T>(contained: (outer: T, inner: T) => boolean, outer: T | undefined, inner: T | undefined): boolean {
  return outer === undefined || (inner !== undefined && contained(outer, inner));
}

const equals = (outer: number | string | undefined, inner: number | string | undefined): boolean =>
  outer === undefined || outer === inner;

const containsNetwork = (outer: Network, inner: Network): boolean =>
  outer.bits <= inner.bits && networkOf(inner.address, outer.bits) === outer.address;

const containsIcmp = (outer: IcmpType, inner: IcmpType): boolean =>
  outer.type === inner.type && outer.minCode <= inner.minCode && inner.maxCode <= outer.maxCode;

function containsMark(outer: Mark, inner: Mark): boolean {
  if (inner.inverted) return outer.inverted && isPart(inner, outer);
  return outer.inverted ? areDisjoint(outer, inner) : isPart(outer, inner);
}

/** Reports whether every mark that has the bits of `inner` also has the bits of `outer`. */
const isPart = (outer: Mark, inner: Mark): boolean =>
  (outer.mask & inner.mask) >>> 0 === outer.mask && (inner.value & outer.mask) >>> 0 === outer.value;

const areDisjoint = (a: Mark, b: Mark): boolean => ((a.value ^ b.value) & a.mask & b.mask) !== 0;
