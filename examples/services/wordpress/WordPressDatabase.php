<?php
/** The ledger's tables beside those of WordPress. */
declare(strict_types=1);

namespace Pando;

final class WordPressDatabase implements Database
{
    public function __construct(private readonly \wpdb $wpdb)
    {
    }

    public function create(): void
    {
        foreach (Ledger::TABLES as $table => $columns) {
            $indices = implode('', array_map(fn ($column) => ", index ($column)", Ledger::INDICES[$table] ?? []));
            $this->done("create table if not exists {{$table}} ($columns$indices) engine = InnoDB default character set utf8mb4", []);
        }
    }

    public function insertNew(string $table, array $row): bool
    {
        $marks = implode(', ', array_fill(0, count($row), '?'));
        return $this->done("insert ignore into {{$table}} (" . implode(', ', array_keys($row)) . ") values ($marks)", array_values($row)) === 1;
    }

    public function run(string $sql, array $values = []): void
    {
        $this->done($sql, $values);
    }

    public function rows(string $sql, array $values = []): array
    {
        $this->done($sql, $values);
        return array_map(fn ($row) => get_object_vars($row), $this->wpdb->last_result);
    }

    private function done(string $sql, array $values): int
    {
        $sql = preg_replace('/\{(\w+)\}/', "{$this->wpdb->prefix}pando_$1", $sql);
        $sql = preg_replace_callback('/\?/', function () use (&$values) {
            $value = array_shift($values);
            return $value === null ? 'null' : $this->wpdb->prepare(is_int($value) ? '%d' : '%s', $value);
        }, $sql);
        for ($tries = 1; ($done = $this->wpdb->query($sql)) === false; $tries++) {
            // Of two that wait for each other InnoDB refuses one, of which nothing was done.
            if ($tries === 8 || !preg_match('/deadlock|lock wait timeout/i', $this->wpdb->last_error)) {
                throw new \RuntimeException("the database refused: {$this->wpdb->last_error}");
            }
            usleep(random_int(1, 20) * 1000);
        }
        return (int) $done;
    }
}
