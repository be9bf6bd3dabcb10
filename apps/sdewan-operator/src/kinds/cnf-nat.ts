import { CNFNAT } from "../api/cnf-nat.ts";
import { cnfKind } from "../uci/cnf-kind.ts";
import { texts } from "../uci/uci-object.ts";

const source = ["src", "src_ip", "src_dip", "src_port", "src_dport"];
const destination = ["dest", "dest_ip", "dest_port"];

export const cnfNat = cnfKind({
  kind: CNFNAT,
  config: "nat",
  collection: "nats",
  rank: 2,
  toUci: ({ spec }) => texts(spec ?? {}, [...source, "proto", ...destination, "target", "index"]),
});
