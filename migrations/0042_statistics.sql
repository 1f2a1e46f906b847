-- Figures of the federation over time, and what lets instances of a version be listed by pages. Rooms: Administration, Registration.

-- What was counted in a span of `step` seconds from `bucket` on. Values are sums, also of what is a state (tokens that
-- live): how many five minutes stand in a row is counted by the metric `taken`, and the mean is one through the other.
-- Five minutes become hours after two days, hours become days after sixty, days go after four hundred.
create table statistic (
    step   integer not null check (step in (300, 3600, 86400)),
    bucket timestamptz not null,
    metric text not null check (length(metric) between 1 and 64),
    label  text not null check (length(label) <= 200),
    value  double precision not null,
    primary key (step, bucket, metric, label),
    check (extract(epoch from bucket)::bigint % step = 0)
);

create index app_instance_of_version on app_instance (version, id);
drop index app_instance_version;
