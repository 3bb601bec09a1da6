/**
 * Keys of the HTTP API: of a secret there is only the hash, and what a key is does not change; it is only ever taken back.
 * Expiry and revocation are read with each use, so that they count at once in every process.
 */
export const API_KEYS = `
CREATE TABLE pawl.api_key (
  key_id text NOT NULL,
  tenant text NOT NULL,
  principal text NOT NULL,
  roles text NOT NULL,
  scopes text NOT NULL,
  secret_hash text NOT NULL,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz,
  revoked_by text,
  revoke_reason text,
  revoked_at timestamptz,
  CONSTRAINT api_key_pk PRIMARY KEY (key_id),
  CONSTRAINT api_key_hash_ck CHECK (secret_hash ~ '^[0-9a-f]{64}$'),
  CONSTRAINT api_key_revoked_ck CHECK (
    (revoked_at IS NULL) = (revoked_by IS NULL) AND (revoked_at IS NULL) = (revoke_reason IS NULL))
);
CREATE INDEX api_key_tenant_idx ON pawl.api_key (tenant, created_at);
`;
