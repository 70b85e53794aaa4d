-- How far versions that move together are: one row to update for all of them.
CREATE TABLE projection_cohort (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    position bigint NOT NULL
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- The versions of each projection. Their tables are in the schemas proj_<name>_v<version>.
CREATE TABLE projection (
    name         text    NOT NULL,
    version      integer NOT NULL,
    code_version integer NOT NULL,  -- Projection.version of the code that fills it; other code leaves it alone
    cohort       bigint  NOT NULL REFERENCES projection_cohort,
    PRIMARY KEY (name, version)
);

-- Which version answers questions: one row for each code version, so that old and new servers can run side by side.
CREATE TABLE projection_serving (
    name         text    NOT NULL,
    code_version integer NOT NULL,
    version      integer NOT NULL,
    PRIMARY KEY (name, code_version),
    FOREIGN KEY (name, version) REFERENCES projection
);

-- Where a projection could not take in an event; from there on it leaves that run alone.
CREATE TABLE projection_fault (
    name     text    NOT NULL,
    version  integer NOT NULL,
    run      text    NOT NULL,
    position bigint  NOT NULL,
    error    text    NOT NULL,      -- class and place of the error, never its message: that may hold what was reported
    at       bigint  NOT NULL,      -- microseconds since the epoch
    PRIMARY KEY (name, version, run),
    FOREIGN KEY (name, version) REFERENCES projection ON DELETE CASCADE
);

CREATE INDEX projection_fault_run ON projection_fault (run);
