<?php
namespace local_pando;

/** The ledger's tables beside those of Moodle: local_pando_NAME. Each has a number of its own, and the ledger's key as a unique index. */
final class database implements \Pando\Database {
    private const KEYS = ['once' => 'mark', 'ended' => 'node', 'moved' => 'mark', 'family' => 'name', 'ancestor' => 'mark', 'slot' => 'name', 'token' => 'hash',
        'fact' => 'name', 'person' => 'mark'];

    public function insertNew(string $table, array $row): bool {
        global $DB;
        $key = self::KEYS[$table];
        // Looked up first, since a refusal by the index is costly; the index decides who of two comes first.
        if ($DB->record_exists("local_pando_$table", [$key => $row[$key]])) {
            return false;
        }
        try {
            self::patiently(fn() => $DB->insert_record_raw("local_pando_$table", $row, false));
            return true;
        } catch (\dml_write_exception $exception) {
            if ($DB->record_exists("local_pando_$table", [$key => $row[$key]])) {
                return false;
            }
            throw $exception;
        }
    }

    public function run(string $sql, array $values = []): void {
        global $DB;
        self::patiently(fn() => $DB->execute(self::ours($sql), $values));
    }

    /** Of two statements that wait for each other a database refuses one, of which nothing was done. */
    private static function patiently(\Closure $write): void {
        for ($tries = 1;; $tries++) {
            try {
                $write();
                return;
            } catch (\dml_exception $exception) {
                if ($tries === 8 || !preg_match('/deadlock|lock wait timeout/i', $exception->getMessage() . ($exception->error ?? ''))) {
                    throw $exception;
                }
                usleep(random_int(1, 20) * 1000);
            }
        }
    }

    public function rows(string $sql, array $values = []): array {
        global $DB;
        $found = $DB->get_recordset_sql(self::ours($sql), $values);
        $rows = [];
        foreach ($found as $row) {
            $rows[] = (array) $row;
        }
        $found->close();
        return $rows;
    }

    private static function ours(string $sql): string {
        return preg_replace('/\{(\w+)\}/', '{local_pando_$1}', $sql);
    }
}
