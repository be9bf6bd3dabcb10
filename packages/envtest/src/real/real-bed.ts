import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CertificateAuthority, type IssuedCertificate } from "@kubewright/certificates";
import { type Clock, systemClock } from "@kubewright/clock";
import { ServiceAccountTokenSigner } from "@kubewright/kube-apiserver";
import type { Logger } from "@kubewright/log";
import { ApiRequests } from "../bed/api-requests.ts";
import { boundToken } from "../bed/bound-token.ts";
import { freePorts } from "../bed/free-ports.ts";
import type { Account, TestBed, TestConnection, TestUser } from "../bed/test-bed.ts";
import {
  accountIssuer,
  type Binaries,
  etcdCommand,
  type KubeApiserverFiles,
  kubeApiserverCommand,
} from "./commands.ts";
import { compactEtcd } from "./etcd.ts";
import { FaultProxy } from "./fault-proxy.ts";
import { SupervisedProcess } from "./supervised-process.ts";

export interface RealBedOptions {
  readonly binaries: Binaries;
  readonly startTimeoutMs: number;
  readonly logger: Logger;
  readonly authorization: "RBAC" | "AlwaysAllow";
  readonly serviceAccountAdmission: boolean;
}

const pollMs = 50;
/** Time in milliseconds until kube-apiserver, which checks every 15 s, has dropped the snapshots of compacted versions. */
const snapshotsForgottenMs = 16_500;

interface AccountKeys {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** A real etcd and kube-apiserver on free loopback ports, with data in a temporary folder. */
export class RealBed implements TestBed {
  readonly name = "real";
  readonly #options: RealBedOptions;
  readonly #clock: Clock = systemClock;
  readonly #folder: string;
  readonly #accountTokens: ServiceAccountTokenSigner;
  readonly #authority: CertificateAuthority;
  readonly #proxy: FaultProxy;
  readonly #proxyPort: number;
  readonly #etcdPort: number;
  readonly #commands: { readonly etcd: readonly string[]; readonly kubeApiserver: readonly string[] };
  readonly #direct: ApiRequests;
  #processes: SupervisedProcess[] = [];

  static async start(options: RealBedOptions): Promise<RealBed> {
    const bed = new RealBed(options, await freePorts(4));
    try {
      await bed.#startProcesses();
      await bed.#proxy.open();
    } catch (error) {
      await bed.stop();
      throw error;
    }
    return bed;
  }

  private constructor(options: RealBedOptions, ports: readonly number[]) {
    const [etcdPort = 0, peerPort = 0, apiserverPort = 0, proxyPort = 0] = ports;
    this.#options = options;
    this.#proxyPort = proxyPort;
    this.#etcdPort = etcdPort;
    this.#folder = mkdtempSync(join(tmpdir(), "kubewright-envtest-"));
    this.#authority = new CertificateAuthority("kubewright-envtest-ca");
    const accountKeys = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const { privateKey, publicKey: key } = accountKeys;
    this.#accountTokens = new ServiceAccountTokenSigner(accountIssuer, { algorithm: "ES256", id: "", privateKey, key });
    const server = this.#authority.issueServer("kube-apiserver", ["127.0.0.1", "localhost"]);
    this.#direct = new ApiRequests({
      server: `https://127.0.0.1:${apiserverPort}`,
      caData: this.#authority.certificate,
      ...pem(this.#authority.issueClient({ commonName: "admin", organizations: ["system:masters"] })),
    });
    this.#commands = {
      etcd: etcdCommand(options.binaries.etcd, join(this.#folder, "etcd"), etcdPort, peerPort),
      kubeApiserver: kubeApiserverCommand(options.binaries.kubeApiserver, {
        port: apiserverPort,
        etcdPort,
        authorization: options.authorization,
        serviceAccountAdmission: options.serviceAccountAdmission,
        files: this.#writeFiles(server, accountKeys),
      }),
    };
    this.#proxy = new FaultProxy({
      clock: this.#clock,
      port: proxyPort,
      targetPort: apiserverPort,
      caData: this.#authority.certificate,
      server,
      frontProxy: this.#authority.issueClient({ commonName: "front-proxy" }),
    });
  }

  get faults(): FaultProxy["faults"] {
    return this.#proxy.faults;
  }

  async connectionFor({ name, groups = [] }: TestUser): Promise<TestConnection> {
    return {
      server: `https://127.0.0.1:${this.#proxyPort}`,
      caData: this.#authority.certificate,
      ...pem(this.#authority.issueClient({ commonName: name, organizations: groups })),
    };
  }

  async restart(): Promise<void> {
    await this.#proxy.shut();
    await this.#killProcesses();
    this.#proxy.forgetServer();
    await this.#startProcesses();
    if (!this.faults.refusesConnections) await this.#proxy.open();
  }

  accountToken(account: Account, expiresInSeconds: number): Promise<string> {
    return boundToken(this.#accountTokens, account, this.#clock.now(), expiresInSeconds);
  }

  async compact(): Promise<void> {
    await compactEtcd(this.#etcdPort);
    await this.#clock.sleep(snapshotsForgottenMs);
  }

  async stop(): Promise<void> {
    await this.#proxy.stop();
    await this.#killProcesses();
    this.#direct.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #startProcesses(): Promise<void> {
    const etcd = this.#launch("etcd", this.#commands.etcd);
    const apiserver = this.#launch("kube-apiserver", this.#commands.kubeApiserver);
    this.#processes = [apiserver, etcd];
    const deadline = this.#clock.monotonic() + this.#options.startTimeoutMs;
    for (;;) {
      const ended = this.#processes.find((process) => process.hasEnded);
      if (ended) throw new Error(`${ended.name} exited while starting; output:\n${ended.lastWords}`);
      if (await this.#isReady()) return;
      if (this.#clock.monotonic() > deadline)
        throw new Error(
          `kube-apiserver is not ready after ${this.#options.startTimeoutMs} ms; output:\n${apiserver.lastWords}`,
        );
      await this.#clock.sleep(pollMs);
    }
  }

  async #isReady(): Promise<boolean> {
    try {
      return (await this.#direct.send("GET", "/readyz")).status === 200;
    } catch {
      return false; // the server is not listening yet
    }
  }

  async #killProcesses(): Promise<void> {
    const processes = this.#processes;
    this.#processes = [];
    await Promise.all(processes.map((process) => process.kill()));
  }

  #launch(name: string, command: readonly string[]): SupervisedProcess {
    this.#options.logger.debug({ program: name, command }, "starting");
    return new SupervisedProcess(name, command, { folder: this.#folder, logFile: join(this.#folder, `${name}.log`) });
  }

  #writeFiles({ certificate, key }: IssuedCertificate, accountKeys: AccountKeys): KubeApiserverFiles {
    const folder = join(this.#folder, "pki");
    mkdirSync(folder, { mode: 0o700 });
    const write = (name: string, text: string): string => {
      const path = join(folder, name);
      writeFileSync(path, text, { mode: 0o600 });
      return path;
    };
    return {
      certificate: write("apiserver.crt", certificate),
      key: write("apiserver.key", key),
      authority: write("ca.crt", this.#authority.certificate),
      accountKey: write("sa.key", accountKeys.privateKey.export({ type: "pkcs8", format: "pem" }).toString()),
      accountPublicKey: write("sa.pub", accountKeys.publicKey.export({ type: "spki", format: "pem" }).toString()),
      certificates: folder,
    };
  }
}

const pem = ({ certificate, key }: IssuedCertificate) => ({ certData: certificate, keyData: key });
