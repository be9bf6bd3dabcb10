import { StatusError } from "@kubewright/apimachinery";
import {
  Connection,
  ConnectionError,
  type ConnectionRequest,
  type ConnectionResponse,
  type StreamedResponse,
} from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import { type ApiCall, apiCallOf } from "./api-call.ts";
import { discoveryOf } from "./api-discovery.ts";
import { type ApiFaults, refusalOf } from "./api-faults.ts";
import { apiVersionOf, leases } from "./api-resource.ts";
import type { ApiStore } from "./api-store.ts";
import { ApiWatch } from "./api-watch.ts";
import type { NewObject, StoredObject } from "./stored-object.ts";

/** The user name of the operator on the server. */
export const operatorUser = "system:serviceaccount:sdewan-system:sdewan-controller-manager";
const ownUser = {
  apiVersion: "authentication.k8s.io/v1",
  kind: "SelfSubjectReview",
  metadata: {},
  status: { userInfo: { username: operatorUser } },
};

const server = "http://simulated.invalid";
const lostAfterMs = 30_000;

export interface ApiConnectionOptions {
  readonly store: ApiStore;
  readonly faults: ApiFaults;
  readonly clock: Clock;
  readonly latencyMs: () => number;
  /** Called with every call that arrives, and its body. */
  readonly onCall: (call: ApiCall, body: unknown) => void;
}

/** The connection of one process to the simulated API server. After it is cut off, no request and no answer gets through. */
export class ApiConnection extends Connection {
  readonly #options: ApiConnectionOptions;
  readonly #watches = new Set<ApiWatch>();
  #isCutOff = false;

  constructor(options: ApiConnectionOptions) {
    super({ server });
    this.#options = options;
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  /** Simulates the end of the process, even if its code continues to run here. */
  cutOff(): void {
    this.#isCutOff = true;
    for (const watch of [...this.#watches]) watch.body.fallSilent();
  }

  /** Ends all watches. */
  cutWatches(error: Error | undefined): void {
    for (const watch of [...this.#watches]) watch.end(error);
  }

  override async request(request: ConnectionRequest): Promise<ConnectionResponse> {
    await this.#arrive(request);
    if (request.path === "/api" || request.path === "/apis") return answer(200, discoveryOf(request.path));
    if (request.path.endsWith("/selfsubjectreviews")) return answer(201, ownUser);
    const call = apiCallOf(request);
    const body: unknown = request.body === undefined ? undefined : JSON.parse(String(request.body));
    const planned =
      call.method !== "GET" && call.resource !== leases ? this.#options.faults.takeWriteFault() : undefined;
    if (planned && !planned.isDone) return this.#spoilt(request, planned.fault);
    request.beforeSending?.();
    this.#options.onCall(call, body);
    const response = this.#carriedOut(call, body);
    await this.#wait(request);
    return planned ? this.#spoilt(request, planned.fault) : response;
  }

  override async stream(request: ConnectionRequest): Promise<StreamedResponse> {
    await this.#arrive(request);
    const call = apiCallOf(request);
    this.#options.onCall(call, undefined);
    const watch = this.#watch(call, request);
    const chunks = received(request, watch.body);
    const whole = (): Promise<Buffer> => Promise.reject(new Error("a watch has no end to wait for"));
    return { status: 200, headers: {}, chunks, whole, cancel: () => void chunks.return() };
  }

  #watch(call: ApiCall, { query = {}, signal }: ConnectionRequest): ApiWatch {
    const { store, clock, faults } = this.#options;
    const { resource, namespace } = call;
    const isWhole = query.sendInitialEvents === true;
    const after = Number(query.resourceVersion ?? 0);
    const changes = isWhole || after === 0 ? [] : store.changesAfter(resource, after);
    const watch = new ApiWatch({
      resource,
      namespace,
      timeoutMs: Number(query.timeoutSeconds ?? 1_800) * 1_000,
      clock,
      signal,
      lagMs: () => faults.lagMs,
      version: () => store.version,
      shown: (object) => shownAs(call, object),
      onClosed: (closed) => {
        this.#watches.delete(closed);
        stop();
      },
    });
    const stop = store.listen((of, change) => watch.deliver(of, change));
    this.#watches.add(watch);
    if (isWhole || after === 0)
      for (const object of store.list(resource, namespace)) watch.deliver(resource, { type: "ADDED", object });
    for (const change of changes) watch.deliver(resource, change);
    if (isWhole) watch.endOfState();
    return watch;
  }

  #carriedOut(call: ApiCall, body: unknown): ConnectionResponse {
    try {
      return answer(call.method === "POST" ? 201 : 200, this.#resultOf(call, body));
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      return answer(error.code, error.status);
    }
  }

  #resultOf(call: ApiCall, body: unknown): object {
    const { store } = this.#options;
    const { resource, namespace, name, part, method } = call;
    const at = { namespace, name };
    const isObject = typeof body === "object" && body !== null;
    if (method === "GET" && name === "") {
      const items = store.list(resource, namespace).map((object) => shownAs(call, object));
      const kind = call.isPartial ? "PartialObjectMetadataList" : `${resource.kind}List`;
      const apiVersion = call.isPartial ? "meta.k8s.io/v1" : apiVersionOf(resource);
      return { apiVersion, kind, metadata: { resourceVersion: String(store.version) }, items };
    }
    if (method === "GET") return shownAs(call, store.get(resource, at));
    if (method === "DELETE") return store.delete(resource, at, isObject ? uidIn(body) : undefined);
    if (!isObject) throw new Error(`${method} ${resource.plural} without a body`);
    if (method === "PATCH") return store.patch(resource, at, body, part);
    const object = body as NewObject;
    return method === "POST" ? store.create(resource, namespace, object) : store.update(resource, at, object);
  }

  async #arrive(request: ConnectionRequest): Promise<void> {
    await this.#wait(request);
    if (this.#options.faults.isDown) throw failureOf(request, networkError("ECONNREFUSED"));
  }

  /** Waits for the latency of one direction. Never resolves for a dead process. */
  async #wait({ signal }: ConnectionRequest): Promise<void> {
    signal?.throwIfAborted();
    await this.#options.clock.sleep(this.#options.latencyMs(), signal);
    signal?.throwIfAborted();
    if (this.#isCutOff) await untilAborted(signal);
  }

  async #spoilt(request: ConnectionRequest, fault: Parameters<typeof refusalOf>[0]): Promise<ConnectionResponse> {
    const refusal = refusalOf(fault);
    if (refusal) return answer(refusal.code, refusal.status);
    await this.#options.clock.sleep(lostAfterMs, request.signal);
    throw failureOf(request, networkError("ECONNRESET"));
  }
}

const answer = (status: number, body: object): ConnectionResponse => ({
  status,
  headers: {},
  body: Buffer.from(JSON.stringify(body)),
});

function shownAs({ isPartial }: ApiCall, object: object): object {
  if (!isPartial) return object;
  const { metadata } = object as StoredObject;
  return { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata };
}

function uidIn(body: object): string | undefined {
  const { preconditions } = body as { readonly preconditions?: { readonly uid?: string } };
  return preconditions?.uid;
}

async function* received(
  request: ConnectionRequest,
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* chunks;
  } catch (error) {
    throw failureOf(request, error);
  }
}

const networkError = (code: string): Error => Object.assign(new Error(code), { code });

function failureOf({ signal, method = "GET", path, what }: ConnectionRequest, cause: unknown): unknown {
  return signal?.aborted ? signal.reason : new ConnectionError({ method, url: server + path, what }, cause);
}

/** Never resolves. */
function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
