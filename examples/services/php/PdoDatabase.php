<?php
/** The ledger's tables in SQLite, which several processes may write at once. */
declare(strict_types=1);

namespace Pando;

final class PdoDatabase implements Database
{
    public function __construct(public readonly \PDO $pdo)
    {
        $pdo->setAttribute(\PDO::ATTR_TIMEOUT, 10);
        $pdo->exec('pragma journal_mode = wal; pragma synchronous = full');
        foreach (Ledger::TABLES as $table => $columns) {
            $pdo->exec("create table if not exists $table ($columns)");
            foreach (Ledger::INDICES[$table] ?? [] as $column) {
                $pdo->exec("create index if not exists {$table}_$column on $table ($column)");
            }
        }
    }

    public function insertNew(string $table, array $row): bool
    {
        $marks = implode(', ', array_fill(0, count($row), '?'));
        return $this->done("insert or ignore into $table (" . implode(', ', array_keys($row)) . ") values ($marks)", array_values($row))->rowCount() === 1;
    }

    public function run(string $sql, array $values = []): void
    {
        $this->done($sql, $values);
    }

    public function rows(string $sql, array $values = []): array
    {
        return $this->done($sql, $values)->fetchAll(\PDO::FETCH_ASSOC);
    }

    private function done(string $sql, array $values): \PDOStatement
    {
        $statement = $this->pdo->prepare(preg_replace('/\{(\w+)\}/', '$1', $sql));
        foreach ($values as $place => $value) {
            $statement->bindValue($place + 1, $value, is_int($value) ? \PDO::PARAM_INT : ($value === null ? \PDO::PARAM_NULL : \PDO::PARAM_STR));
        }
        $statement->execute();
        return $statement;
    }
}
