-- The event log. Column names up to notification_id are those of eventsourcing's recorders, whose readers work on it.
CREATE TABLE stored_events (
    notification_id    bigint NOT NULL,  -- position: 1, 2, 3, ... in the order of commits
    recorded_at        bigint NOT NULL,  -- microseconds since the epoch, server's clock
    originator_version bigint NOT NULL,
    originator_id      uuid   NOT NULL,  -- stream
    topic              text   NOT NULL,  -- tag of the stored shape
    run                text   NOT NULL,
    digest             bytea  NOT NULL,  -- SHA-256 of state as it was appended
    hash               bytea  NOT NULL,  -- chain hash
    state              bytea,            -- payload; NULL where it was erased
    PRIMARY KEY (originator_id, originator_version)
) WITH (
    autovacuum_vacuum_insert_scale_factor = 0.1,
    autovacuum_analyze_scale_factor = 0.05
);

-- Payloads come packed: compressing them again costs time and saves nothing.
ALTER TABLE stored_events ALTER COLUMN state SET STORAGE EXTERNAL;

CREATE UNIQUE INDEX stored_events_position ON stored_events (notification_id);
CREATE INDEX stored_events_run ON stored_events (run, notification_id);

-- One row that every writer locks: the end of the log. Pages stay nearly empty so that updates never leave them.
CREATE TABLE chain_head (
    name     text   PRIMARY KEY CHECK (name = 'log'),
    position bigint NOT NULL,
    hash     bytea  NOT NULL
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

INSERT INTO chain_head VALUES ('log', 0, decode(repeat('00', 32), 'hex'));

-- Events are never changed or removed; the one exception is that a body may be erased.
CREATE FUNCTION refuse_to_rewrite_the_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        OLD.state := NULL;
        IF NEW IS NOT DISTINCT FROM OLD THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'events of the log are never changed or removed; only a body may be erased';
END
$$;

CREATE TRIGGER events_stay AFTER UPDATE OR DELETE ON stored_events
    FOR EACH ROW EXECUTE FUNCTION refuse_to_rewrite_the_log();

CREATE TRIGGER log_stays BEFORE TRUNCATE ON stored_events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_rewrite_the_log();
