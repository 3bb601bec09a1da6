/** Client credentials (RFC 6749, 4.4): whom a token is asked for, and where. Rendered at each sending, never stored. */
export interface TokenGrant {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Null = what the provider gives without asking. */
  readonly scope: string | null;
}

/** A bearer token, or why there is none; the reason holds nothing that was sent. */
export type TokenAnswer =
  | {
      readonly kind: 'token';
      readonly token: string;
      /** It was asked for some time ago: the provider may have taken it back since. */
      readonly isRemembered: boolean;
    }
  | { readonly kind: 'none'; readonly reason: string };
