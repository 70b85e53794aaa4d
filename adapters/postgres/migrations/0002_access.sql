-- Who may report, who may look, and what is kept for this installation. Secrets are kept as hashes only.
CREATE TABLE ingest_token (
    token_id    text    PRIMARY KEY,
    secret_hash bytea   NOT NULL,
    run         text    NOT NULL,
    attempt     bigint  NOT NULL,
    scope       text    NOT NULL,
    expires_at  bigint  NOT NULL,  -- microseconds since the epoch
    revoked     boolean NOT NULL
);

CREATE INDEX ingest_token_run ON ingest_token (run);

CREATE TABLE account (
    name          text   PRIMARY KEY,
    role          text   NOT NULL CHECK (role IN ('admin', 'member', 'viewer')),
    permissions   text[] NOT NULL,
    password_hash text   NOT NULL
);

CREATE TABLE secret (
    id          text   PRIMARY KEY,
    secret_hash bytea  NOT NULL,
    subject     text   NOT NULL,
    kind        text   NOT NULL CHECK (kind IN ('personal', 'session', 'share')),
    created_at  bigint NOT NULL,
    expires_at  bigint,            -- NULL: until taken back
    name        text   NOT NULL,
    csrf        text   NOT NULL
);

CREATE INDEX secret_subject ON secret (subject, kind, created_at DESC);

CREATE TABLE setting (
    name  text  PRIMARY KEY,
    value bytea NOT NULL
);
