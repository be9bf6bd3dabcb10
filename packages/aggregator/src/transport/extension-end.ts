import type { ClientRequest } from "node:http";
import { Agent, request } from "node:https";
import type { ResolveService } from "@kubewright/apiserver/webhook";
import type { RemoteApiService } from "../service/api-service.ts";
import type { HeaderValues } from "./forwarded-headers.ts";

/** By what this server proves to others that it is the front proxy. PEM. */
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
  /** With its query, escaped. */
  readonly path: string;
  readonly headers: HeaderValues;
  readonly signal?: AbortSignal | undefined;
}

/** Of an answer. Node refuses what is longer. */
const maxHeaderBytes = 64 * 1024;

/** The other end of an APIService: its address, its certificate, and the connections to it, which nobody else shares. */
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

  /** Where it is now. @throws {Error} in upstream's words where it is nowhere */
  address(): Promise<Address> {
    const { namespace, name, port } = this.#service;
    return this.#resolve(namespace, name, port);
  }

  /** Begins a request; the caller ends it. @throws {TypeError} for a header that cannot be one */
  send({ address, method, path, headers, signal }: SentRequest): ClientRequest {
    const { host, port } = address;
    const all = { ...headers, host: shownAddress(address) };
    const limits = { maxHeaderSize: maxHeaderBytes, ...(signal ? { signal } : {}) };
    return request({ host, port, method, path, headers: all, agent: this.#agent, ...limits });
  }

  /** Drops every connection. */
  close(): void {
    this.#agent.destroy();
  }
}

export const shownAddress = ({ host, port }: Address): string => `${host.includes(":") ? `[${host}]` : host}:${port}`;
