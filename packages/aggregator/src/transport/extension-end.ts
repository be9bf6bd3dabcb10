import type { ClientRequest } from "node:http";
import { Agent, request } from "node:https";
import type { ResolveService } from "@kubewright/apiserver/webhook";
import type { RemoteApiService } from "../service/api-service.ts";
import type { HeaderValues } from "./forwarded-headers.ts";

/** Certificate that identifies this server as the front proxy, in PEM format. */
export interface ProxyCertificate {
  readonly certificate: string;
  readonly key: string;
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface SentRequest {
  readonly address: Address;
  readonly method: string;
  /** Escaped path, including the query. */
  readonly path: string;
  readonly headers: HeaderValues;
  readonly signal?: AbortSignal | undefined;
}

/** Maximum size of a response's headers. Node rejects responses with larger headers. */
const maxHeaderBytes = 64 * 1024;

/** A client for an APIService's extension server. Its connections are not shared with other APIServices. */
export class ExtensionEnd {
  readonly #service: RemoteApiService["service"];
  readonly #resolve: ResolveService;
  readonly #agent: Agent;

  constructor(apiService: RemoteApiService, resolve: ResolveService, proxy: ProxyCertificate | undefined) {
    const { service, insecureSkipTlsVerify, caBundle } = apiService;
    this.#service = service;
    this.#resolve = resolve;
    this.#agent = new Agent({
      keepAlive: true,
      servername: `${service.name}.${service.namespace}.svc`,
      rejectUnauthorized: !insecureSkipTlsVerify,
      allowPartialTrustChain: true,
      ...(caBundle === "" ? {} : { ca: Buffer.from(caBundle, "base64").toString("utf8") }),
      ...(proxy ? { cert: proxy.certificate, key: proxy.key } : {}),
    });
  }

  /** Returns the current address of the APIService's Service. @throws {Error} with upstream's message if the Service has no address */
  address(): Promise<Address> {
    const { namespace, name, port } = this.#service;
    return this.#resolve(namespace, name, port);
  }

  /** Starts a request and returns it. The caller must end the request. @throws {TypeError} if a header is not valid */
  send({ address, method, path, headers, signal }: SentRequest): ClientRequest {
    const { host, port } = address;
    const all = { ...headers, host: shownAddress(address) };
    const limits = { maxHeaderSize: maxHeaderBytes, ...(signal ? { signal } : {}) };
    return request({ host, port, method, path, headers: all, agent: this.#agent, ...limits });
  }

  /** Closes every connection to the extension server. */
  close(): void {
    this.#agent.destroy();
  }
}

export const shownAddress = ({ host, port }: Address): string => `${host.includes(":") ? `[${host}]` : host}:${port}`;
