import type { Connection, ConnectionRequest, ConnectionResponse } from "@kubewright/client";
import type { Manager } from "@kubewright/manager";
import type { CnfTransport, TransportRequest, TransportResponse } from "@kubewright/openwrt";
import type { Review } from "./cluster/admission.ts";
import { operator } from "./users/buckets.ts";

/** A planted bug, between the operator and the systems it uses. */
export interface PlantedBug {
  api?(connection: Connection): Connection;
  cnf?(transport: CnfTransport): CnfTransport;
  prepare?(manager: Manager): void;
  review?(review: Review): Review;
}

type Plant = () => PlantedBug;
type Sent = (request: TransportRequest, send: CnfTransport["send"]) => Promise<TransportResponse>;
type CnfCall = (
  request: ConnectionRequest,
  ask: (request: ConnectionRequest) => Promise<ConnectionResponse>,
) => Promise<ConnectionResponse>;

const onCnf = (sent: Sent): PlantedBug => ({
  cnf: (transport) => ({
    send: (request) => sent(request, (each) => transport.send(each)),
    close: () => transport.close(),
  }),
});

function onApi(asked: CnfCall): PlantedBug {
  return {
    api: (connection) => {
      const ask = connection.request.bind(connection);
      connection.request = (request) => asked(request, ask);
      return connection;
    },
  };
}

const done = (status: number, body: string): TransportResponse => ({
  status,
  contentType: "application/json",
  cookies: [],
  body,
});

/** Never deletes anything on a CNF. */
export const skippedRemoval: Plant = () =>
  onCnf(async (request, send) => (request.method === "DELETE" ? done(200, "") : send(request)));

/** Does not send an object again that a CNF once had. */
export const noRestoration: Plant = () => {
  const sent = new Set<string>();
  return onCnf(async (request, send) => {
    const id = `${request.path} ${request.body}`;
    if (request.method === "POST" && request.path !== "" && sent.has(id)) return done(201, request.body ?? "");
    const answer = await send(request);
    if (request.method === "POST" && answer.status === 201) sent.add(id);
    return answer;
  });
};

/** Never changes an object on a CNF. */
export const noUpdate: Plant = () =>
  onCnf(async (request, send) =>
    request.method === "PUT" && !request.path.includes("/service/") ? done(200, request.body ?? "") : send(request),
  );

/** Never moves an object: does not write an object that the CNF already has. */
export const noMove: Plant = () =>
  onCnf(async (request, send) => {
    if (request.method !== "PUT" || request.path.includes("/service/")) return send(request);
    const { status, body } = await send({ ...request, method: "GET", body: undefined });
    return status === 200 && holdsAll(body, request.body ?? "") ? done(200, body) : send(request);
  });

/** Reports whether an object on the CNF has all values of a request. */
function holdsAll(stored: string, wanted: string): boolean {
  try {
    const [held, fields]: Record<string, unknown>[] = [JSON.parse(stored), JSON.parse(wanted)];
    return Object.entries(fields ?? {}).every(
      ([name, value]) => value === "" || value === null || JSON.stringify(held?.[name]) === JSON.stringify(value),
    );
  } catch {
    return false;
  }
}

/** A deletion also deletes an object of somebody else. */
export const greedyRemoval: Plant = () =>
  onCnf(async (request, send) => {
    if (request.method === "DELETE")
      for (const number of [0, 1, 2]) await send({ ...request, path: request.path.replace(/[^/]+$/, `hand${number}`) });
    return send(request);
  });

/** Removes a finalizer at the first sign of a deletion. */
export const hastyFinalizer: Plant = () =>
  onApi((request, ask) => {
    const text = String(request.body ?? "");
    const isDeleting = request.method === "PATCH" && text.includes('"Being delete"');
    if (!isDeleting) return ask(request);
    const body = JSON.stringify({ metadata: { finalizers: [] } });
    return ask({ ...request, path: request.path.replace(/\/status$/, ""), body });
  });

/** An Event contains a key. */
export const keyInEvent: Plant = () =>
  onApi((request, ask) => {
    const isEvent = request.method === "POST" && request.path.endsWith("/events");
    if (!isEvent) return ask(request);
    return ask({ ...request, body: String(request.body).replace('"note":"', '"note":"KeY9-sEcReT-psk: ') });
  });

/** A status always reports success. */
export const flatteringStatus: Plant = () =>
  onApi((request, ask) => {
    const isStatus = request.method === "PATCH" && request.path.endsWith("/status");
    const states = /"(Trying to apply|Being delete|Unknown status|Idle)"/;
    return ask(isStatus ? { ...request, body: String(request.body).replace(states, '"In Sync"') } : request);
  });

/** Repeats each request many times. */
export const hotLoop: Plant = () =>
  onCnf(async (request, send) => {
    if (request.method === "GET") for (let count = 0; count < 200; count++) await send(request);
    return send(request);
  });

/** Nobody handles the rejection of a failed request. */
export const lostRejection: Plant = () =>
  onCnf(async (request, send) => {
    const answer = await send(request);
    if (answer.status >= 500) void Promise.reject(new Error("nobody waits for me"));
    return answer;
  });

/** A metric has the sent object as a label. */
export const keyInMetrics: Plant = () => {
  let count = (_body: string): void => {};
  return {
    prepare: ({ metrics }) => {
      const sent = metrics.counter({ name: "sdewan_sent_total", help: "Objects that were sent", labelNames: ["body"] });
      count = (body) => sent(body).inc();
    },
    ...onCnf(async (request, send) => {
      count(request.path === "" ? "" : (request.body ?? ""));
      return send(request);
    }),
  };
};

/** Never switches an interface. */
export const deafInterface: Plant = () =>
  onCnf(async (request, send) =>
    request.method === "PUT" && request.path.includes("/interfaces/") ? done(200, "{}") : send(request),
  );

/** Webhooks see only the new object of a change. */
export const forgetfulReview: Plant = () => ({
  review: (review) => (review.operation === "UPDATE" ? { ...review, before: review.after } : review),
});

/** Webhooks treat every user as the operator. */
export const openBuckets: Plant = () => ({ review: (review) => ({ ...review, user: operator }) });
