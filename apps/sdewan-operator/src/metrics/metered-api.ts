import type { Clock } from "@kubewright/clock";
import type { CnfApi, CnfCollection, CnfModule } from "../cnf/cnf-api.ts";
import { codeOf, messageOf, messageWithoutResponse } from "../cnf/cnf-error.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { masked } from "../masking/mask.ts";
import { secretsIn } from "../masking/masked-status.ts";
import type { CnfKind } from "../uci/cnf-kind.ts";
import type { UciObject } from "../uci/uci-object.ts";
import type { CnfObject, CnfRecord } from "./cnf-records.ts";

type Kind = "read" | "change" | "service";
interface About {
  /** Object of the request. Undefined if the request does not target an individual object. */
  readonly object?: CnfObject;
  /** The body of the request, which errors may repeat. */
  readonly sent?: UciObject;
  /** True if the objects contain secrets. The CNF's strings must then not be repeated. */
  readonly hasSecrets?: boolean;
}
type Metered = <T>(kind: Kind, request: () => Promise<T>, about?: About) => Promise<T>;

const maxErrorLength = 400;

/** Wraps a CNF pod's API so that each request is recorded. */
export function meteredApi(api: CnfApi, record: CnfRecord, clock: Pick<Clock, "monotonic" | "now">): CnfApi {
  let isClosed = false;
  const metered: Metered = async (kind, request, { object, sent, hasSecrets = false } = {}) => {
    const beganMs = clock.monotonic();
    const noteResponse = (): void => {
      const seconds = (clock.monotonic() - beganMs) / 1_000;
      record.responded(true, clock.now());
      record.requestSeconds += seconds;
      if (kind === "read") record.latencySeconds = seconds;
    };
    record.requests++;
    try {
      const response = await request();
      noteResponse();
      return response;
    } catch (error) {
      const code = codeOf(error);
      if (code !== undefined) noteResponse();
      // A request that was aborted by closing the connection provides no information about the CNF.
      else if (!isClosed) record.responded(false, clock.now());
      if (code === undefined ? !isClosed : code !== 404) {
        record.failed(reasonOf(code));
        const text = hasSecrets ? messageWithoutResponse(error) : messageOf(error);
        const message = masked(text, secretsIn(sent), maxErrorLength);
        record.lastError = { atMs: clock.now(), message, ...(object && { object }) };
      }
      throw error;
    }
  };
  const noteTunnels = (modules: readonly CnfModule[]): void => {
    for (const { name, status } of modules) if (name === "ipsec") record.tunnelsUp = tunnelsUp(status);
  };
  return {
    collection: (path) => meteredCollection(path, api.collection(path), metered),
    service: (name) => {
      const restarted = async (action: "restart" | "reload"): Promise<unknown> => {
        const response = await metered("service", () => api.service(name)[action](), {
          hasSecrets: secretKinds.some(({ service }) => service?.name === name),
        });
        record.serviceRestarted(name);
        return response;
      };
      return { restart: () => restarted("restart"), reload: () => restarted("reload") };
    },
    interfaces: () => metered("read", () => api.interfaces()),
    setInterface: (name, action) => metered("change", () => api.setInterface(name, action)),
    status: async (signal) => {
      const modules = await metered("read", () => api.status(signal));
      noteTunnels(modules);
      return modules;
    },
    statusOf: async (name, signal) => {
      const status = await metered("read", () => api.statusOf(name, signal));
      noteTunnels([{ name, status }]);
      return status;
    },
    close: () => {
      isClosed = true;
      return api.close();
    },
  };
}

function meteredCollection(path: string, collection: CnfCollection, metered: Metered): CnfCollection {
  const hasSecrets = secretKinds.some((kind) => kind.path === path);
  const about = (name: unknown, sent?: UciObject): About => ({
    object: { path, name: String(name) },
    hasSecrets,
    ...(sent && { sent }),
  });
  return {
    list: () => metered("read", () => collection.list(), { hasSecrets }),
    get: (name) => metered("read", () => collection.get(name), about(name)),
    create: (object) => metered("change", () => collection.create(object), about(object.name, object)),
    update: (name, object) => metered("change", () => collection.update(name, object), about(name, object)),
    delete: (name) => metered("change", () => collection.delete(name), about(name)),
  };
}

const secretKinds: readonly CnfKind[] = ruleKinds.filter(({ secretFields }) => secretFields.length > 0);

function reasonOf(code: number | undefined) {
  if (code === undefined) return "network";
  if (code === 401 || code === 403) return "auth";
  return code >= 500 ? "failed" : "refused";
}

/** Maximum plausible number of tunnels of a CNF. A larger number is ignored. */
const maxTunnels = 100_000;

/**
 * Returns the number of tunnels that are up, according to the ipsec module of a CNF, or undefined if the module does
 * not report it.
 */
function tunnelsUp(status: unknown): number | undefined {
  if (typeof status !== "object" || status === null || !("details" in status)) return undefined;
  const { details } = status;
  if (!Array.isArray(details)) return undefined;
  const counts = details.flatMap((detail: unknown) =>
    typeof detail === "object" && detail !== null && "up" in detail ? [Number(detail.up)] : [],
  );
  const sum = counts.reduce((total, count) => total + count, 0);
  return Number.isSafeInteger(sum) && sum >= 0 && sum <= maxTunnels ? sum : undefined;
}
