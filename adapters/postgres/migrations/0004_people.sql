-- What people are told about accounts and links: whether somebody may still sign in, when they last did, who made a link.
ALTER TABLE account
    ADD COLUMN disabled     boolean NOT NULL DEFAULT false,
    ADD COLUMN signed_in_at bigint;            -- microseconds since the epoch; NULL: unknown

ALTER TABLE secret ADD COLUMN made_by text NOT NULL DEFAULT '';  -- '': unknown

CREATE INDEX secret_kind ON secret (kind, created_at DESC);
