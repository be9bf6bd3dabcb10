import type { CnfTransport } from "@kubewright/openwrt";
import type { ApiConnection } from "./cluster/api-connection.ts";

/** A bug put in on purpose, between the operator and what it talks to. */
export interface PlantedBug {
  api?(connection: ApiConnection): ApiConnection;
  cnf?(transport: CnfTransport): CnfTransport;
}
