/** Who a request is made as: headers, and the certificate of the connection it goes over. */
export interface Identity {
  readonly headers: Readonly<Record<string, string>>;
  readonly certData: string | undefined;
  readonly keyData: string | undefined;
}

export interface CredentialSource {
  current(): Promise<Identity>;
  /** After a 401 to `used`: forget what is remembered. Whether asking again may give something else. */
  renew(used: Identity): boolean;
}
