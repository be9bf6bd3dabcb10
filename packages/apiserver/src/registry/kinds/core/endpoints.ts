import type { KubeObject } from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "../../table-columns.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";

interface Endpoints extends KubeObject {
  subsets?: { addresses?: { ip?: string }[]; ports?: { port?: number; protocol?: string }[] }[];
}

const hostPort = (ip: string, port: number): string => (ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`);

function endpointsCell({ subsets = [] }: Endpoints): string {
  if (subsets.length === 0) return "<none>";
  const all = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip = "" }) => ip)
      : ports.flatMap(({ port = 0 }) => addresses.map(({ ip = "" }) => hostPort(ip, port))),
  );
  const shown = all.slice(0, 3).join(",");
  return all.length > 3 ? `${shown} + ${all.length - 3} more...` : shown;
}

/** @see pkg/registry/core/endpoint strategy.go */
export const endpointsStrategy = defineStrategy<Endpoints>({
  allowCreateOnUpdate: true,
  applyDefaults({ subsets = [] }) {
    for (const { ports = [] } of subsets) for (const port of ports) port.protocol ||= "TCP";
  },
  columns: [nameColumn, column("Endpoints", endpointsCell), ageColumn],
});
