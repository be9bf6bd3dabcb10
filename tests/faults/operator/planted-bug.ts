import type { ConnectionRequest, ConnectionResponse } from "@kubewright/client";
import type { Manager } from "@kubewright/manager";
import type { CnfTransport, TransportRequest, TransportResponse } from "@kubewright/openwrt";
import type { Review } from "./cluster/admission.ts";
import type { ApiConnection } from "./cluster/api-connection.ts";
import { operator } from "./users/buckets.ts";

/** A bug put in on purpose, between the operator and what it talks to. */
export interface PlantedBug {
  api?(connection: ApiConnection): ApiConnection;
  cnf?(transport: CnfTransport): CnfTransport;
  prepare?(manager: Manager): void;
  review?(review: Review): Review;
}

type Plant = () => PlantedBug;
type Sent = (request: TransportRequest, send: CnfTransport["send"]) => Promise<TransportResponse>;
type Asked = (
  request: ConnectionRequest,
  ask: (request: ConnectionRequest) => Promise<ConnectionResponse>,
) => Promise<ConnectionResponse>;

const onCnf = (sent: Sent): PlantedBug => ({
  cnf: (transport) => ({
    send: (request) => sent(request, (each) => transport.send(each)),
    close: () => transport.close(),
  }),
});

function onApi(asked: Asked): PlantedBug {
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

/** Nothing is ever taken off a CNF. */
export const skippedRemoval: Plant = () =>
  onCnf(async (request, send) => (request.method === "DELETE" ? done(200, "") : send(request)));

/** What a CNF held once is not sent to it again. */
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

/** What is on a CNF is never changed. */
export const noUpdate: Plant = () =>
  onCnf(async (request, send) =>
    request.method === "PUT" && !request.path.includes("/service/") ? done(200, request.body ?? "") : send(request),
  );

/** A deletion takes a second object away, of somebody else. */
export const greedyRemoval: Plant = () =>
  onCnf(async (request, send) => {
    if (request.method === "DELETE")
      for (const number of [0, 1, 2]) await send({ ...request, path: request.path.replace(/[^/]+$/, `hand${number}`) });
    return send(request);
  });

/** A finalizer goes at the first sight of a deletion. */
export const hastyFinalizer: Plant = () =>
  onApi((request, ask) => {
    const text = String(request.body ?? "");
    const isDeleting = request.method === "PATCH" && text.includes('"Being delete"');
    if (!isDeleting) return ask(request);
    const body = JSON.stringify({ metadata: { finalizers: [] } });
    return ask({ ...request, path: request.path.replace(/\/status$/, ""), body });
  });

/** An Event tells a key. */
export const keyInEvent: Plant = () =>
  onApi((request, ask) => {
    const isEvent = request.method === "POST" && request.path.endsWith("/events");
    if (!isEvent) return ask(request);
    return ask({ ...request, body: String(request.body).replace('"note":"', '"note":"KeY9-sEcReT-psk: ') });
  });

/** A status says that all is well, whatever it is. */
export const flatteringStatus: Plant = () =>
  onApi((request, ask) => {
    const isStatus = request.method === "PATCH" && request.path.endsWith("/status");
    const states = /"(Trying to apply|Being delete|Unknown status|Idle)"/;
    return ask(isStatus ? { ...request, body: String(request.body).replace(states, '"In Sync"') } : request);
  });

/** Each request is made over and over. */
export const hotLoop: Plant = () =>
  onCnf(async (request, send) => {
    if (request.method === "GET") for (let count = 0; count < 200; count++) await send(request);
    return send(request);
  });

/** Nobody takes the rejection of a request that failed. */
export const lostRejection: Plant = () =>
  onCnf(async (request, send) => {
    const answer = await send(request);
    if (answer.status >= 500) void Promise.reject(new Error("nobody waits for me"));
    return answer;
  });

/** A metric has what was sent for a label. */
export const keyInMetrics: Plant = () => {
  let count = (_body: string): void => {};
  return {
    prepare: ({ metrics }) => {
      const sent = metrics.counter({ name: "sdewan_sent_total", help: "What was sent", labelNames: ["body"] });
      count = (body) => sent(body).inc();
    },
    ...onCnf(async (request, send) => {
      count(request.path === "" ? "" : (request.body ?? ""));
      return send(request);
    }),
  };
};

/** No interface is ever switched. */
export const deafInterface: Plant = () =>
  onCnf(async (request, send) =>
    request.method === "PUT" && request.path.includes("/interfaces/") ? done(200, "{}") : send(request),
  );

/** Webhooks see of a change only what comes of it. */
export const forgetfulReview: Plant = () => ({
  review: (review) => (review.operation === "UPDATE" ? { ...review, before: review.after } : review),
});

/** Webhooks take every user for the operator. */
export const openBuckets: Plant = () => ({ review: (review) => ({ ...review, user: operator }) });
